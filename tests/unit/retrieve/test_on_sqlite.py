from datetime import UTC, datetime

import pytest
from memory_corpus import WANTED, MemoryCorpus, scope_of

from remit.access.scope import Filters
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.store import NewRevision
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.retriever import Search

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def stored(folder, rows, embedder):
    """Return a store that holds the same rows."""
    corpus = SqliteCorpus.open(folder, create=True)
    corpus.use_encoder(embedder.name, embedder.dimension)
    for passage, source in rows:
        vectors = embedder.embed([f"{source.title} {passage.text}"])
        new = NewRevision(source, passage.text, (passage,), vectors, (embedder.embed([passage.text]),))
        corpus.put(new, now=NOW)
    return corpus


@pytest.mark.integration
@pytest.mark.parametrize("groups", [(), ("staff",), ("board",), ("staff", "board")])
@pytest.mark.parametrize("filters", [Filters(), Filters(collections=("service",)), Filters(current_only=True)])
def test_the_store_and_memory_give_the_same_search(tmp_path, groups, filters):
    """Same rows, same hits, same scores, to the last bit, wherever the rows are kept."""
    memory = (
        MemoryCorpus()
        .add("torque", "Tighten each bolt of P-101/B to 45 Nm.")
        .add("seals", "Replace the seals each year.", collection="service", labels={"staff", "board"})
        .add("secret", "The secret bolt torque is 99 Nm.", labels={"board"})
        .add("old", "Tighten each bolt of P-101/B to 40 Nm.", status="withdrawn")
        .add("zh", "低头思故乡", language="zh", status=None)
    )
    retriever = HybridRetriever(memory, memory.embedder)
    with stored(tmp_path / "store", memory.rows, memory.embedder) as corpus:
        other = HybridRetriever(corpus, memory.embedder)
        for query in ("bolt torque of P-101/B", "故乡", "seal", "gearbox"):
            search = Search(query, 10, WANTED, filters)
            expected = retriever.search(search, scope_of(*groups), memory.snapshot())
            found = other.search(search, scope_of(*groups), corpus.snapshot())
            brief = [(hit.passage.id, hit.score, hit.lexical, hit.dense) for hit in found.hits]
            assert [(hit.passage.id, hit.score, hit.lexical, hit.dense) for hit in expected.hits] == brief
            assert expected.set_aside == found.set_aside
            assert (expected.readable, expected.visible) == (found.readable, found.visible)


@pytest.mark.integration
def test_a_deleted_document_is_gone_for_the_next_search(tmp_path):
    """The retriever that has just found it does not find it again, at the old snapshot either."""
    memory = MemoryCorpus().add("torque", "Tighten each bolt.").add("seals", "Replace the seals.")
    with stored(tmp_path / "store", memory.rows, memory.embedder) as corpus:
        retriever, before = HybridRetriever(corpus, memory.embedder), corpus.snapshot()
        search, scope = Search("bolt", 10, WANTED), scope_of("staff")
        assert 2 == len(retriever.search(search, scope, before).hits)
        corpus.delete("torque", now=NOW)
        for snapshot in (before, corpus.snapshot()):
            assert ["seals"] == [hit.passage.document for hit in retriever.search(search, scope, snapshot).hits]
