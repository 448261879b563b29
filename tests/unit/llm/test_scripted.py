import threading
import time

import numpy as np
import pytest

from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply, Usage
from remit.llm.encode import Pair
from remit.llm.scripted import HashedWords, ScriptedChat, ScriptedEncode, SharedWords, Slow, Streamed

HELLO = (Message("user", "hello there"),)


def ask(chat, patience=None):
    """Return the chat's reply to a greeting."""
    return chat.reply(HELLO, max_tokens=8, temperature=0.0, patience=patience or Patience())


def test_turns_come_in_order_and_calls_are_kept():
    """Strings, replies and functions are said in their order, and each call is kept as it came."""
    whole = Reply("three", Usage(7, 1), "length")
    chat = ScriptedChat(["one two", lambda messages: messages[-1].text.upper(), whole])
    assert [Reply("one two", Usage(2, 2)), Reply("HELLO THERE", Usage(2, 2)), whole] == [ask(chat) for _ in range(3)]
    assert [HELLO] * 3 == [call.messages for call in chat.asked]
    assert 8 == chat.asked[0].max_tokens


def test_an_exception_in_the_script_is_raised():
    """A scripted failure reaches the caller as it is."""
    with pytest.raises(ProviderFailed, match="down"):
        ask(ScriptedChat([ProviderFailed("down")]))


def test_one_call_too_many_is_a_mistake_of_the_test():
    """A script that has ended fails loudly, and not as a provider would."""
    chat = ScriptedChat(["only"])
    ask(chat)
    with pytest.raises(AssertionError, match="call 2"):
        ask(chat)


def test_a_cancelled_asker_gets_no_call():
    """After the signal nothing is asked."""
    chat, patience = ScriptedChat(["never"]), Patience()
    patience.stop.set()
    with pytest.raises(Cancelled):
        ask(chat, patience)
    assert [] == chat.asked


def test_a_slow_turn_ends_with_the_deadline():
    """A turn of a minute under a deadline of a moment ends at the deadline."""
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(ScriptedChat([Slow("late", 60)]), Patience(deadline=began + 0.05))
    assert time.monotonic() - began < 5


def test_a_slow_turn_ends_with_the_signal():
    """A turn of a minute ends when the asker goes away."""
    patience = Patience()
    threading.Timer(0.05, patience.stop.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(ScriptedChat([Slow("late", 60)]), patience)
    assert time.monotonic() - began < 5


def test_hashed_words_are_fixed_unit_vectors():
    """The same words give the same unit vector in any batch; shared words bring texts near; no words, zeros."""
    embed = HashedWords()
    vectors = embed.embed(["seal the pump", "the pump seal", "wages are paid monthly", " "])
    assert (4, embed.dimension) == vectors.shape
    assert np.allclose([1, 1, 1, 0], np.linalg.norm(vectors, axis=1), atol=1e-6)
    assert vectors[0] @ vectors[1] > 0.99
    assert vectors[0] @ vectors[2] < 0.5
    assert np.array_equal(vectors[2:3], HashedWords().embed(["wages are paid monthly"]))


def test_a_streamed_turn_is_put_together_or_breaks_off():
    """Parts add up to the reply; a stream that breaks off raises what it was told to."""
    assert "one two" == ask(ScriptedChat([Streamed(("one ", "two"))])).text
    with pytest.raises(ProviderFailed, match="half"):
        ask(ScriptedChat([Streamed(("one ",), broken=ProviderFailed("half-way"))]))


def test_a_streamed_turn_ends_between_two_parts():
    """An asker who goes away in the middle of a stream gets no more of it."""
    patience = Patience()
    threading.Timer(0.05, patience.stop.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(ScriptedChat([Streamed(("a",) * 1000, seconds=0.02)]), patience)
    assert time.monotonic() - began < 5


def test_shared_words_score_pairs():
    """The share of the second text's words that the first holds, the same in any batch."""
    encode = SharedWords()
    pairs = [Pair("seal the pump", "the pump seal"), Pair("seal", "wages"), Pair("seal", "")]
    assert [1.0, 0.0, 0.0] == list(encode.encode(pairs))
    assert [0.0] == list(encode.encode(pairs[1:2]))


def test_a_scripted_cross_encoder_keeps_to_its_turns():
    """Scores, functions and failures come in order; one call too many is a mistake of the test."""
    pair = Pair("a", "b")
    encode = ScriptedEncode([[0.5], lambda pairs: [len(pairs)] * len(pairs), ProviderFailed("down")])
    assert ([0.5], [2.0, 2.0]) == (list(encode.encode([pair])), list(encode.encode([pair, pair])))
    with pytest.raises(ProviderFailed):
        encode.encode([pair])
    with pytest.raises(AssertionError, match="call 4"):
        encode.encode([pair])
    assert [(pair,), (pair, pair), (pair,), (pair,)] == encode.asked
