import itertools

import pytest

from remit.contract.budget import Budget, Limits
from remit.errors import Cancelled, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Reply, Token, Usage
from remit.llm.metered import estimate
from remit.llm.scripted import ScriptedChat, Slow
from remit.rerank.choice_reply import read_choice
from remit.rerank.cutoff import Cutoff
from remit.rerank.listwise import REPLY_TOKENS, Listwise
from remit.rerank.listwise_prompt import FEWEST_WORDS, messages_of, prompt
from remit.testing.build import candidates_of, contract_of, hits_of, scope_of

HITS = hits_of(*(f"Passage about thing {number}." for number in range(12)))
LONG = hits_of(*(f"Thing {number}. " + "word " * 300 for number in range(45)))


def ranked(chat, hits=HITS, *, labels=("staff",), limits=None, patience=None, **given):
    """Return what a listwise policy makes of hits."""
    policy = Listwise(chat, Cutoff(most=3), **given)
    budget = Budget.of(limits or Limits(seconds=1e9), now=0.0)
    patience = patience or Patience()
    return policy.rank(contract_of("Which thing?"), candidates_of(hits), scope_of(*labels), budget, patience)


def places(ranking, hits=HITS):
    """Return where among the hits the ranked ones stood."""
    return [hits.index(hit) for hit in ranking.hits]


def test_the_models_choice_is_the_ranking():
    """Order and number are the reply's; one call at temperature 0, paid for."""
    chat = ScriptedChat(["[11], [2]"])
    ranking = ranked(chat)
    assert [10, 1] == places(ranking)
    assert (1, ()) == (ranking.cost.model_calls, ranking.warnings)
    assert [0.0] == [asked.temperature for asked in chat.asked]
    assert prompt().digest == ranking.digest


def test_none_is_no_passage():
    """The model may say that nothing helps."""
    assert 0 == ranked(ScriptedChat(["None"])).k


@pytest.mark.parametrize("said", ["", "no idea", "[99]", ProviderFailed("down"), ProviderBusy("later")])
def test_without_a_choice_the_order_found_is_cut(said):
    """The fallback's ranking, the reason as a warning, and what was spent on it."""
    ranking = ranked(ScriptedChat([said]))
    assert [0, 1, 2] == places(ranking)
    assert ranking.warnings
    assert ranking.reason.startswith("without the model")


def test_nothing_found_is_no_call():
    """No candidates: the model is not asked."""
    chat = ScriptedChat()
    assert (0, []) == (ranked(chat, ()).k, chat.asked)


def test_a_passage_outside_the_scope_is_shown_to_no_model():
    """A faulty search may bring one: no call is made."""
    chat = ScriptedChat()
    ranking = ranked(chat, labels=("board",))
    assert ([], True) == (chat.asked, bool(ranking.warnings))


@pytest.mark.parametrize("limits", [Limits(model_calls=0), Limits(tokens=50), Limits(price=1.0)])
def test_what_cannot_be_paid_is_not_asked(limits):
    """No call left, too few tokens, or a price limit and an unknown price."""
    chat = ScriptedChat()
    assert ([], 3) == (chat.asked, ranked(chat, limits=limits).k)


def test_a_deadline_of_the_model_is_not_the_askers():
    """Where the model takes too long the order found is sent; where the asker is gone nothing is."""
    patience = Patience(deadline=Patience().clock() + 1.0)
    limits = Limits(seconds=1e9)
    assert 3 == ranked(ScriptedChat([Slow("[1]", 5.0)]), limits=limits, patience=patience, reserve=0.9).k
    gone = Patience()
    gone.stop.set()
    with pytest.raises(Cancelled):
        ranked(ScriptedChat(["[1]"]), patience=gone)


def test_what_does_not_fit_is_asked_in_two_calls_and_mapped_back():
    """Each call numbers its own passages from 1; what comes back are the passages named, wherever they stood."""
    wanted = {"Thing 44.", "Thing 3."}

    def choose(messages):
        lines = [line for line in messages[-1].text.splitlines() if ". Topic: " in line]
        numbers = [line.partition(".")[0] for line in lines if any(thing in line for thing in wanted)]
        assert [str(number) for number in range(1, len(lines) + 1)] == [line.partition(".")[0] for line in lines]
        return ", ".join(f"[{number}]" for number in numbers) or "None"

    chat = ScriptedChat([choose, choose])
    ranking = ranked(chat, LONG, room=3900)
    assert ([3, 44], 2) == (places(ranking, LONG), len(chat.asked))
    assert all(estimate(asked.messages) + REPLY_TOKENS <= 3900 for asked in chat.asked)
    assert any("two were made" in warning for warning in ranking.warnings)


@pytest.mark.parametrize("room", [300, 500, 1000, 2000, 4000, 8000])
@pytest.mark.parametrize("number", [1, 7, 45])
def test_any_room_is_kept_to(room, number):
    """At most two calls, each within its room, whatever the passages."""
    chat = ScriptedChat(itertools.repeat("[1]", 2))
    ranking = ranked(chat, LONG[:number], room=room)
    assert len(chat.asked) <= 2
    assert all(estimate(asked.messages) + REPLY_TOKENS <= room for asked in chat.asked)
    assert 1 <= ranking.k <= 3


def test_one_call_left_ranks_what_fits():
    """The first passages, and a warning that says how many."""
    chat = ScriptedChat(["[2]"])
    ranking = ranked(chat, LONG, room=2600, limits=Limits(model_calls=1, seconds=1e9))
    assert ([1], 1) == (places(ranking, LONG), len(chat.asked))
    assert any("fitted" in warning for warning in ranking.warnings)


def test_numbers_are_the_same_in_training_and_at_inference():
    """The prompt that a model is trained on is the prompt it is asked with; its numbers are places in the hits."""
    chat = ScriptedChat(["[1]"])
    ranked(chat)
    assert messages_of("Which thing?", HITS) == chat.asked[0].messages
    assert "5. Topic: D4 Content: Passage about thing 4." in chat.asked[0].messages[-1].text
    assert (4,) == read_choice("[5]", len(HITS)).places


def test_no_blank_is_left_and_none_is_brought():
    """The model sees no placeholder, and a passage or question cannot bring one."""
    hits = hits_of("a {question} and {passages} and <|im_end|> [INST]")
    text = messages_of("what is {passages}?", hits)[-1].text
    assert 1 == text.count("{question}")
    assert 2 == text.count("{passages}")
    assert "<|im_end|>" not in text
    assert "[INST]" not in text


def test_long_passages_are_cut_before_any_is_left_out():
    """Each keeps its first words."""
    chat = ScriptedChat(["[45]"])
    ranking = ranked(chat, LONG, room=6000)
    assert [44] == places(ranking, LONG)
    assert (
        min(len(line.split()) for line in chat.asked[0].messages[-1].text.splitlines() if "Topic" in line)
        > FEWEST_WORDS
    )


def test_the_tokens_chances_are_the_choices():
    """Where the model tells them, the log-probability of the reply is their sum."""
    tokens = (Token("[", -0.5), Token("1", -0.25), Token("]", 0.0))
    reply = Reply("[1]", Usage(5, 3), "stop", tokens, "")
    assert -0.75 == ranked(ScriptedChat([reply])).log_probability
    assert None is ranked(ScriptedChat(["[1]"])).log_probability


def test_a_reply_that_was_cut_off_keeps_its_whole_numbers():
    """What was named is kept, with a warning; where nothing was, the order found is cut."""
    assert [1] == places(ranked(ScriptedChat([Reply("[2], [1", Usage(1, 1), "length")])))
    assert 3 == ranked(ScriptedChat([Reply("None", Usage(1, 1), "length")])).k


def test_the_papers_temperature_can_be_asked_for():
    """It is passed on, and named."""
    chat = ScriptedChat(["[1]"])
    assert "T=0.2" in ranked(chat, temperature=0.2).policy
    assert 0.2 == chat.asked[0].temperature
