"""From a principal and a contract to a scope: what a policy grants, narrowed by the contract, and no on any doubt."""

import pytest

from remit.access.policy import GroupLabels, authorize, granted, standing
from remit.access.principal import Principal
from remit.contract.catalogue import Catalogue, Collection
from remit.errors import AccessFailed, MissingPrerequisite
from remit.testing.build import contract_of

MARA = Principal(id="mara", groups=("staff",))
CATALOGUE = Catalogue(collections=(Collection(name="books", expands_to=("notes",)),))


class Says:
    """A policy that says or raises what it was told to."""

    name = "says/1"

    def __init__(self, verdict):
        self.verdict = verdict

    def labels(self, principal):
        if isinstance(self.verdict, BaseException):
            raise self.verdict
        return self.verdict


def scope(policy, principal=MARA, **contract):
    """Return the scope under a policy."""
    return authorize(principal, contract_of("?", **contract), policy, CATALOGUE)


def test_a_principal_holds_its_groups_and_public():
    """The built-in policy, by name in the scope."""
    made = scope(GroupLabels())
    assert (frozenset({"staff", "public"}), "mara", "group-labels/1") == (made.labels, made.principal, made.policy)
    assert (None, None) == (made.collections, made.documents)


def test_a_contract_narrows_and_brings_approved_expansions():
    """Collections it names, and those its owner let them widen to; documents narrow the first search, not the scope."""
    made = scope(GroupLabels(), collections=("books",), documents=("A",))
    assert (frozenset({"books", "notes"}), None) == (made.collections, made.documents)


def test_what_may_be_read_whatever_is_asked():
    """Before the line a principal stands with its labels; nobody, and a policy that fails, with none."""
    assert frozenset({"staff", "public"}) == standing(MARA, GroupLabels()).labels
    assert standing(None, GroupLabels()).empty
    assert standing(MARA, Says(None)).empty


def test_without_a_principal_there_is_no_scope():
    """No one asks: no answer, whatever the policy would say."""
    with pytest.raises(AccessFailed, match="who asks"):
        scope(GroupLabels(), None)


@pytest.mark.parametrize("label", ["", " ", "*", " * ", "\t"])
def test_blanks_and_wildcards_are_never_granted(label):
    """Whatever a policy grants, they are in no scope."""
    assert frozenset({"staff"}) == scope(Says({label, "staff"})).labels
    assert scope(Says({label})).empty


def test_labels_are_granted_as_stores_compare_them():
    """Composed and trimmed, as documents carry them."""
    assert frozenset({"équipe"}) == scope(Says(frozenset({" e\u0301quipe "}))).labels


@pytest.mark.parametrize(
    "verdict", [None, "staff", ["staff"], {"staff": True}, {1}, {None, "staff"}, b"staff", True, iter(())]
)
def test_what_is_no_set_of_labels_is_no_verdict(verdict):
    """A text is not the set of its letters, nor a list a set: an odd answer opens nothing."""
    with pytest.raises(AccessFailed, match="says/1 came to no verdict"):
        scope(Says(verdict))


@pytest.mark.parametrize(
    "error", [ConnectionError("secret"), KeyError("x"), MissingPrerequisite("pip"), TimeoutError()]
)
def test_a_policy_that_breaks_is_no_verdict(error):
    """Any error ends as AccessFailed, names the policy and tells nothing of the cause."""
    with pytest.raises(AccessFailed, match="no verdict") as caught:
        scope(Says(error))
    assert "secret" not in str(caught.value)


def test_a_policy_that_says_why_is_heard():
    """What a policy has put in words goes up as it is."""
    with pytest.raises(AccessFailed, match="the directory is down: start it"):
        scope(Says(AccessFailed("the directory is down: start it")))


def test_a_verdict_keeps_what_grants_something():
    """An empty verdict is one: nothing is granted."""
    assert frozenset() == granted(frozenset())
    assert scope(Says(set())).empty
