"""What a search promises about permission, validity and filters."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from remit.access.scope import Filters, Scope
from remit.corpus.store import NewRevision
from remit.errors import NothingThere
from remit.testing.build import EMBED, NOW, amended, new, scope_of
from remit.testing.corpus_scope import NOTHING
from remit.testing.searching import EVERYTHING, Make, documents_of, passages_of, several, told

QUERIES = ("bolt torque of P-101/B", "annual leave", "故乡", "gearbox", "")
CHANGE = date(2026, 7, 1)
ASKED: dict[str, dict[str, Any]] = {
    "a revision by name": {"named": "1"},
    "a past date": {"at": date(2025, 6, 1)},
    "an older state": {},
    "a collection": {"filters": Filters(collections=("books",))},
    "a document": {"filters": Filters(documents=("secret0", "torque"))},
    "a section": {"filters": Filters(section=())},
    "what is current": {"filters": Filters(current_only=True)},
}
"""Ways of asking, each of which an engine may serve by another path."""


def _hidden() -> tuple[NewRevision, ...]:
    """Return what the board alone may read, full of the words that staff will ask for, valid or not."""
    words = "The secret bolt torque of P-101/B, annual leave and 故乡: gearbox, gearbox."
    return (
        *(new(f"secret{n}", "1", *[f"{words} {n}.{line}" for line in range(3)], labels=["board"]) for n in range(3)),
        new("secret-old", "1", words, labels=["board"], status="withdrawn"),
        new("secret-nobody", "1", words, labels=[]),
    )


class RetrieverScope:
    """Hidden rows are neither found nor felt; filters take away and never add."""

    @pytest.mark.parametrize("query", QUERIES)
    def test_nothing_outside_the_scope_is_found_or_felt(self, searching: Make, query: str) -> None:
        """Hits, scores, what is set aside and every count are those of a corpus without the hidden rows, bit for bit."""
        one, two, three, *rest = several()
        mine = (one, two, three, new("old", "1", "The old bolt torque of P-101/B.", status="withdrawn"), *rest)
        alone = searching(*mine)
        first, *others = _hidden()
        among = searching(first, *mine, *others)
        for k in (1, 3, EVERYTHING):
            assert told(alone.find(query, k)) == told(among.find(query, k))

    @pytest.mark.parametrize("asked", ASKED, ids=ASKED)
    def test_no_way_of_asking_opens_more(self, searching: Make, asked: str) -> None:
        """A revision by name, a past date, an older state, any filter: each finds and counts what it would without the hidden."""
        alone, among = searching(*several()), searching(*several())
        first = {id(made): made.corpus.snapshot() for made in (alone, among)}
        for put in _hidden():
            among.corpus.put(put, now=NOW)
        for made in (alone, among):
            made.corpus.put(new("later", "1", "A later bolt torque for staff."), now=NOW)
        for query in QUERIES:
            ways = [
                dict(ASKED[asked], **({"snapshot": first[id(made)]} if asked == "an older state" else {}))
                for made in (alone, among)
            ]
            assert told(alone.find(query, **ways[0])) == told(among.find(query, **ways[1]))

    def test_what_one_asker_found_is_not_found_by_another(self, searching: Make) -> None:
        """Whoever may read less finds and counts their own, right behind somebody who may read more."""
        alone, among = searching(*several()), searching(*several(), *_hidden())
        for query in QUERIES:
            assert documents_of(among.find(query, scope=scope_of("staff", "board")))
            assert told(alone.find(query)) == told(among.find(query))

    @pytest.mark.parametrize("scope", NOTHING.values(), ids=NOTHING)
    def test_what_grants_nothing_finds_nothing(self, searching: Make, scope: Scope) -> None:
        """No hit, nothing set aside, and counts of 0."""
        found = searching(*several(), new("old", status="withdrawn"), new("board", labels=["board"]))
        seen = found.find("bolt", scope=scope)
        assert ((), (), 0, 0) == (seen.hits, seen.set_aside, seen.readable, seen.visible)

    def test_one_label_more_never_hides(self, searching: Make) -> None:
        """Whoever holds more labels finds all that was found before."""
        made = searching(*several(), *_hidden())
        for query in QUERIES:
            few = made.find(query)
            many = made.find(query, scope=scope_of("staff", "board"))
            assert {*passages_of(few)} <= {*passages_of(many)}

    def test_labels_taken_away_close_the_next_search(self, searching: Make) -> None:
        """What was found a moment ago is not found again, and nothing kept from before shows it."""
        first, *rest = several()
        made = searching(first, *rest)
        assert "torque" in documents_of(made.find("bolt"))
        made.corpus.put(amended(first, labels=["board"]), now=NOW)
        assert "torque" not in documents_of(made.find("bolt"))
        assert "torque" in documents_of(made.find("bolt", scope=scope_of("board")))

    def test_labels_taken_away_do_not_break_a_search_under_way(self, searching: Make) -> None:
        """A search at the snapshot before finds all the others: what was closed meanwhile is left out, not an error."""
        first, *rest = several()
        made = searching(first, *rest)
        then = made.corpus.snapshot()
        made.corpus.put(amended(first, labels=["board"]), now=NOW)
        found = documents_of(made.find("bolt", snapshot=then))
        assert {put.revision.document for put in rest} == {*found} - {"torque"}

    def test_a_delete_is_seen_by_the_next_search(self, searching: Make) -> None:
        """Also by one at the snapshot that still held it."""
        made = searching(*several())
        before = made.corpus.snapshot()
        assert "torque" in documents_of(made.find("bolt"))
        made.corpus.delete("torque", now=NOW)
        for snapshot in (before, made.corpus.snapshot()):
            assert "torque" not in documents_of(made.find("bolt", snapshot=snapshot))

    def test_a_later_write_changes_no_earlier_search(self, searching: Make) -> None:
        """At an older snapshot hits and scores are what they were."""
        made = searching(*several())
        then = made.corpus.snapshot()
        before = made.find("bolt torque", snapshot=then)
        made.corpus.put(new("later", "1", "A bolt, a torque, a bolt."), now=NOW)
        assert before == made.find("bolt torque", snapshot=then)
        assert before.visible + 1 == made.find("bolt torque").visible

    def test_sentence_vectors_need_the_scope(self, searching: Make) -> None:
        """A passage in scope has one vector a sentence; one outside is not there."""
        made = searching(*several(), new("secret", labels=["board"]))
        passage = made.find("bolt").hits[0].passage
        assert (len(passage.sentences), EMBED.dimension) == made.retriever.sentence_vectors(
            passage, scope_of("staff")
        ).shape
        hidden = made.find("secret", scope=scope_of("board")).hits[0].passage
        with pytest.raises(NothingThere):
            made.retriever.sentence_vectors(hidden, scope_of("staff"))

    def test_each_date_finds_its_own_revision(self, searching: Make) -> None:
        """As of the eve the old text, from the day on the new one; the other is set aside with the reason."""
        made = searching(
            new("leave", "1", "Annual leave is 10 days."),
            new("leave", "2", "Annual leave is 20 days.", valid_from=CHANGE, supersedes=("leave@1",)),
        )
        before, after = made.find("annual leave", at=CHANGE.replace(month=6)), made.find("annual leave", at=CHANGE)
        assert (["leave@1#0"], ["leave@2#0"]) == (passages_of(before), passages_of(after))
        assert [("leave@2", "future")] == [(one.revision, one.reason) for one in before.set_aside]
        assert [("leave@1", "superseded")] == [(one.revision, one.reason) for one in after.set_aside]
        assert ["leave@1#0"] == passages_of(made.find("annual leave", named="1"))

    @pytest.mark.parametrize("query", QUERIES)
    @pytest.mark.parametrize(
        "filters",
        [
            Filters(collections=("books",)),
            Filters(collections=("books", "rules")),
            Filters(documents=("torque", "leave")),
            Filters(section=("Pump",)),
            Filters(current_only=True),
            Filters(collections=("books",), documents=("leave",)),
        ],
    )
    def test_filters_only_narrow(self, searching: Make, filters: Filters, query: str) -> None:
        """A filtered search gives a part of the whole one, in the same order and with the same scores."""
        made = searching(*several(), *_hidden())
        whole, some = made.find(query), made.find(query, filters=filters)
        assert [hit for hit in whole.hits if hit in some.hits] == [*some.hits]
        assert len(some.hits) == some.visible

    @pytest.mark.parametrize(
        "filters",
        [
            Filters(collections=()),
            Filters(documents=()),
            Filters(collections=("*",)),
            Filters(collections=("",)),
            Filters(documents=("secret0",)),
            Filters(section=("No such heading",)),
        ],
    )
    def test_a_filter_that_fits_nothing_finds_nothing(self, searching: Make, filters: Filters) -> None:
        """An empty filter is not "no filter", a wildcard is no name, and naming what is hidden does not open it."""
        found = searching(*several(), *_hidden()).find("bolt", filters=filters)
        assert ((), 0) == (found.hits, found.visible)

    @pytest.mark.parametrize("field", ["labels", "principal", "scope", "where", "collection"])
    def test_unknown_filters_are_refused(self, field: str) -> None:
        """A filter that nobody knows is an error, never ignored."""
        with pytest.raises(ValidationError):
            Filters.model_validate({field: ["board"]})
