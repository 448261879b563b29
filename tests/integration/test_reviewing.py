"""Many reviewers at once, in threads and processes, on one journal."""

import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from remit.access.principal import Principal
from remit.decide.decision import Action, Decision
from remit.record.journal import Journal
from remit.record.review import Answer, Authority, Decline, Quoted, Taken, claim, give
from remit.record.reviewing import ReviewBook
from remit.serve.identity.caller import Caller
from remit.serve.service.reviews import Reviews
from remit.serve.service.settings import ReviewSettings

pytestmark = pytest.mark.integration

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
UNTIL = NOW + timedelta(minutes=15)
ITEMS = 12
SAYS = Answer(text="12 months", citations=(Quoted(document="D", revision="1", start=0, end=3, quote="abc"),))


@pytest.fixture
def journal(tmp_path):
    """A journal with items that wait for review."""
    path = tmp_path / "journal.db"
    made = Journal(path)
    decision = Decision(action=Action.REVIEW, reason="sources_contradict", rule=3, queue="review_items", point="p")
    for number in range(ITEMS):
        made.open(f"t{number}", asker="asker", question="Which?", at=NOW)
        made.close(f"t{number}", entries=(), decision=decision, at=NOW)
    yield made
    made.shut()


def work(path, by, reviewers):
    """Take and judge every item that can be had; return what was judged."""
    book, done = ReviewBook(Path(path)), []
    for number in range(1, ITEMS + 1):
        try:
            state = book.add(
                number,
                NOW,
                lambda state: [claim(state, by, asker="asker", reviewers=reviewers, at=NOW, until=UNTIL)],
            )
            lease, authority = state.version, Authority(by=by, source="test")
            verdict = SAYS if sum(map(ord, by)) % 2 else Decline(why="no")
            book.add(
                number,
                NOW,
                lambda state: give(state, lease, verdict, authority, reviewers=reviewers, at=NOW),  # noqa: B023 - called at once
            )
        except Taken:
            continue
        done.append(number)
    return done


@pytest.mark.parametrize("reviewers", [1, 2])
def test_no_item_is_judged_by_more_than_it_takes(journal, reviewers):
    """Eight reviewers in threads: each item gets its number of verdicts, one of each person, and no event is lost or doubled."""
    people = [f"p{number}" for number in range(8)]
    with ThreadPoolExecutor(len(people)) as pool:
        done = dict(zip(people, pool.map(lambda by: work(journal.path, by, reviewers), people), strict=True))
    sound(journal, done, reviewers)


def test_a_lease_that_runs_out_while_its_verdict_waits_counts_no_more(journal):
    """A verdict that has to wait for another writer is given when its turn comes, and under a lease that holds then."""
    clock = [NOW]
    waiting = SimpleNamespace(asker="asker", handled=None)
    remit = SimpleNamespace(store=journal.path.parent, journal=journal, now=lambda: clock[0], scope=lambda who: None)
    remit.queues = SimpleNamespace(get=lambda number, scope: waiting)
    reviews = Reviews(remit, ReviewSettings(), None)
    ann = Caller(principal=Principal(id="ann"), roles=frozenset({"review"}), source="key a")
    lease = reviews.claim(ann, 1).version
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN IMMEDIATE")
        given = pool.submit(reviews.give, ann, 1, lease, Decline(why="no"))
        time.sleep(0.3)
        clock[0] = UNTIL + timedelta(minutes=1)
        other.execute("ROLLBACK")
        with pytest.raises(Taken, match="run out"):
            given.result(30)
    lease = reviews.claim(ann, 1).version
    assert "declined" == reviews.give(ann, 1, lease, Decline(why="no")).stand


def test_processes_take_turns_too(journal):
    """Reviewers in four processes act on one item each at a time: versions follow each other without a gap."""
    here = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_reviewing as t"
    code = here + "; print(*t.work(sys.argv[1], sys.argv[2], 1))"
    people = [f"q{number}" for number in range(4)]
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(journal.path), by], stdout=subprocess.PIPE, text=True)
        for by in people
    ]
    done = {by: list(map(int, one.communicate()[0].split())) for by, one in zip(people, running, strict=True)}
    assert [0] * len(people) == [one.returncode for one in running]
    sound(journal, done, 1)


def sound(journal, done, reviewers):
    """Check what is on disk against what each reviewer was told."""
    book = ReviewBook(journal.path)
    for number in range(1, ITEMS + 1):
        events, state = book.events(number), book.state(number)
        assert list(range(1, len(events) + 1)) == [event.version for event in events]
        judges = [given.authority.by for _, given in state.verdicts]
        assert len(judges) == len(set(judges))
        by_claim = {by for by, numbers in done.items() if number in numbers}
        assert by_claim == set(judges)
        if not state.terminal:
            assert state.stand in {"open", "disputed"}
        assert len(judges) <= reviewers + 1
        assert (state.terminal) == (journal.item(number).handled is not None)
    assert any(book.state(number).terminal for number in range(1, ITEMS + 1))


def test_what_was_written_is_never_changed(journal):
    """The journal refuses to change or delete an event, whoever asks."""
    work(journal.path, "ann", 1)
    with sqlite3.connect(journal.path) as connection:
        for statement in ("DELETE FROM review_event", "UPDATE review_event SET what = '{}'"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
    connection.close()
