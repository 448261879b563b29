import numpy as np
import pytest

from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.scripted import ScriptedChat, ScriptedEncode
from remit.testing.build import candidates_of, contract_of, hits_of
from remit.train.environment import Said
from remit.train.expert import from_gold, from_scores, from_verdicts, smallest_support
from remit.train.instances import Instance
from remit.train.questions import Question
from remit.train.reward import f1_reward

HITS = hits_of("It rains.", "Lena Moor wrote it.", "She wrote it in 1931.")
GOLD = frozenset(hit.passage.id for hit in HITS[1:])
INSTANCE = Instance(
    Question("q", "Who wrote it?", ("Lena Moor",), frozenset({"D1", "D2"}), "q", ""),
    contract_of("Who wrote it?"),
    candidates_of(HITS),
    GOLD,
    2,
)


def test_gold_passages_are_an_experts_ranking():
    """In the order found; none where none was found."""
    assert HITS[1:] == from_gold(INSTANCE).hits
    assert () == from_gold(INSTANCE._replace(gold=frozenset())).hits


def test_a_cross_encoder_is_an_expert():
    """Those above the bound, best first, equal ones by id."""
    assert (HITS[2], HITS[0]) == from_scores(INSTANCE, ScriptedEncode([[0.5, 0.1, 0.9]]), above=0.4).hits
    assert HITS == from_scores(INSTANCE, ScriptedEncode([[0.5, 0.5, 0.5]]), above=0.4).hits
    assert () == from_scores(INSTANCE._replace(candidates=candidates_of(())), ScriptedEncode([]), above=0.0).hits


def test_a_chat_models_verdicts_are_an_expert():
    """The passages of which it says yes, each asked about once, greedily."""
    chat = ScriptedChat(["No", "Yes.", "yes, because"])
    assert HITS[1:] == from_verdicts(INSTANCE, chat, Patience()).hits
    assert [0.0] * 3 == [asked.temperature for asked in chat.asked]
    assert "Passage: Lena Moor wrote it." in chat.asked[1].messages[0].text


@pytest.mark.parametrize("turn", ["perhaps", ProviderFailed("down")])
def test_half_a_ranking_is_no_experts(turn):
    """A verdict that could not be taken is not a no."""
    assert None is from_verdicts(INSTANCE, ScriptedChat(["Yes", turn]), Patience())


@pytest.mark.parametrize(
    ("answers", "count"),
    [
        (("Lena Moor", "Lena Moor"), 1),
        (("1931", "Lena Moor"), 2),
        (("Moor", "Lena Moor"), 2),
        (("x", "y"), 2),
        ((None, None), 2),
    ],
)
def test_the_smallest_prefix_that_answers_as_well_is_sent(answers, count):
    """All of it where no prefix answers."""
    found = smallest_support(INSTANCE, from_gold(INSTANCE), lambda asked: [Said(one) for one in answers], f1_reward)
    assert HITS[1 : 1 + count] == found.hits


def test_what_could_not_be_answered_cuts_nothing():
    """A failure is no bad answer."""
    said = [Said("Lena Moor"), Said(None, failed="down")]
    assert HITS[1:] == smallest_support(INSTANCE, from_gold(INSTANCE), lambda asked: said, f1_reward).hits


def test_an_empty_ranking_stays_empty():
    """There is nothing to ask about."""
    empty = from_gold(INSTANCE._replace(gold=frozenset()))
    assert () == smallest_support(INSTANCE, empty, lambda asked: [], f1_reward).hits
    assert np.isfinite(f1_reward(None, ["x"]))
