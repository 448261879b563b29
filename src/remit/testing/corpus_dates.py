"""What a corpus promises about revisions: each date has its own answer, whatever came first and whoever may read it."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import permutations
from typing import Any

import pytest

from remit.corpus.store import WritableCorpus
from remit.testing.build import TODAY, amended, fill, ids, new, read, reasons, scope_of

STAFF = scope_of("staff")
CHANGE = date(2026, 7, 1)
EVE = CHANGE - timedelta(days=1)


class CorpusDates:
    """As-of reads, superseding and the reasons why a revision does not hold."""

    def test_each_date_has_its_own_revision(self, corpus: WritableCorpus) -> None:
        """Ten days until the eve, twenty from the day on."""
        fill(
            corpus,
            new("A", "1", "Ten days.", valid_from=date(2026, 1, 1), valid_to=CHANGE),
            new("A", "2", "Twenty days.", valid_from=CHANGE),
        )
        seen = {day: read(corpus, STAFF, at=day) for day in (EVE, CHANGE)}
        assert {EVE: ["A@1#0"], CHANGE: ["A@2#0"]} == {day: ids(one.rows) for day, one in seen.items()}
        assert {EVE: {"A@2": "future"}, CHANGE: {"A@1": "expired"}} == {day: reasons(one) for day, one in seen.items()}

    def test_superseding_closes_the_old_one_from_its_day_on(self, corpus: WritableCorpus) -> None:
        """The old one holds until the new one starts, and is shown with the date that closes it."""
        fill(corpus, new("A", "1"), new("A", "2", valid_from=CHANGE, supersedes=("A@1",)))
        assert ["A@1#0"] == ids(read(corpus, STAFF, at=EVE).rows)
        after = read(corpus, STAFF, at=CHANGE)
        assert ["A@2#0"] == ids(after.rows)
        assert {"A@1": "superseded"} == reasons(after)
        (old,) = (row.source for row, _ in after.set_aside)
        assert ("superseded", CHANGE) == (old.status, old.valid_to)

    def test_superseding_works_across_labels(self, corpus: WritableCorpus) -> None:
        """What replaces a revision closes it for those who may not read the replacement too."""
        fill(corpus, new("A", "1"), new("A", "2", labels=["board"], valid_from=CHANGE, supersedes=("A@1",)))
        seen = read(corpus, STAFF)
        assert () == seen.rows
        assert {"A@1": "superseded"} == reasons(seen)

    def test_superseding_works_across_documents(self, corpus: WritableCorpus) -> None:
        """A notice closes what it names and nothing beside it."""
        fill(corpus, new("A"), new("B"), new("N", valid_from=CHANGE, supersedes=("A@1",)))
        assert ["B@1#0", "N@1#0"] == sorted(ids(read(corpus, STAFF).rows))

    def test_yesterdays_labels_govern_yesterdays_revision(self, corpus: WritableCorpus) -> None:
        """An as-of question is answered under the labels of the revision that held then."""
        fill(corpus, new("A", "1", labels=["board"]), new("A", "2", valid_from=CHANGE, supersedes=("A@1",)))
        assert () == read(corpus, STAFF, at=EVE).rows
        assert ["A@1#0"] == ids(read(corpus, scope_of("board"), at=EVE).rows)

    def test_amended_labels_govern_as_of_reads(self, corpus: WritableCorpus) -> None:
        """Labels taken away later close the past as well."""
        first = new("A", "1")
        fill(corpus, first, new("A", "2", valid_from=CHANGE, supersedes=("A@1",)), amended(first, labels=["board"]))
        assert () == read(corpus, STAFF, at=EVE).rows

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"status": "draft"}, "draft"),
            ({"status": "withdrawn"}, "withdrawn"),
            ({"status": "superseded"}, "superseded"),
            ({"valid_from": TODAY + timedelta(days=1)}, "future"),
            ({"valid_to": TODAY}, "expired"),
        ],
    )
    def test_what_does_not_hold_is_set_aside(self, corpus: WritableCorpus, fields: dict[str, Any], reason: str) -> None:
        """It is not among the rows, and why is told."""
        fill(corpus, new("A", **fields), new("B"))
        seen = read(corpus, STAFF)
        assert ["B@1#0"] == ids(seen.rows)
        assert {"A@1": reason} == reasons(seen)

    def test_undated_revisions_are_not_dropped(self, corpus: WritableCorpus) -> None:
        """What says nothing of its validity reaches the validity reading."""
        fill(corpus, new("A", "1", status=None), new("A", "2"))
        assert ["A@1#0", "A@2#0"] == sorted(ids(read(corpus, STAFF).rows))

    def test_a_draft_closes_nothing(self, corpus: WritableCorpus) -> None:
        """Only what is issued replaces what is in force."""
        fill(corpus, new("A", "1"), new("A", "2", status="draft", supersedes=("A@1",)))
        assert ["A@1#0"] == ids(read(corpus, STAFF).rows)

    def test_a_withdrawn_revision_still_closes(self, corpus: WritableCorpus) -> None:
        """Obsolete text never comes back by itself."""
        second = new("A", "2", supersedes=("A@1",))
        fill(corpus, new("A", "1"), second, amended(second, status="withdrawn"))
        assert () == read(corpus, STAFF).rows
        assert {"A@1": "superseded", "A@2": "withdrawn"} == reasons(read(corpus, STAFF))

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_the_order_of_arrival_does_not_matter(self, corpus: WritableCorpus, order: tuple[int, ...]) -> None:
        """Three revisions that replace each other stand the same in every order."""
        months = [date(2026, month, 1) for month in (2, 5, 8)]
        chain = [
            new("A", str(n), valid_from=day, supersedes=(f"A@{n - 1}",) if n else ()) for n, day in enumerate(months)
        ]
        fill(corpus, *(chain[at] for at in order))
        assert [["A@0#0"], ["A@1#0"], ["A@2#0"]] == [ids(read(corpus, STAFF, at=day).rows) for day in months]

    @pytest.mark.parametrize("named", ["1", "A@1"])
    def test_a_named_revision_is_read_whatever_its_dates(self, corpus: WritableCorpus, named: str) -> None:
        """By its own name or with its document's; the others are set aside."""
        fill(corpus, new("A", "1"), new("A", "2", supersedes=("A@1",)), new("A", "3", status="draft"))
        seen = read(corpus, STAFF, named=named)
        assert ["A@1#0"] == ids(seen.rows)
        assert {"A@2": "other revision", "A@3": "draft"} == reasons(seen)

    def test_a_name_opens_no_draft_and_no_scope(self, corpus: WritableCorpus) -> None:
        """Knowing what a revision is called gives no right to it."""
        fill(corpus, new("A", "1", status="draft"), new("B", "1", status="withdrawn"), new("C", "1", labels=["board"]))
        assert () == read(corpus, STAFF, named="1").rows

    def test_revisions_come_in_the_order_of_their_validity(self, corpus: WritableCorpus) -> None:
        """The history of a document is its dates, not its arrival; what was replaced ends where the next begins."""
        fill(
            corpus,
            new("A", "late", valid_from=CHANGE, supersedes=("A@early",)),
            new("A", "early", valid_from=date(2026, 1, 1)),
        )
        found = corpus.revisions("A", STAFF, snapshot=corpus.snapshot())
        assert [("early", CHANGE), ("late", None)] == [(one.revision, one.valid_to) for one in found]
