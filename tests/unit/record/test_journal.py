"""The journal keeps what it was given, once, and refuses everything else."""

import sqlite3
from datetime import UTC, datetime

import pytest

from remit.decide.decision import Action, Decision
from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, NothingThere
from remit.record.journal import MIGRATIONS, Journal
from remit.record.trace import Entry

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ENTRIES = (
    Entry(kind="Setup", data={"remit": "0.1.0"}),
    Entry(kind="Decision", data={"missing": ["größe\nzwei", "\u2028", "🙂"], "rule": 6, "share": 0.1}),
)
ABSTAIN = Decision(
    action=Action.ABSTAIN, reason="fact_missing", rule=6, missing=("torque",), queue="corpus_gaps", point="sha256:0"
)
ANSWER = Decision(action=Action.ANSWER, reason="supported", rule=4, point="sha256:0")


@pytest.fixture
def journal(tmp_path):
    """A new journal."""
    journal = Journal(tmp_path / "journal.db")
    yield journal
    journal.shut()


def opened(journal, trace="t1"):
    """Open a trace for a question of Mara's."""
    journal.open(trace, asker="mara", question="How long?", at=NOW)


def test_a_closed_trace_reads_as_it_was_written(journal):
    """Entries come back equal and in order, with who asked what and when."""
    opened(journal)
    journal.close("t1", entries=ENTRIES, decision=ANSWER, at=NOW)
    read = journal.read("t1")
    assert ENTRIES == read.entries
    assert ("closed", "mara", "How long?", NOW.isoformat()) == (read.state, read.asker, read.question, read.closed_at)


def test_a_trace_that_was_never_closed_reads_as_unfinished(journal):
    """A killed ask leaves an opening row, and reading it says so."""
    opened(journal)
    assert ("unfinished", (), None) == (
        journal.read("t1").state,
        journal.read("t1").entries,
        journal.read("t1").closed_at,
    )
    assert 1 == journal.unfinished()


def test_an_unknown_trace_is_not_there(journal):
    """Reading what was never opened is an error with its own exit code."""
    with pytest.raises(NothingThere, match="t9"):
        journal.read("t9")


def test_a_trace_is_opened_once_and_closed_once(journal):
    """A second opening, a second closing and a closing without an opening are refused and change nothing."""
    with pytest.raises(InvalidInput, match="never opened"):
        journal.close("t1", entries=(), decision=None, at=NOW)
    opened(journal)
    with pytest.raises(InvalidInput, match="used before"):
        opened(journal)
    journal.close("t1", entries=ENTRIES, decision=ABSTAIN, at=NOW)
    with pytest.raises(InvalidInput, match="closed already"):
        journal.close("t1", entries=(), decision=ABSTAIN, at=NOW)
    assert ENTRIES == journal.read("t1").entries
    assert 1 == len(journal.waiting("corpus_gaps"))


@pytest.mark.parametrize("table", ["opened", "closed", "queued"])
@pytest.mark.parametrize("change", ["UPDATE {} SET at = ''", "DELETE FROM {}"])
def test_rows_never_change(journal, table, change):
    """The file itself refuses to change or remove what was recorded, whoever opens it."""
    opened(journal)
    journal.close("t1", entries=ENTRIES, decision=ABSTAIN, at=NOW)
    with sqlite3.connect(journal.path) as other, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(change.format(table))
    other.close()


def test_a_decision_for_a_person_waits_in_its_queue(journal):
    """The queue item carries trace, reason and what is missing; an answer leaves none."""
    for trace, decision in (("t1", ABSTAIN), ("t2", ANSWER), ("t3", ABSTAIN)):
        opened(journal, trace)
        journal.close(trace, entries=ENTRIES, decision=decision, at=NOW)
    waiting = journal.waiting("corpus_gaps")
    assert ["t1", "t3"] == [item.trace for item in waiting]
    assert ("abstain", "fact_missing", ("torque",)) == (waiting[0].action, waiting[0].reason, waiting[0].missing)
    assert () == journal.waiting("review_items")


def test_a_journal_of_a_newer_remit_is_left_alone(tmp_path):
    """An older program neither reads nor changes a newer schema; the message names the fix."""
    Journal(tmp_path / "journal.db").shut()
    with sqlite3.connect(tmp_path / "journal.db") as other:
        other.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    other.close()
    with pytest.raises(MissingPrerequisite, match="upgrade"):
        Journal(tmp_path / "journal.db")


def test_a_file_that_is_no_journal_is_reported(tmp_path):
    """Bytes that are no database are named as such."""
    (tmp_path / "journal.db").write_bytes(b"no database" * 100)
    with pytest.raises(CorpusDamaged, match=r"journal\.db"):
        Journal(tmp_path / "journal.db")


def test_reading_makes_no_journal(tmp_path):
    """Looking for a trace where nothing was ever asked creates no file."""
    with pytest.raises(NothingThere):
        Journal(tmp_path / "journal.db", make=False)
    assert [] == list(tmp_path.iterdir())


def test_a_journal_is_for_its_owner(tmp_path):
    """The file of who asked what is not readable to other users of the machine."""
    Journal(tmp_path / "journal.db").shut()
    assert 0o600 == (tmp_path / "journal.db").stat().st_mode & 0o777
