import pytest

from remit.errors import Cancelled, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply, Usage
from remit.llm.ledger import Call, Price, total_price
from remit.llm.metered import Metered, estimate, metered, price_of
from remit.llm.retry import Retrying
from remit.llm.scripted import ScriptedChat

HELLO = (Message("user", "hello there"),)
PRICE = Price(prompt=2.0, reply=10.0)
COUNTED = Reply("yes", Usage(100, 20))


def ask(turns, price=None, calls=None):
    """Return the entries that one call of a metered model leaves, whatever comes of it."""
    patience = Patience(clock=lambda: 5.0, calls=calls)
    model = Retrying(Metered(ScriptedChat(turns), price), sleep=lambda seconds: None)
    try:
        model.reply(HELLO, max_tokens=8, temperature=0.0, patience=patience)
    except (ProviderFailed, Cancelled):
        return tuple(patience.tally)
    return tuple(patience.tally)


def test_a_call_is_put_down_as_the_provider_counted_it():
    """Tokens, model and price, by the prices that were given."""
    entry = Call("scripted/1", "replied", 100, 20, tokens=120, seconds=0.0, price=0.0004)
    assert (entry,) == ask([COUNTED], PRICE)


def test_an_unknown_price_stays_unknown():
    """No price was given: None, not 0; and the same where the provider did not count."""
    assert [None] == [call.price for call in ask([COUNTED])]
    (call,) = ask([Reply("yes", Usage(None, 20))], PRICE)
    assert (None, True, estimate(HELLO) + 20) == (call.price, call.estimated, call.tokens)


def test_a_failed_call_is_charged_from_above():
    """Nobody knows what a broken call took: the prompt and the longest reply are charged."""
    (call,) = ask([ProviderFailed("down")], PRICE)
    assert ("failed", None, None, estimate(HELLO) + 8, None) == (
        call.ended,
        call.prompt_tokens,
        call.reply_tokens,
        call.tokens,
        call.price,
    )


def test_every_try_is_a_call():
    """Two busy answers and a reply are three entries; only the reply costs."""
    calls = ask([ProviderBusy("busy"), ProviderBusy("busy"), COUNTED], PRICE)
    assert [("busy", 0), ("busy", 0), ("replied", 120)] == [(call.ended, call.tokens) for call in calls]
    assert pytest.approx(0.0004) == total_price(calls)


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_no_more_tries_than_calls_are_allowed(calls):
    """Exact at 0, 1 and n."""
    assert calls == len(ask([ProviderBusy("busy")] * 5, calls=calls))


def test_a_cancel_before_the_call_leaves_no_entry():
    """What was not asked is on no bill; what was cut off half-way is."""
    patience = Patience()
    patience.stop.set()
    with pytest.raises(Cancelled):
        Metered(ScriptedChat([COUNTED])).reply(HELLO, max_tokens=8, temperature=0.0, patience=patience)
    assert 0 == len(patience.tally)
    (call,) = ask([Cancelled("gone")])
    assert "cancelled" == call.ended


def test_a_metered_model_is_not_metered_twice():
    """Whatever is put round it, each call is one entry, and the price goes along."""
    model = Metered(ScriptedChat(), PRICE)
    assert metered(model) is model
    assert PRICE == price_of(Retrying(model))
    assert None is price_of(ScriptedChat())


def test_one_tally_for_a_question_and_its_parts():
    """A shorter patience writes on the same bill."""
    patience = Patience(deadline=100.0, clock=lambda: 0.0)
    model = Metered(ScriptedChat([COUNTED] * 2))
    for given in (patience, patience.keeping(3.0, calls=1).within("scope", "snapshot")):
        model.reply(HELLO, max_tokens=8, temperature=0.0, patience=given)
    assert 2 == len(patience.tally)
    assert 1 == len(patience.tally.since(1))
