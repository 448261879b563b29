"""What a search promises about its results: how many, in which order, and that scores are those of the formula."""

from __future__ import annotations

import unicodedata

import pytest

from remit.corpus.quantise import quantise
from remit.testing.build import EMBED, new, read
from remit.testing.reference import bm25, cosines
from remit.testing.searching import EVERYTHING, STAFF, Make, documents_of, has_leg, passages_of, several, told

QUERIES = ("bolt torque of P-101/B", "the pump", "故乡", "cafe\u0301", "gearbox wheel", "seals")
_PRECISE = 1e-9


class RetrieverExact:
    """min(k, visible) rows, exact scores, a defined order."""

    @pytest.mark.parametrize("query", [*QUERIES, "", "?!"])
    def test_as_many_as_wanted_and_visible(self, searching: Make, query: str) -> None:
        """Each visible row is found once k allows; a search by words alone finds those that match."""
        made = searching(*several())
        visible = made.find(query).visible
        assert sum(len(put.passages) for put in several()) == visible
        whole = made.find(query).hits
        assert len(whole) == visible or (all(hit.dense is None for hit in whole) and len(whole) < visible)
        for k in (0, 1, 2, visible - 1, visible, visible + 1):
            assert min(k, len(whole)) == len(made.find(query, k).hits)

    @pytest.mark.parametrize("query", QUERIES)
    def test_fewer_are_the_first_of_more(self, searching: Make, query: str) -> None:
        """No k finds what a larger one does not, and scores do not depend on it."""
        made = searching(*several())
        whole = made.find(query).hits
        assert all(whole[:k] == made.find(query, k).hits for k in range(len(whole)))

    @pytest.mark.parametrize("query", QUERIES)
    def test_hits_are_ordered_and_each_is_there_once(self, searching: Make, query: str) -> None:
        """Best first, and no passage twice."""
        hits = searching(*several()).find(query).hits
        assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
        assert len({hit.passage.id for hit in hits}) == len(hits)

    @pytest.mark.parametrize("query", QUERIES)
    def test_lexical_scores_are_those_of_the_formula(self, searching: Make, query: str) -> None:
        """BM25 over the visible rows, computed here one row at a time; None where no word matches."""
        made = searching(*several(), new("hidden", "1", "bolt pump 故乡 café", labels=["board"]))
        rows = read(made.corpus, STAFF).rows
        expected = dict(zip((row.passage.id for row in rows), bm25(query, rows), strict=True))
        for hit in made.find(query).hits if has_leg(made, "lexical") else ():
            assert expected[hit.passage.id] == pytest.approx(hit.lexical or 0.0, rel=_PRECISE)
            assert (expected[hit.passage.id] > 0) == (hit.lexical is not None)

    @pytest.mark.parametrize("query", QUERIES)
    def test_dense_scores_are_those_of_the_formula(self, searching: Make, query: str) -> None:
        """The cosine with each visible row, computed here from the stored integers."""
        made = searching(*several(), new("hidden", "1", "bolt pump 故乡 café", labels=["board"]))
        hits = made.find(query).hits if has_leg(made, "dense") else ()
        stored = made.corpus.matrix([hit.passage.id for hit in hits], STAFF)
        expected = cosines(quantise(EMBED.embed([query])), stored) if hits else []
        assert expected == pytest.approx([hit.dense for hit in hits], abs=1e-6)

    def test_no_matching_word_is_no_match(self, searching: Make) -> None:
        """Words that stand nowhere give no lexical score to any row: a search by words alone finds none."""
        hits = searching(*several()).find("xyzzy qwertz").hits
        assert all(hit.lexical is None for hit in hits)
        assert all(hit.dense is not None for hit in hits)

    @pytest.mark.parametrize(
        ("query", "document"),
        [
            ("故乡", "poem"),
            ("乡", "poem"),
            ("서울", "trip"),
            ("caf\u00e9", "menu"),
            ("cafe\u0301", "menu"),
            ("CAFE\u0301", "menu"),
            ("gäste", "menu"),
            ("\uff22\uff2f\uff2c\uff34\uff33", "bolts"),
            ("p-101/b", "torque"),
            ("45", "torque"),
        ],
    )
    def test_words_match_in_every_script_and_form(self, searching: Make, query: str, document: str) -> None:
        """CJK without spaces, composed and decomposed accents, full width, codes and numbers."""
        made = searching(*several())
        matching = {hit.source.document for hit in made.find(query).hits if hit.lexical is not None}
        assert document in matching or not has_leg(made, "lexical")

    def test_both_forms_of_an_accent_are_one_query(self, searching: Make) -> None:
        """Lexical scores are equal, to the last bit, however the accent is written."""
        made = searching(*several())
        forms = [unicodedata.normalize(form, "müde Gäste im Café") for form in ("NFC", "NFD")]
        one, other = ({hit.passage.id: hit.lexical for hit in made.find(query).hits} for query in forms)
        assert one == other

    def test_the_same_search_gives_the_same_reply(self, searching: Make) -> None:
        """Twice, and over rows that arrived in another order."""
        made, turned = searching(*several()), searching(*reversed(several()))
        for query in QUERIES:
            first = made.find(query)
            assert first == made.find(query)
            assert told(first) == told(turned.find(query))

    def test_a_text_repeated_by_another_revision_takes_one_place(self, searching: Make) -> None:
        """Of equal texts of one document one is found, and the next row moves up."""
        made = searching(
            new("a", "1", "The bolt is tight."), new("a", "2", "The bolt is tight."), new("b", "1", "A bolt."), new("c")
        )
        hits = made.find("bolt", 2).hits
        assert ["a", "b"] == sorted(hit.source.document for hit in hits)

    def test_nothing_stored_is_nothing_found(self, searching: Make) -> None:
        """An empty corpus is no error."""
        found = searching().find("bolt")
        assert ((), (), 0, 0) == (found.hits, found.set_aside, found.readable, found.visible)

    @pytest.mark.parametrize("query", ["*", "bolt*", '"bolt', "bolt OR 1=1", "\x00bolt", "\ud800", "bolt " * 2000])
    def test_any_text_is_a_query(self, searching: Make, query: str) -> None:
        """Operators of other engines, control characters, half a surrogate and a very long text are only text."""
        made = searching(*several())
        assert len(made.find(query, EVERYTHING).hits) <= made.find("bolt").visible
        assert documents_of(made.find("bolt", 1)) == documents_of(made.find("bolt", 1))

    def test_hits_bring_what_they_were_stored_with(self, searching: Make) -> None:
        """Passage and revision of a hit are those of the corpus, whole."""
        made = searching(*several())
        rows = {row.passage.id: row for row in read(made.corpus, STAFF).rows}
        hits = made.find("bolt").hits
        assert [(rows[id].passage, rows[id].source) for id in passages_of(made.find("bolt"))] == [
            (hit.passage, hit.source) for hit in hits
        ]

    def test_its_name_tells_method_and_stays(self, searching: Make) -> None:
        """Traces name the retriever: equal ones are called the same."""
        assert searching().retriever.name.strip()
        assert searching().retriever.name == searching().retriever.name
