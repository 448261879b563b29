"""Threads, waiting rooms, rates and sessions of the service."""

import asyncio
import threading

import pytest

from remit.errors import Cancelled, ProviderBusy
from remit.llm.bounded import Bounded
from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply, Usage
from remit.serve.service.pool import Overloaded, Pool
from remit.serve.service.rate import Rate
from remit.serve.web.marked import pieces
from remit.serve.web.session import Sessions


def test_what_does_not_fit_is_refused_at_once():
    """One runs, one waits, the next is told to come later; when all is done there is room again."""
    pool, go = Pool("t", threads=1, waiting=1), threading.Event()
    first, second = pool.submit(go.wait), pool.submit(lambda: 2)
    with pytest.raises(Overloaded):
        pool.submit(lambda: 3)
    assert 2 == pool.inside
    go.set()
    assert (True, 2) == (first.result(5), second.result(5))
    assert 4 == asyncio.run(pool.run(lambda: 4))
    pool.shut()
    with pytest.raises(ProviderBusy, match="stopping"):
        pool.submit(lambda: 5)
    assert 0 == pool.inside


def test_a_caller_may_send_so_many_a_minute():
    """A bucket of 60 a minute lets 60 through, then one a second, and each caller has their own."""
    now = [0.0]
    rate = Rate(60, clock=lambda: now[0])
    assert [0.0] * 60 == [rate.wait("ann") for _ in range(60)]
    assert 0 < rate.wait("ann") <= 1
    assert 0.0 == rate.wait("ben")
    now[0] = 1.0
    assert 0.0 == rate.wait("ann")
    assert rate.wait("ann") > 0
    assert 0.0 == Rate(0, clock=lambda: 0.0).wait("ann")


def test_a_session_runs_out():
    """A session that is not used for half a day is gone, and so is one that was closed."""
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])
    id, other = sessions.open("token"), sessions.open("token")
    now[0] = 11 * 3600.0
    assert "token" == sessions.get(id).token
    now[0] = 13 * 3600.0
    assert sessions.get(id) is not None
    assert sessions.get(other) is None
    sessions.close(id)
    assert sessions.get(id) is None
    assert sessions.get(None) is None


class Slow:
    """A model that says how many calls run at once."""

    name = "slow"

    def __init__(self):
        self.running, self.most, self.go, self.lock = 0, 0, threading.Event(), threading.Lock()

    def wanting(self, wanted):
        return self

    def reply(self, messages, *, max_tokens, temperature, patience):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.go.wait(5)
        with self.lock:
            self.running -= 1
        return Reply("ok", Usage(1, 1))


def test_only_so_many_calls_of_a_model_run():
    """Of six calls two run; one whose asker goes away while it waits makes no call and holds up nobody."""
    slow = Slow()
    bounded = Bounded(slow, 2)
    ask = (Message("user", "hello"),)

    def call():
        return bounded.reply(ask, max_tokens=1, temperature=0, patience=Patience())

    threads = [threading.Thread(target=call) for _ in range(5)]
    for thread in threads:
        thread.start()
    gone = Patience()
    gone.stop.set()
    with pytest.raises(Cancelled):
        bounded.reply(ask, max_tokens=1, temperature=0, patience=gone)
    with pytest.raises(Cancelled, match="deadline"):
        bounded.reply(ask, max_tokens=1, temperature=0, patience=Patience(deadline=Patience().clock() + 0.2))
    slow.go.set()
    for thread in threads:
        thread.join(5)
    assert (2, 0) == (slow.most, slow.running)


def test_marked_pieces_are_the_text():
    """Whatever spans are marked, the pieces together are the text, and only what lies in a span is marked."""
    text = "one two three"
    for spans in ([], [(0, 3)], [(4, 7), (2, 5)], [(-5, 2), (9, 99)], [(5, 5)], [(7, 4)], [(0, 13)], [(20, 30)]):
        found = pieces(text, spans)
        assert text == "".join(piece.text for piece in found)
        marked = {at for start, end in spans for at in range(max(0, start), min(13, end))}
        flags = [piece.marked for piece in found for _ in piece.text]
        assert marked == {at for at, flag in enumerate(flags) if flag}
