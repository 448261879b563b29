from datetime import date

import numpy as np
import pytest
from memory_corpus import WANTED, MemoryCorpus, scope_of

from remit.access.scope import Filters
from remit.contract.catalogue import Catalogue, Collection
from remit.contract.contract import RevisionWanted
from remit.errors import NothingThere
from remit.retrieve.hybrid import MOST_SET_ASIDE, HybridRetriever
from remit.retrieve.retriever import Search
from remit.retrieve.view import Kept

STAFF = scope_of("staff")


def found(corpus, query="bolt torque", k=10, scope=STAFF, wanted=WANTED, **filters):
    """Return the candidates of a fresh search."""
    retriever = HybridRetriever(corpus, corpus.embedder)
    return retriever.search(Search(query, k, wanted, Filters(**filters)), scope, corpus.snapshot())


def documents(candidates):
    """Return the documents of the hits, in order."""
    return [hit.passage.document for hit in candidates.hits]


def plant():
    """Return a small corpus of three collections."""
    declared = Catalogue(collections=(Collection(name="archive", primary=False),))
    return (
        MemoryCorpus(declared)
        .add("torque", "Tighten each bolt to the torque of 45 Nm.", section=("Assembly", "Bolts"))
        .add("seals", "Replace the seals each year.", collection="service", section=("Assembly",))
        .add("minutes", "The bolt torque was discussed.", collection="archive")
        .add("secret", "The secret bolt torque is 99 Nm.", labels={"board"})
    )


def test_hits_come_best_first_with_the_score_of_each_leg():
    """What matches in words and meaning leads; a row without a word of the query has no lexical score."""
    candidates = found(plant())
    assert ["torque", "seals"] == documents(candidates)
    first, second = candidates.hits
    assert first.score > second.score
    assert first.lexical > 0
    assert second.lexical is None
    assert -1 <= second.dense < first.dense <= 1


def test_all_visible_rows_are_counted_and_no_others():
    """Hidden rows are in no count."""
    candidates = found(plant())
    assert (3, 2) == (candidates.readable, candidates.visible)
    assert (4, 3) == ((more := found(plant(), scope=scope_of("staff", "board"))).readable, more.visible)


@pytest.mark.parametrize("scope", [scope_of(), scope_of("nobody"), scope_of("staff", collections=frozenset())])
def test_a_scope_that_opens_nothing_finds_nothing_and_calls_no_encoder(scope):
    """No rows, no hits, nothing set aside, no work."""
    corpus = plant()
    before = corpus.embedder.calls
    candidates = found(corpus, scope=scope)
    assert ((), (), 0, 0) == (candidates.hits, candidates.set_aside, candidates.readable, candidates.visible)
    assert before == corpus.embedder.calls


def test_secondary_collections_wait_until_they_are_named():
    """A first search leaves them out, whoever names them (or a document of theirs) gets them."""
    assert "minutes" not in documents(found(plant()))
    assert ["minutes"] == documents(found(plant(), collections=("archive",)))
    assert ["minutes"] == documents(found(plant(), documents=("minutes",)))


def test_readable_counts_what_the_named_collections_hold():
    """It is 0 exactly where the asker may read nothing of what is named."""
    assert 1 == found(plant(), collections=("archive",)).readable
    assert 0 == found(plant(), collections=("board papers",)).readable
    old = plant().add("old", "Old bolt torque.", status="superseded", collection="museum")
    candidates = found(old, collections=("museum",))
    assert (1, 0, ()) == (candidates.readable, candidates.visible, candidates.hits)


@pytest.mark.parametrize(
    "filters", [{"collections": ()}, {"documents": ()}, {"collections": ("*",)}, {"documents": ("",)}]
)
def test_an_empty_or_unknown_filter_is_no_wildcard(filters):
    """What names nothing finds nothing."""
    assert () == found(plant(), **filters).hits


def test_filters_narrow_and_leave_scores_alone():
    """A row that a filter leaves has the score it has without it."""
    free = {hit.passage.id: (hit.score, hit.lexical, hit.dense) for hit in found(plant()).hits}
    for filters in ({"collections": ("service",)}, {"documents": ("torque",)}, {"section": ("Assembly", "Bolts")}):
        hits = found(plant(), **filters).hits
        assert 1 == len(hits)
        assert all(free[hit.passage.id] == (hit.score, hit.lexical, hit.dense) for hit in hits)


def test_a_section_filter_takes_the_sections_below():
    """A prefix of the heading path is enough; a part of a heading is not."""
    assert 2 == len(found(plant(), section=("Assembly",)).hits)
    assert () == found(plant(), section=("Assem",)).hits


def test_current_only_leaves_out_what_the_record_cannot_place():
    """Undated revisions beside others and pairs that both claim to hold are left out; all else stays."""
    corpus = (
        MemoryCorpus()
        .add("one", "bolt torque", revision="a")
        .add("one", "bolt torque 2", revision="b")
        .add("two", "bolt torque", revision="a", applies_to=(("pump", ("R1",)),))
        .add("two", "bolt torque 2", revision="b", applies_to=(("pump", ("R2",)),))
        .add("three", "bolt torque", revision="a", status=None)
        .add("three", "bolt torque 2", revision="b", status="superseded")
        .add("four", "bolt torque", status=None)
        .add("five", "bolt torque", revision="a")
        .add("five", "bolt torque 2", revision="b", supersedes=("five@a",))
    )
    assert {"one", "two", "three", "four", "five"} == set(documents(found(corpus)))
    assert {"two", "four", "five"} == set(documents(found(corpus, current_only=True)))


def test_the_same_text_in_two_revisions_is_one_hit():
    """A copy makes room for the next row; the same text twice in one revision, or in two documents, stays."""
    corpus = (
        MemoryCorpus()
        .add("a", "bolt torque", revision="1")
        .add("a", "bolt torque", revision="2")
        .add("b", "bolt torque", "bolt torque")
        .add("c", "something else")
    )
    assert ["a", "b", "b", "c"] == sorted(documents(found(corpus, k=4)))
    assert 3 == len(found(corpus, k=3).hits)


def test_rows_set_aside_are_named_where_they_match_well():
    """At most ten, best first, with the reason; an unrelated one is not mentioned, nor one outside the scope."""
    corpus = plant().add("hidden", "bolt torque", status="withdrawn", labels={"board"})
    corpus.add("unrelated", "lunch menu of friday", status="draft")
    for number in range(MOST_SET_ASIDE + 3):
        corpus.add(f"old{number:02}", "bolt torque of old pumps", status="superseded")
    aside = found(corpus).set_aside
    assert [f"old{number:02}@1" for number in range(MOST_SET_ASIDE)] == [one.revision for one in aside]
    assert {"superseded"} == {one.reason for one in aside}
    assert () == found(corpus, query="gearbox").set_aside
    assert () == found(corpus, collections=("service",)).set_aside


def test_a_date_and_a_revision_by_name_choose_the_rows():
    """Each date gets its own revision; a named one is found whatever the date."""
    corpus = (
        MemoryCorpus()
        .add("policy", "ten days of leave", revision="1", valid_from=date(2026, 1, 1), valid_to=date(2026, 7, 1))
        .add("policy", "twenty days of leave", revision="2", valid_from=date(2026, 7, 1))
    )
    for wanted, revision in (
        (RevisionWanted(at=date(2026, 6, 30)), "1"),
        (RevisionWanted(at=date(2026, 7, 1)), "2"),
        (RevisionWanted(at=date(2026, 6, 30), named="2"), "2"),
    ):
        assert [revision] == [hit.passage.revision for hit in found(corpus, "days of leave", wanted=wanted).hits]


@pytest.mark.parametrize(("k", "expected"), [(-1, 0), (0, 0), (1, 1), (2, 2), (50, 2)])
def test_k_is_a_bound_and_a_promise(k, expected):
    """min(k, visible) hits, whether or not a word matches."""
    assert expected == len(found(plant(), query="gearbox", k=k).hits)


def test_writes_count_at_once_and_at_older_snapshots():
    """After a delete the document is gone for the same retriever, whichever snapshot is read."""
    corpus = plant()
    retriever, before = HybridRetriever(corpus, corpus.embedder), corpus.snapshot()
    search = Search("bolt torque", 10, WANTED)
    assert ["torque", "seals"] == documents(retriever.search(search, STAFF, before))
    corpus.delete("torque")
    assert ["seals"] == documents(retriever.search(search, STAFF, corpus.snapshot()))
    assert ["seals"] == documents(retriever.search(search, STAFF, before))


def test_a_second_search_reads_nothing_again_and_another_scope_does():
    """Views are kept for the scope they were made for."""
    corpus = plant()
    retriever, snapshot = HybridRetriever(corpus, corpus.embedder), corpus.snapshot()
    first = retriever.search(Search("bolt torque", 10, WANTED), STAFF, snapshot)
    assert first == retriever.search(Search("bolt torque", 10, WANTED), STAFF, snapshot)
    assert 1 == corpus.reads
    board = retriever.search(Search("bolt torque", 10, WANTED), scope_of("board"), snapshot)
    assert (2, ["secret"]) == (corpus.reads, documents(board))


def test_what_is_kept_is_bounded():
    """Past the bound the view used longest ago goes; results stay the same."""
    corpus = plant()
    retriever, snapshot = HybridRetriever(corpus, corpus.embedder, kept_rows=5), corpus.snapshot()
    search = Search("bolt torque", 10, WANTED)
    first = retriever.search(search, STAFF, snapshot)
    retriever.search(search, scope_of("board"), snapshot)
    assert first == retriever.search(search, STAFF, snapshot)
    assert 3 == corpus.reads


def test_a_delete_between_rows_and_vectors_is_no_failure():
    """Where a passage goes away in the middle of a search, what is left is searched."""
    corpus = plant()
    read = corpus.matrix

    def interrupted(passages, scope):
        corpus.matrix = read
        corpus.delete("torque")
        return read(passages, scope)

    corpus.matrix = interrupted
    assert ["seals"] == documents(found(corpus))


def test_sentence_vectors_open_to_the_scope_alone():
    """Whoever may not read a passage gets no vector of it."""
    corpus = plant()
    retriever = HybridRetriever(corpus, corpus.embedder)
    secret = next(row.passage for row in corpus.rows if row.passage.document == "secret")
    assert (1, 32) == np.shape(retriever.sentence_vectors(secret, scope_of("board")))
    with pytest.raises(NothingThere):
        retriever.sentence_vectors(secret, STAFF)


def test_the_name_tells_method_encoder_and_weights():
    """A trace can tell two configurations apart."""
    corpus = plant()
    one, other = HybridRetriever(corpus, corpus.embedder), HybridRetriever(corpus, corpus.embedder, lexical_weight=1.0)
    assert corpus.embedder.name in one.name
    assert one.name != other.name


def test_what_is_kept_is_found_until_it_is_cleared_or_too_much():
    """The thing used longest ago goes first, and a look counts as use."""
    kept: Kept[str] = Kept(2)
    for key in "ab":
        kept.get(key, lambda key=key: key)
    assert "a" == kept.held("a")
    kept.get("c", lambda: "c")
    assert ["a", None, "c"] == [kept.held(key) for key in "abc"]
    kept.clear()
    assert None is kept.held("a")
