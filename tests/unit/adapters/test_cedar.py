"""Cedar policies: what they grant, what is refused when they are read, and that every doubt ends as a no."""

import json
import sys
import tempfile
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.access.policy import authorize
from remit.access.principal import Principal
from remit.adapters.cedar import CedarPolicies
from remit.contract.catalogue import Catalogue
from remit.errors import AccessFailed, MissingPrerequisite
from remit.testing.build import contract_of

LABELS = ("public", "staff", "board", "minutes")
PUBLIC = 'permit(principal, action == Action::"read", resource == Label::"public");'
STAFF = 'permit(principal in Group::"staff", action == Action::"read", resource == Label::"staff");'


def entity(kind, id, *parents, **attributes):
    """Return an entity as Cedar's JSON has it; parents are pairs of type and id."""
    above = [{"type": type_, "id": id_} for type_, id_ in parents]
    return {"uid": {"type": kind, "id": id}, "attrs": attributes, "parents": above}


ENTITIES = [
    *(entity("Label", label, ("Shelf", "daily"), sealed=label == "minutes") for label in LABELS),
    entity("Group", "chair", ("Group", "board")),
]


def policies(folder, text=PUBLIC, entities=ENTITIES, **more):
    """Return the policy of one text and some entities; `more` are further files by name."""
    files = {"policy.cedar": text, "labels.json": entities, **{k.replace("_", "."): v for k, v in more.items()}}
    for name, content in files.items():
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return CedarPolicies([folder / name for name in files])


def held(policy, *groups, id="mara", **attributes):
    """Return the labels of somebody, sorted."""
    return sorted(policy.labels(Principal(id=id, groups=groups, attributes=tuple(attributes.items()))))


def test_a_group_holds_what_it_is_permitted(tmp_path):
    """Groups stand above the principal, other groups above those, and shelves above labels."""
    board = 'permit(principal in Group::"board", action, resource in Shelf::"daily");'
    policy = policies(tmp_path, PUBLIC + STAFF + board)
    assert ["public"] == held(policy)
    assert ["public", "staff"] == held(policy, "staff")
    assert sorted(LABELS) == held(policy, "board") == held(policy, "chair")
    assert ["public"] == held(policy, "nobody", "*", "Staff")


def test_a_user_and_an_attribute_can_be_permitted(tmp_path):
    """By id, and by the texts that the identity tells of them."""
    text = """
    permit(principal == User::"mara", action, resource == Label::"staff");
    permit(principal, action, resource == Label::"board") when { principal has level && principal.level == "3" };
    """
    policy = policies(tmp_path, text)
    assert ["staff"] == held(policy)
    assert ["board", "staff"] == held(policy, level="3")
    assert [] == held(policy, id="Mara", level="4")


@pytest.mark.parametrize(
    "forbid",
    [
        'forbid(principal, action, resource == Label::"minutes");',
        "forbid(principal, action, resource) when { resource.sealed };",
        'forbid(principal == User::"mara", action, resource) when { resource.sealed };',
        'forbid(principal, action, resource == Label::"minutes") unless { principal in Group::"chair" };',
    ],
)
def test_a_forbid_narrows(tmp_path, forbid):
    """A forbid by label, by attribute, by user, and one that a group lifts take away what a permit gave."""
    policy = policies(tmp_path, 'permit(principal in Group::"board", action, resource);' + forbid)
    assert ["board", "public", "staff"] == held(policy, "board")
    assert [] == held(policy)


@pytest.mark.parametrize(
    "text",
    [
        'forbid(principal in Group::"guests", action, resource);',
        'forbid(principal is User in Group::"guests", action, resource);',
        'forbid(principal, action, resource) when { principal in Group::"guests" };',
        'forbid(principal, action, resource) when { User::"mara" in Group::"guests" };',
        'forbid(principal, action, resource) when { principal in [Group::"a", Group::"b"] };',
        'forbid(principal, action, resource) when { !(resource.sealed && !(principal is User in Group::"guests")) };',
        'forbid(principal, action, resource) unless { !(principal in Group::"guests") };',
        'permit(principal, action, resource) unless { principal in Group::"guests" };',
        'permit(principal, action, resource) when { !(principal in Group::"guests") };',
        'permit(principal, action, resource) when { (principal in Group::"guests") == false };',
        'permit(principal, action, resource) when { if principal in Group::"guests" then false else true };',
        'permit(principal, action, resource) when { [principal in Group::"guests"].contains(false) };',
        'permit(principal, action, resource) when { {a: principal in Group::"guests"} == {a: false} };',
        'permit(principal, action, resource) when { principal in (if principal in Group::"a" then Group::"b" else Group::"c") };',
    ],
)
def test_what_could_be_escaped_by_leaving_a_group_is_refused(tmp_path, text):
    """A group more never takes away: such a policy is refused when it is read, with its file and number."""
    with pytest.raises(AccessFailed, match=r"policy\.cedar: policy policy1 takes something away"):
        policies(tmp_path, PUBLIC + text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("permit(principal", r"policy\.cedar: unexpected end"),
        ('@id("typo") permit(principal, action, resource == Label::"stafff");', r'policy typo names Label::"stafff"'),
        ('forbid(principal, action, resource == Lable::"staff");', r'policy policy0 names Lable::"staff"'),
        ('forbid(principal, action, resource in Shelf::"dialy");', r'names Shelf::"dialy"'),
        ('forbid(principal, action == Action::"raed", resource);', r'names Action::"raed"'),
        ("forbid(principal, action, resource is Lable);", "tests for the type Lable"),
        ("permit(principal, action, resource) when { resource is Lable };", "tests for the type Lable"),
        ('permit(principal in Group::"staff ", action, resource);', "not trimmed"),
        ('forbid(principal == User::"rene\u0301", action, resource);', "not in NFC"),
        ("permit(principal == ?principal, action, resource);", "template"),
        ("", "no Cedar policy"),
        ("// permit(principal, action, resource);", "no Cedar policy"),
    ],
)
def test_policies_that_leave_open_what_they_mean_are_refused(tmp_path, text, told):
    """A misspelt forbid would forbid nothing: each name has to be there."""
    with pytest.raises(AccessFailed, match=told):
        policies(tmp_path, text)


@pytest.mark.parametrize(
    ("entities", "told"),
    [
        ("{", r"labels\.json: is no JSON"),
        ({"uid": {}}, "is no list"),
        (["Label"], "is no object"),
        ([entity("Shelf", "daily")], "no labels are declared"),
        ([{"uid": {"type": "Label", "id": "public"}}], "uid, attrs and parents"),
        ([{"uid": 'Label::"public"', "attrs": {}, "parents": []}], "is no uid"),
        ([{**entity("Label", "public"), "parents": ["Shelf"]}], "is no uid"),
        ([{**entity("Label", "public"), "parents": None}], "is no uid"),
        ([*ENTITIES, entity("Label", "*")], "wildcard"),
        ([*ENTITIES, entity("Label", "")], "blank"),
        ([*ENTITIES, entity("Label", " staff")], "not trimmed"),
        ([*ENTITIES, entity("Label", "staff", ("Shelf", "other"))], "give each entity once"),
        ([*ENTITIES, entity("User", "mara", ("Group", "board"))], "told by the identity"),
        ([*ENTITIES, entity("Label", "x", ("User", "mara"))], "told by the identity"),
        ([*ENTITIES, entity("Shelf", "a", ("Shelf", "b")), entity("Shelf", "b", ("Shelf", "a"))], "give each entity"),
    ],
)
def test_entities_that_leave_open_what_they_mean_are_refused(tmp_path, entities, told):
    """Labels, shelves and groups come from files, each once; who asks never does."""
    with pytest.raises(AccessFailed, match=told):
        policies(tmp_path, "permit(principal, action, resource);", entities)


@pytest.mark.parametrize("name", ["missing.cedar", "policy.txt", "latin.cedar"])
def test_files_that_cannot_be_read_are_named(tmp_path, name):
    """Missing, of an unknown kind, or no UTF-8: the file is named, and nothing is granted without it."""
    (tmp_path / "policy.txt").write_text(PUBLIC)
    (tmp_path / "latin.cedar").write_bytes(b"// \xe9")
    with pytest.raises(AccessFailed, match=name):
        CedarPolicies([tmp_path / name])


def test_several_files_are_one_policy(tmp_path):
    """Policies and labels of all files count together, and the name tells what stands in them, not where."""
    policy = policies(tmp_path, PUBLIC, second_cedar=STAFF, more_json=[entity("Label", "more")])
    assert ["public", "staff"] == held(policy, "staff")
    other = tmp_path / "other"
    other.mkdir()
    assert policy.name == policies(other, PUBLIC, second_cedar=STAFF, more_json=[entity("Label", "more")]).name
    assert policy.name != policies(other, PUBLIC + STAFF, more_json=[entity("Label", "more")]).name


def test_a_policy_that_fails_opens_nothing(tmp_path):
    """Cedar would leave a failing forbid out and answer by the rest; here the whole verdict fails."""
    sealed = 'forbid(principal, action, resource == Label::"staff") when { principal.level == "0" };'
    policy = policies(tmp_path, PUBLIC + STAFF + sealed)
    assert ["public", "staff"] == held(policy, "staff", level="1")
    assert ["public"] == held(policy, "staff", level="0")
    with pytest.raises(AccessFailed, match="has"):
        held(policy, "staff")
    with pytest.raises(AccessFailed, match="has"):
        authorize(Principal(id="mara", groups=("staff",)), contract_of("?"), policy, Catalogue())


@pytest.mark.parametrize(
    "principal",
    [
        Principal.model_construct(id="\ud800", groups=(), attributes=()),
        Principal.model_construct(id="mara", groups=("\ud800",), attributes=()),
        Principal(id="mara", attributes=(("level", "1"), ("level", "3"))),
    ],
)
def test_a_principal_that_cannot_be_told_to_cedar_gets_nothing(tmp_path, principal):
    """Half a surrogate, or an attribute with two values, is no verdict."""
    policy = policies(tmp_path)
    with pytest.raises(AccessFailed):
        policy.labels(principal)


@pytest.mark.parametrize(
    "id", ['mara", action, resource); permit(principal', "a\nb", "\x00", 'User::"root"', "é" * 999]
)
def test_names_are_data(tmp_path, id):
    """Whatever somebody is called, it is no policy."""
    assert ["public"] == held(policies(tmp_path, PUBLIC + STAFF), id, id=id)


def test_the_example_of_the_decision_record_works(tmp_path):
    """What docs/adr/0011-cedar.md shows is what these policies do."""
    page = (Path(__file__).parents[3] / "docs/adr/0011-cedar.md").read_text(encoding="utf-8")
    text = page.partition("```cedar\n")[2].partition("```")[0]
    shown = json.loads(page.partition("`[{")[2].partition("}]`")[0].join(["[{", "}]"]))
    policy = policies(tmp_path, text, [*shown, entity("Label", "public", sealed=False)])
    assert ["public"] == held(policy)
    assert ["hr", "public"] == held(policy, "maintenance") == held(policy, level="3")
    assert ["public"] == held(policy, "maintenance", id="trainee")


def test_a_verdict_is_kept_for_the_whole_principal(tmp_path):
    """Somebody with other groups or attributes is asked about anew; a failure is not kept."""
    level = (
        'permit(principal, action, resource == Label::"board") when { principal has level && principal.level == "3" };'
    )
    policy = policies(tmp_path, PUBLIC + STAFF + level)
    for _ in range(2):
        assert ["public"] == held(policy)
        assert ["public", "staff"] == held(policy, "staff")
        assert ["board", "public"] == held(policy, level="3")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    """Without cedarpy there is no verdict, and what to install is told."""
    monkeypatch.setitem(sys.modules, "cedarpy", None)
    with pytest.raises(MissingPrerequisite, match=r"pip install 'remit\[cedar\]'"):
        policies(tmp_path)


GROUPS = ("a", "b", "c")
IN = st.sampled_from([f'principal in Group::"{group}"' for group in GROUPS] + ['principal is User in Group::"a"'])
PLAIN = st.sampled_from(
    ["resource.sealed", 'resource in Shelf::"daily"', 'principal == User::"mara"', "true", 'resource == Label::"staff"']
)
CONDITIONS = st.recursive(
    IN | PLAIN,
    lambda inner: st.one_of(
        inner.map("!({})".format),
        st.builds("({}) && ({})".format, inner, inner),
        st.builds("({}) || ({})".format, inner, inner),
        st.builds("({}) == ({})".format, inner, inner),
        st.builds("if {} then {} else {}".format, inner, inner, inner).map("({})".format),
    ),
    max_leaves=5,
)
POLICIES = st.builds(
    "{}({}, action, resource) {} {{ {} }};".format,
    st.sampled_from(["permit", "permit", "forbid"]),
    st.sampled_from(["principal", 'principal in Group::"b"', 'principal == User::"mara"']),
    st.sampled_from(["when", "unless"]),
    CONDITIONS,
)


@settings(max_examples=200)
@given(st.lists(POLICIES, min_size=1, max_size=3).map("\n".join))
def test_policies_that_are_taken_are_monotone(text):
    """Of random policies, those that are not refused never take a label away from who is in a group more."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            policy = policies(Path(folder), text)
        except AccessFailed as refused:
            assert "takes something away" in str(refused)  # noqa: PT017 - refused is one of two right outcomes
            return
    sets = [frozenset(some) for n in range(4) for some in combinations(GROUPS, n)]
    labels = {some: set(held(policy, *some)) for some in sets}
    assert all(labels[few] <= labels[many] for few in sets for many in sets if few <= many)
