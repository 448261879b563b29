"""FLARE's look-ahead: what is accepted, what is looked up, what is masked, and when it ends."""

import math

import pytest

from remit.baselines.flare import Flare, masked, sentence_tokens, unsure
from remit.baselines.system import Ended
from remit.llm.chat import NOT_SENT, Reply, Token, Usage

GOOD = "QUOTE [1]: Vik is a town in Norway.\nANSWER: Norway"


def tokens(*spelled):
    """Return tokens of (text, probability)."""
    return tuple(Token(text, math.log(chance)) for text, chance in spelled)


def said(*spelled):
    """Return a reply that spells its tokens."""
    return Reply("".join(text for text, _ in spelled), Usage(1, len(spelled)), tokens=tokens(*spelled))


SURE = said(("Ada", 0.99), (" Holm", 0.95), (" was", 0.9), (" born", 0.9), (" in", 0.99), (" Vik", 0.81), (".", 0.99))
UNSURE = said(("Ada", 0.99), (" was", 0.9), (" born", 0.9), (" in", 0.9), (" Rome", 0.3), (".", 0.99))
DONE = said(("So", 0.99), (" the", 0.9), (" answer", 0.9), (" is", 0.9), (" Norway", 0.9), (".", 0.9))


def test_a_sure_sentence_is_accepted_without_a_search(make):
    """Every token at the threshold or above: the sentence is kept and the next one begins."""
    made = make([SURE, DONE, GOOD])
    result = made.run(Flare())
    assert ("retrieve", "look ahead", "look ahead", "answer") == result.steps
    assert "WRITTEN SO FAR: Ada Holm was born in Vik." in made.prompts[1]


def test_an_unsure_sentence_is_looked_up_and_written_again(make):
    """One token below the threshold: a search with the masked sentence, then the sentence from what it found."""
    made = make([UNSURE, SURE, DONE, GOOD])
    result = made.run(Flare())
    assert ("retrieve", "look ahead", "retrieve", "look ahead", "look ahead", "answer") == result.steps
    assert "Rome" not in made.prompts[2]


@pytest.mark.parametrize(("chance", "expected"), [(0.7999, True), (0.8, False), (0.9, False)])
def test_the_threshold_itself_is_sure(chance, expected):
    """A probability of exactly θ accepts, the next below does not."""
    assert expected is unsure(tokens(("a", 0.99), ("b", chance + 1e-12)), 0.8)


@pytest.mark.parametrize(("chance", "query"), [(0.3999, "Ada was born in."), (0.4001, "Ada was born in Rome.")])
def test_tokens_below_beta_are_masked_out(chance, query):
    """What the model hardly believes does not steer the search."""
    spelled = tokens(("Ada", 0.9), (" was", 0.9), (" born", 0.9), (" in", 0.9), (" Rome", chance), (".", 0.9))
    assert query == masked(spelled, 0.4)


def test_a_sentence_of_nothing_but_doubt_asks_the_question(make):
    """Where masking leaves nothing, the question is the query."""
    made = make([said(("Rome", 0.1)), DONE, GOOD])
    assert 2 == made.run(Flare(iterations=1)).searches


@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_iterations_are_exact(make, iterations):
    """At most so many sentences."""
    made = make([SURE] * iterations + [GOOD])
    assert iterations == made.run(Flare(iterations=iterations)).steps.count("look ahead")


def test_only_the_first_sentence_counts(make):
    """The model may write on; doubt in its second sentence is none of the first."""
    reply = said(("Ada", 0.9), (" sailed", 0.9), (".", 0.9), (" Perhaps", 0.1), (" not", 0.1), (".", 0.9))
    assert ["Ada", " sailed", "."] == [token.text for token in sentence_tokens(reply)]


def test_without_log_probabilities_it_fails_and_says_why(make):
    """A backend that sends none cannot run FLARE: a failed question with the reason, never a guess."""
    result = make([Reply("Ada sailed.", Usage(1, 1), no_tokens=NOT_SENT)]).run(Flare())
    assert (Ended.FAILED, None) == (result.ended, result.answer)
    assert NOT_SENT in result.failure


def test_what_was_found_last_comes_first(make):
    """The answer is drafted from all that was looked up, the latest first."""
    vik = said(("Vik", 0.9), (" lies", 0.9), (" in", 0.9), (" Norway", 0.5), (".", 0.9))
    result = make([vik, DONE, GOOD]).run(Flare(k=1, iterations=1), "When was Alda built?")
    assert ("vik@1#0", "alda@1#0") == result.sent
