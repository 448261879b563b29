import multiprocessing
import os
import signal
import time

import pytest
from trying import PROVENANCE, Asked, Making, dying, waiting

from remit.errors import InvalidInput, MissingPrerequisite
from remit.train import shards
from remit.train.collect import collect
from remit.train.rollout_log import RolloutLog, read_rollouts
from remit.train.shards import Where

QUESTIONS = [Asked(f"q{number}") for number in range(6)]


def run(log, paid, *, dies_after=None, questions=QUESTIONS, provenance=PROVENANCE, **where):
    """Collect, and return what there is."""
    with RolloutLog(log) as open_log:
        return collect(
            Making(paid, dies_after), questions, open_log, provenance=provenance, samples=4, where=Where(**where)
        )


def paid_for(paid):
    """Return what was scored."""
    return paid.read_text().splitlines() if paid.exists() else []


def alive(pid):
    """Say whether a process is running."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def places(tmp_path):
    """Return where the log is, and what was paid."""
    return tmp_path / "rollouts.jsonl", tmp_path / "paid.txt"


def test_every_try_is_logged_with_its_provenance_and_equal_ones_are_scored_once(places):
    """Four tries a question, of which two are equal: four lines and three scores, each line with where it is from."""
    log, paid = places
    done = run(log, paid)
    assert [(q.id, n) for q in QUESTIONS for n in range(4)] == [(row.question, row.sample) for row in done.rollouts]
    assert 18 == done.scored == len(paid_for(paid))
    assert {PROVENANCE} == {row.provenance for row in read_rollouts(log)}
    assert {"no answer to score"} == {row.unmeasured for row in done.rollouts if row.reward is None}


def test_again_pays_for_nothing(places):
    """The same collection again scores nothing and gives the same rollouts."""
    log, paid = places
    first = run(log, paid)
    bytes_before = log.read_bytes()
    again = run(log, paid)
    assert (0, first.rollouts) == (again.scored, again.rollouts)
    assert bytes_before == log.read_bytes()


@pytest.mark.parametrize("after", [1, 2, 3, 7, 11, 17])
def test_a_kill_costs_at_most_what_was_being_scored(places, after):
    """Killed while it scores, a collection goes on: what was logged is not paid for again, and the end is the same."""
    log, paid = places
    process = multiprocessing.get_context("spawn").Process(target=dying, args=(str(log), str(paid), after))
    process.start()
    process.join()
    assert 9 == process.exitcode
    run(log, paid)
    lines = paid_for(paid)
    assert 1 >= len(lines) - len(set(lines))
    whole = run(log.with_name("other.jsonl"), paid.with_name("other.txt"))
    assert list(whole.rollouts) == list(run(log, paid).rollouts)


def test_a_torn_last_line_is_tried_again(places):
    """A line that a kill cut short is dropped, wherever it was cut, and only that try is scored again."""
    log, paid = places
    run(log, paid)
    whole = log.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in (1, len(lines[-1]) // 2, len(lines[-1]) - 1):
        log.write_bytes(b"".join(lines[:-1]) + lines[-1][:cut])
        assert 0 == run(log, paid).scored, "the last try of a question equals its first, which is scored"
        assert whole == log.read_bytes()


def test_processes_give_the_same(places):
    """Two processes log the same rollouts as one."""
    log, paid = places
    here = run(log, paid)
    there = run(log.with_name("there.jsonl"), paid.with_name("there.txt"), kind="processes", workers=2)
    assert list(here.rollouts) == list(there.rollouts)


def test_processes_end_with_who_started_them(tmp_path):
    """A training that is killed leaves no process behind that goes on scoring for nobody."""
    started = multiprocessing.get_context("spawn").Process(target=waiting, args=(str(tmp_path),))
    started.start()
    until = time.monotonic() + 60
    while time.monotonic() < until and len(list(tmp_path.iterdir())) < 2:
        time.sleep(0.05)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    os.kill(started.pid, signal.SIGKILL)
    started.join()
    while time.monotonic() < until and any(map(alive, workers)):
        time.sleep(0.1)
    assert 2 == len(workers)
    assert [] == [pid for pid in workers if alive(pid)]


def test_a_later_round_does_not_pay_for_what_an_earlier_one_scored(places):
    """Another policy that proposes the same trajectories is scored from the log, under a provenance of its own."""
    log, paid = places
    run(log, paid)
    later = PROVENANCE.model_copy(update={"policy": "p2", "round": 1})
    done = run(log, paid, provenance=later)
    assert (0, 18) == (done.scored, len(paid_for(paid)))
    assert {later} == {row.provenance for row in done.rollouts}
    other = PROVENANCE.model_copy(update={"reward": "em"})
    assert 18 == run(log, paid, provenance=other).scored


def test_two_writers_are_told_apart(places):
    """A log that is being written is not opened by a second writer."""
    log, _ = places
    with RolloutLog(log), pytest.raises(InvalidInput, match="another process writes"):
        RolloutLog(log)


def test_a_foreign_line_is_named(places):
    """A line that is no rollout is told with its file, line and field; nothing of the log is lost."""
    log, paid = places
    run(log, paid)
    lines = log.read_bytes().splitlines(keepends=True)
    broken = b"".join([lines[0], b'{"kind": "rollout", "question": "q"}\n', *lines[1:]])
    log.write_bytes(broken)
    with pytest.raises(InvalidInput) as told:
        run(log, paid)
    assert (2, "group") == (told.value.faults[0].line, told.value.faults[0].field)
    assert broken == log.read_bytes()


def test_a_cluster_without_ray_is_told(places, monkeypatch):
    """Where Ray is not installed, the error names the extra."""
    monkeypatch.setattr(shards, "find_spec", lambda _: None)
    with pytest.raises(MissingPrerequisite, match=r"remit\[cluster\]"):
        run(*places, kind="ray", workers=2)
