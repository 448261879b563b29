"""Replies shared between systems cost each of them what they cost."""

import pytest

from remit.errors import ProviderFailed
from remit.evaluate.replies import SharedReplies
from remit.llm.cache import KeptReplies
from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply, Usage
from remit.llm.ledger import Price
from remit.llm.metered import Metered
from remit.llm.scripted import ScriptedChat

ASKED = (Message("user", "who"),)


def shared(tmp_path, turns, price=None):
    """Return a shared model over a script, and the script."""
    chat = ScriptedChat(turns)
    return SharedReplies(Metered(chat, price), KeptReplies(tmp_path / "replies.db")), chat


def ask(model, patience, text="who"):
    """Put one question."""
    return model.reply((Message("user", text),), max_tokens=8, temperature=0.0, patience=patience)


def test_a_second_asker_is_charged_the_same_for_the_same_reply(tmp_path):
    """The model is asked once; both ledgers hold the same call: tokens, price and seconds."""
    model, chat = shared(tmp_path, [Reply("Ada", Usage(100, 5))], Price(1.0, 2.0))
    first, second = Patience(), Patience()
    assert ask(model, first) == ask(model, second)
    assert 1 == len(chat.asked)
    assert list(first.tally) == list(second.tally)
    assert (1, 105, 110 / 1_000_000) == (
        second.tally.since(0)[0].count,
        *(getattr(second.tally.since(0)[0], name) for name in ("tokens", "price")),
    )


def test_replies_outlive_the_process(tmp_path):
    """A resumed run asks for nothing that was answered before."""
    ask(shared(tmp_path, ["Ada"])[0], Patience())
    again, chat = shared(tmp_path, [])
    assert "Ada" == ask(again, Patience()).text
    assert (0, 0.0) == (len(chat.asked), again.waited)


def test_another_scope_shares_nothing(tmp_path):
    """What was said under one asker's scope is not handed to another's."""
    model, chat = shared(tmp_path, ["Ada", "Ole"])
    one = ask(model, Patience().within("scope-1", "s")).text
    assert ("Ada", "Ole") == (one, ask(model, Patience().within("scope-2", "s")).text)
    assert 2 == len(chat.asked)


def test_a_failure_is_not_kept(tmp_path):
    """A provider that failed is asked again the next time."""
    model, _ = shared(tmp_path, [ProviderFailed("broke"), "Ada"])
    with pytest.raises(ProviderFailed):
        ask(model, Patience())
    assert "Ada" == ask(model, Patience()).text
