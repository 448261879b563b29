import pytest

from remit.errors import Cancelled, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Message
from remit.llm.retry import AskedToWait, Retrying
from remit.llm.scripted import ScriptedChat

HELLO = (Message("user", "hello"),)


class Clock:
    def __init__(self):
        self.now = 100.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def ask(turns, *, seconds=None, tries=3):
    """Return what was said or the type raised, the waits, and the model."""
    clock, chat = Clock(), ScriptedChat(turns)
    patience = Patience(deadline=None if seconds is None else clock.now + seconds, clock=clock)
    retrying = Retrying(chat, tries=tries, sleep=clock.sleep)
    try:
        return retrying.reply(HELLO, max_tokens=4, temperature=0.0, patience=patience).text, clock.slept, chat
    except (ProviderFailed, Cancelled) as error:
        return type(error), clock.slept, chat


def test_busy_is_tried_again_with_growing_waits():
    """A busy provider is asked again, waiting twice as long each time."""
    said, slept, chat = ask([ProviderBusy("busy"), ProviderBusy("busy"), "here"])
    assert ("here", [0.5, 1.0], 3) == (said, slept, len(chat.asked))


def test_a_named_wait_is_kept():
    """Where the provider says how long, that is how long."""
    assert ("here", [7.0]) == ask([AskedToWait("busy", 7.0), "here"], seconds=30)[:2]


def test_a_wait_beyond_the_deadline_is_not_begun():
    """With too little time left the provider's error goes up at once, without a wait."""
    said, slept, chat = ask([AskedToWait("busy", 60.0), "never"], seconds=30)
    assert (AskedToWait, []) == (said, slept)
    assert 1 == len(chat.asked)


@pytest.mark.parametrize("tries", [1, 2, 3])
def test_no_more_calls_than_tries(tries):
    """A provider that stays busy is asked exactly so many times."""
    said, slept, chat = ask([ProviderBusy("busy")] * 5, tries=tries)
    assert (ProviderBusy, tries, tries - 1) == (said, len(chat.asked), len(slept))


def test_other_failures_are_not_tried_again():
    """What a later try would not mend goes up at once."""
    said, _, chat = ask([ProviderFailed("wrong key"), "never"])
    assert (ProviderFailed, 1) == (said, len(chat.asked))


def test_no_call_after_a_cancel_between_tries():
    """An asker who goes away during the wait is not asked for again."""
    chat, patience = ScriptedChat([ProviderBusy("busy"), "never"]), Patience()
    retrying = Retrying(chat, sleep=lambda seconds: patience.stop.set())
    with pytest.raises(Cancelled):
        retrying.reply(HELLO, max_tokens=4, temperature=0.0, patience=patience)
    assert 1 == len(chat.asked)


def test_no_try_at_all_is_a_mistake():
    """A model that may not be asked even once is refused where it is made."""
    with pytest.raises(ValueError, match="at least 1"):
        Retrying(ScriptedChat(), tries=0)
