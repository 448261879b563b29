"""The corpus on random revisions, labels, dates and orders of arrival (invariants 1 and 6 of the design)."""

from datetime import date, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shelf import NOW, TODAY, new, scope_of, seen

IDS = [f"{document}@{revision}" for document in "AB" for revision in "123"]
LABELS = ["a", "b", "c"]

dates = st.one_of(st.none(), st.integers(-3, 3).map(lambda days: TODAY + timedelta(days=days)))
label_sets = st.sets(st.sampled_from(LABELS))
slow = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def revisions(draw):
    """Draw revisions of two documents with any labels, status, dates and replacements, in any order."""
    found = []
    for id in draw(st.permutations(IDS))[: draw(st.integers(1, len(IDS)))]:
        document, _, revision = id.partition("@")
        start, end = sorted((draw(dates), draw(dates)), key=lambda day: day or date.min)
        others = [other for other in IDS if other != id and not replaced_by(other, id, found)]
        found.append(
            new(
                document,
                revision,
                text=f"Text of {id}.\nMore of it.",
                labels=draw(label_sets),
                collection=draw(st.sampled_from(["x", "y"])),
                status=draw(st.sampled_from([None, "draft", "current", "superseded", "withdrawn"])),
                valid_from=start if end else None,
                valid_to=end if start or draw(st.booleans()) else None,
                supersedes=tuple(draw(st.sets(st.sampled_from(others), max_size=2))) if others else (),
            )
        )
    return found


def replaced_by(other, id, found):
    """Say whether a drawn revision replaces another already: the other way round as well would be refused."""
    return any(source.revision.id == other and id in source.revision.supersedes for source in found)


def why_not(source, found, at):
    """Say why a revision does not hold at a date, by the words of the design; None where it does."""
    replaced = [
        other.revision.valid_from or NOW.date()
        for other in found
        if source.id in other.revision.supersedes and other.revision.status != "draft"
    ]
    ends = [day for day in [*replaced, source.valid_to] if day]
    if source.status in {"draft", "withdrawn"}:
        return source.status
    over = bool(ends) and min(ends) <= at
    if any(day <= at for day in replaced) or (source.status == "superseded" and (over or not ends)):
        return "superseded"
    if over:
        return "expired"
    return "future" if source.valid_from and source.valid_from > at else None


def reference(found, scope, at, named):
    """Say what a scope sees, one revision at a time."""
    visible, aside = [], {}
    for source in sorted((put.revision for put in found), key=lambda r: r.id):
        if not scope.admits(source.labels, source.collection, source.document):
            continue
        reason = why_not(source, found, at)
        if named and reason not in {"draft", "withdrawn"}:
            reason = None if named == source.revision else reason or "other revision"
        for ordinal in (0, 1):
            if reason is None:
                visible.append(f"{source.id}#{ordinal}")
            else:
                aside[f"{source.id}#{ordinal}"] = reason
    return visible, aside


@slow
@given(
    revisions(),
    st.lists(st.tuples(label_sets, st.integers(-4, 4), st.sampled_from([None, "1", "2"])), min_size=1, max_size=6),
    st.one_of(st.none(), st.sets(st.sampled_from(["x", "y", "z"]))),
    st.one_of(st.none(), st.sets(st.sampled_from(["A", "B", "Z"]))),
)
def test_what_is_readable_is_what_the_rules_say(shelves, found, asked, collections, documents):
    """Every scope, date and name sees exactly what a reference in plain Python sees, in the same order."""
    narrowed = {
        "collections": None if collections is None else frozenset(collections),
        "documents": None if documents is None else frozenset(documents),
    }
    with shelves(*found) as (_, corpus):
        for labels, days, named in asked:
            scope, at = scope_of(*labels, **narrowed), TODAY + timedelta(days=days)
            assert reference(found, scope, at, named) == seen(corpus, scope, at=at, named=named)


@slow
@given(revisions(), label_sets, st.sampled_from(LABELS), st.integers(-4, 4))
def test_scope_is_monotone(shelves, found, labels, group, days):
    """Adding a group never hides a passage, and removing one never reveals one, on any read path."""
    at = TODAY + timedelta(days=days)
    less, more = scope_of(*(labels - {group})), scope_of(*(labels | {group}))
    with shelves(*found) as (_, corpus):
        few, many = seen(corpus, less, at=at), seen(corpus, more, at=at)
        assert set(few[0]) <= set(many[0])
        assert few[1].items() <= many[1].items()
        for id in IDS:
            here, there = corpus.text(id, less), corpus.text(id, more)
            assert here is None or here == there


@slow
@given(revisions(), st.randoms(use_true_random=False))
def test_digests_do_not_depend_on_order_and_repeats(shelves, found, chance):
    """The same revisions in another order, some of them twice, make the same snapshot digest."""
    other = [*found, *chance.choices(found, k=2)]
    chance.shuffle(other)
    with shelves(*found) as (_, one), shelves(*other) as (_, two):
        assert one.snapshot() == two.snapshot()
        assert len(found) == one.snapshot().number


@slow
@given(revisions(), st.data())
def test_a_later_write_never_changes_an_earlier_read(shelves, found, data):
    """Whatever is put or amended afterwards, a read at the old snapshot gives the same, less what was deleted."""
    cut = data.draw(st.integers(0, len(found)))
    everyone = scope_of(*LABELS)
    with shelves(*found[:cut]) as (_, corpus):
        then = corpus.snapshot()
        before = seen(corpus, everyone, snapshot=then)
        for revision in found[cut:]:
            corpus.put(revision, now=NOW)
        for revision in found[:cut]:
            amended = revision.revision.model_copy(update={"labels": frozenset({"c"}), "status": "withdrawn"})
            corpus.put(revision._replace(revision=amended), now=NOW)
        assert before == seen(corpus, everyone, snapshot=then)
        gone = {id for id in data.draw(st.sets(st.sampled_from(IDS))) if corpus.delete(id[0], revision=id[2], now=NOW)}
        visible, aside = seen(corpus, everyone, snapshot=then)
        assert [id for id in before[0] if id.partition("#")[0] not in gone] == visible
        assert {id: why for id, why in before[1].items() if id.partition("#")[0] not in gone} == aside
