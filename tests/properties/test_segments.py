"""Invariants 1 and 11 on a store: the index gives what reading every visible row gives, to the last bit."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st
from shelf import EMBED, NOW, new, scope_of

from remit.access.scope import Filters
from remit.contract.catalogue import Catalogue, Collection
from remit.contract.contract import RevisionWanted
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Search
from remit.retrieve.upkeep import Sizes

GROUPS = ["a", "b", "c"]
WORDS = ["bolt", "seal", "pump", "P-101", "the", "故乡", "45", "Dichtung"]
LINES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=3)
DAYS = st.none() | st.sampled_from([date(2026, 1, 1), date(2026, 5, 1), date(2026, 9, 1)])
METADATA = {
    "labels": st.sets(st.sampled_from(GROUPS)),
    "collection": st.sampled_from(["x", "y", "z"]),
    "status": st.sampled_from([None, "current", "current", "superseded", "draft", "withdrawn"]),
    "language": st.sampled_from(["en", "de", "de-AT", "zh"]),
    "title": st.sampled_from(["", "Pump", "Seal of pump"]),
    "valid_from": DAYS,
    "supersedes": st.sampled_from([(), (), ("d0@1",), ("d1@2",)]),
}
NAMES = {"document": st.sampled_from(["d0", "d1", "d2", "d3"]), "revision": st.sampled_from(["1", "2"])}
PUT = st.fixed_dictionaries({**NAMES, **METADATA, "lines": LINES})
DELETE = st.fixed_dictionaries(NAMES)
KEEP_UP = st.builds(Sizes, batch=st.integers(1, 6), fanout=st.integers(2, 3), smallest=st.just(2), dead=st.just(0.3))
WRITES = st.lists(PUT | PUT | DELETE | KEEP_UP | st.just("search"), min_size=1, max_size=14)
FILTERS = st.builds(
    Filters,
    collections=st.none() | st.lists(st.sampled_from(["x", "y", "z"]), max_size=2).map(tuple),
    documents=st.none() | st.lists(st.sampled_from(["d0", "d1", "nowhere"]), max_size=2).map(tuple),
    section=st.sampled_from([None, (), ("Part",), ("Par",), ("Part", "x")]),
    current_only=st.booleans(),
)
WANTED = st.builds(
    RevisionWanted,
    at=st.sampled_from([date(2026, 3, 1), date(2026, 6, 1), date(2026, 12, 1)]),
    named=st.sampled_from([None, None, "1", "d1@2"]),
)
QUERY = st.lists(st.sampled_from([*WORDS, "turbine"]), max_size=4).map(" ".join)
SEARCH = st.builds(Search, query=QUERY, k=st.integers(0, 9), wanted=WANTED, filters=FILTERS)
SCOPE = st.sets(st.sampled_from(GROUPS)).map(lambda held: scope_of(*held))
CATALOGUE = Catalogue(collections=(Collection(name="z", primary=False),))


def refused(corpus, id, target):
    """Say whether a revision may not replace another: itself, or one that replaces it."""
    stored = {revision.id: revision for revision in corpus.stored(target.split("@")[0])}
    return id == target or (target in stored and id in stored[target].supersedes)


def write(corpus, index, step):
    """Put, amend or delete a revision, or bring the segments up to date."""
    if isinstance(step, Sizes):
        index.keep_up(step)
    elif "lines" in step:
        given_fields = {key: value for key, value in step.items() if key != "lines"}
        known = {one.revision: one for one in corpus.stored(step["document"])}
        text = "\n".join(step["lines"])
        if any(refused(corpus, f"{step['document']}@{step['revision']}", target) for target in step["supersedes"]):
            given_fields["supersedes"] = ()
        if step["revision"] in known:  # a revision's text stays: this amends it
            text = (
                corpus.text(f"{step['document']}@{step['revision']}", scope_of(*known[step["revision"]].labels)) or text
            )
            if not known[step["revision"]].labels:
                return
        corpus.put(new(text=text, **given_fields), now=NOW)
    else:
        corpus.delete(step["document"], revision=step["revision"], now=NOW)


def opened(corpus, scope, state):
    """Return the ids that a scope opens, visible or set aside."""
    readable = corpus.readable(scope, at=date(2026, 6, 1), named=None, snapshot=state)
    return {row.passage.id for row in (*readable.rows, *(row for row, _ in readable.set_aside))}


def compare(plain, fast, corpus, asked):
    """Fail where two retrievers differ; at an older state, what the scope has lost since stays out of the faster one."""
    search, scope, state = asked
    found = fast.search(search, scope, state)
    now = opened(corpus, scope, corpus.snapshot())
    if opened(corpus, scope, state) <= now:
        assert plain.search(search, scope, state) == found
    assert {hit.passage.id for hit in found.hits} | {one.passage for one in found.set_aside} <= now


@settings(max_examples=150)
@given(WRITES, st.lists(st.tuples(SEARCH, SCOPE), min_size=1, max_size=4), st.sampled_from([0, 30, 10_000]))
def test_the_index_gives_what_reading_every_row_gives(shelves, writes, searches, characters):
    """Whatever was put, amended, deleted, built and merged, at the newest and at older states: not a bit differs."""
    with shelves() as (folder, corpus):
        corpus.declare(CATALOGUE)
        index = Index(folder, corpus.connections, kept_characters=characters)
        fast, plain = HybridRetriever(corpus, EMBED, index=index), HybridRetriever(corpus, EMBED)
        states = [corpus.snapshot()]
        for step in [*writes, "search"]:
            if step == "search":
                for search, scope in searches:
                    for state in {states[len(states) // 2], corpus.snapshot()}:
                        compare(plain, fast, corpus, (search, scope, state))
            else:
                write(corpus, index, step)
                states.append(corpus.snapshot())
        index.close()
