"""Invariants 1 and 11: search under a scope is search over the visible rows alone, exactly."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.access.scope import Filters
from remit.contract.catalogue import Catalogue, Collection
from remit.contract.terms import content_terms, term_set, terms
from remit.corpus.quantise import quantise
from remit.corpus.standing import set_aside
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.lexical import field_text
from remit.retrieve.retriever import Search

_SPEC = spec_from_file_location("memory_corpus", Path(__file__).parents[1] / "unit/retrieve/memory_corpus.py")
memory = module_from_spec(_SPEC)
_SPEC.loader.exec_module(memory)

GROUPS = ["a", "b", "c"]
TEXTS = st.lists(st.sampled_from(["bolt", "seal", "pump", "P-101", "the", "故乡", "45"]), min_size=1, max_size=6).map(
    " ".join
)
DOCUMENT = st.fixed_dictionaries(
    {
        "texts": st.lists(TEXTS, min_size=1, max_size=3),
        "labels": st.sets(st.sampled_from(GROUPS)),
        "collection": st.sampled_from(["x", "y", "z"]),
        "status": st.sampled_from([None, "current", "current", "superseded", "draft", "withdrawn"]),
        "language": st.sampled_from(["en", "de"]),
    }
)
CORPORA = st.lists(DOCUMENT, max_size=10)
HELD = st.sets(st.sampled_from(GROUPS))
K = st.integers(0, 12)
CATALOGUE = Catalogue(collections=(Collection(name="z", primary=False),))
FILTERS = st.builds(
    Filters,
    collections=st.none() | st.lists(st.sampled_from(["x", "y", "z"]), max_size=2).map(tuple),
    documents=st.none() | st.lists(st.sampled_from(["d0", "d1", "d2"]), max_size=2).map(tuple),
    current_only=st.booleans(),
)


def corpus_of(documents, numbers=None):
    """Return a corpus of some of the documents, each under its own number."""
    corpus = memory.MemoryCorpus(CATALOGUE)
    for number in range(len(documents)) if numbers is None else numbers:
        document = documents[number]
        given_fields = {key: value for key, value in document.items() if key != "texts"}
        corpus.add(f"d{number}", *document["texts"], **given_fields)
    return corpus


def search(corpus, query, k, groups, filters=None, **weights):
    """Return what a fresh retriever finds for someone of these groups."""
    retriever = HybridRetriever(corpus, corpus.embedder, **weights)
    wanted = Search(query, k, memory.WANTED, filters or Filters())
    return retriever.search(wanted, memory.scope_of(*groups), corpus.snapshot())


def visible_rows(corpus, groups, collections=("x", "y")):
    """Return, by the rule of the design, the rows that someone of these groups searches."""
    return [
        row
        for row in corpus.rows
        if row.source.labels & groups
        and row.source.collection in collections
        and set_aside(row.source, None, memory.DAY) is None
    ]


@given(CORPORA, TEXTS, K, HELD, FILTERS)
def test_nothing_outside_the_scope_appears(documents, query, k, groups, filters):
    """Neither among the hits nor among what is set aside."""
    corpus = corpus_of(documents)
    found = search(corpus, query, k, groups, filters)
    inside = {row.passage.id for row in corpus.rows if row.source.labels & groups}
    assert {hit.passage.id for hit in found.hits} <= inside
    assert {one.passage for one in found.set_aside} <= inside
    assert found.visible <= found.readable <= len(inside)


@given(CORPORA, TEXTS, K, HELD, FILTERS)
def test_hidden_rows_change_nothing(documents, query, k, groups, filters):
    """The whole reply is that over a corpus without the hidden documents, to the last bit."""
    readable = [number for number, document in enumerate(documents) if document["labels"] & groups]
    full = search(corpus_of(documents), query, k, groups, filters)
    alone = search(corpus_of(documents, readable), query, k, groups, filters)
    assert full.model_copy(update={"snapshot": alone.snapshot}) == alone


@given(CORPORA, TEXTS, HELD, st.randoms())
def test_the_order_of_arrival_changes_nothing(documents, query, groups, random):
    """The same documents put in another order give the same reply."""
    numbers = random.sample(range(len(documents)), len(documents))
    one = search(corpus_of(documents), query, 45, groups)
    other = search(corpus_of(documents, numbers), query, 45, groups)
    assert one.hits == other.hits
    assert one.set_aside == other.set_aside


@given(CORPORA, TEXTS, HELD, st.sampled_from(GROUPS))
def test_adding_a_group_never_hides_a_passage(documents, query, groups, more):
    """Whoever is in one group more finds all that was found before, k allowing."""
    corpus = corpus_of(documents)
    before = {hit.passage.id for hit in search(corpus, query, 45, groups).hits}
    after = {hit.passage.id for hit in search(corpus, query, 45, groups | {more}).hits}
    assert before <= after


@given(CORPORA, TEXTS, K, HELD)
def test_as_many_hits_as_are_wanted_and_there(documents, query, k, groups):
    """min(k, visible) rows, from the dense leg whether or not a word matches."""
    corpus = corpus_of(documents)
    rows = visible_rows(corpus, groups)
    found = search(corpus, query, k, groups)
    assert len(rows) == found.visible
    assert min(k, len(rows)) == len(found.hits)
    assert all(hit.dense is not None for hit in found.hits)


@given(CORPORA, TEXTS, HELD)
def test_the_lexical_leg_finds_what_matches_and_nothing_else(documents, query, groups):
    """A hit has a lexical score exactly where it holds a term of the query."""
    corpus = corpus_of(documents)
    for hit in search(corpus, query, 45, groups).hits:
        language = hit.source.language
        wanted = {term.term for term in content_terms(query, language) or terms(query, language)}
        row = next(row for row in corpus.rows if row.passage.id == hit.passage.id)
        assert bool(wanted & term_set(field_text(row), language)) == (hit.lexical is not None)


@given(CORPORA, TEXTS, K, HELD)
def test_dense_search_is_exact(documents, query, k, groups):
    """With the lexical leg off, the hits are the k nearest visible rows, by exact integer products."""
    corpus = corpus_of(documents)
    rows = visible_rows(corpus, groups)
    asked = quantise(corpus.embedder.embed([query]))
    scores = {}
    for row in rows:
        stored = corpus.matrix([row.passage.id], memory.scope_of(*GROUPS))
        dot = sum(int(a) * int(b) for a, b in zip(stored.values[0], asked.values[0], strict=True))
        scores[row.passage.id] = float(np.clip(dot * float(stored.scales[0]) * float(asked.scales[0]), -1, 1))
    expected = sorted(scores, key=lambda id: (-scores[id], id))[:k]
    found = search(corpus, query, k, groups, lexical_weight=0.0)
    assert expected == [hit.passage.id for hit in found.hits]
    assert all(scores[hit.passage.id] == hit.dense == hit.score for hit in found.hits)


@given(CORPORA, TEXTS, HELD, FILTERS)
def test_filters_only_narrow(documents, query, groups, filters):
    """A filtered search gives a part of the unfiltered one over all collections, with the same scores."""
    corpus = corpus_of(documents)
    everywhere = Filters(collections=("x", "y", "z"))
    free = {hit.passage.id: hit for hit in search(corpus, query, 45, groups, everywhere).hits}
    assert all(free[hit.passage.id] == hit for hit in search(corpus, query, 45, groups, filters).hits)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_an_empty_query_is_still_a_defined_search(k):
    """No words, no vector: rows in the order of their ids."""
    corpus = corpus_of(
        [{"texts": ["bolt"], "labels": {"a"}, "collection": "x", "status": "current", "language": "en"}] * 3
    )
    expected = sorted(row.passage.id for row in corpus.rows)[:k]
    assert expected == [hit.passage.id for hit in search(corpus, "", k, {"a"}).hits]
