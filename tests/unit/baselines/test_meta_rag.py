"""MetaRAG: monitoring, the four acts of its two judgements, and what it accepts."""

import pytest

from remit.answer.draft import Draft
from remit.baselines.meta_rag import STRICTLY, MetaRag
from remit.rerank.cutoff import Cutoff

VIK = "QUOTE [1]: Ada Holm was born in Vik.\nANSWER: Vik"
NORWAY = "QUOTE [1]: Vik is a town in Norway.\nANSWER: Norway"
UNLIKE = MetaRag(Cutoff(), agree=1.1, rounds=1)


def test_agreement_with_the_expert_ends_it(make):
    """Where the expert reader's answer is like the model's, one call is all."""
    made = make([VIK])
    assert ("retrieve", "rerank", "answer", "monitor") == made.run(MetaRag(Cutoff(), agree=-1.1)).steps


@pytest.mark.parametrize(
    ("inside", "outside", "more", "steps"),
    [
        ("no", "no", ["QUERY: Vik town"], ("judge", "judge", "rewrite", "retrieve", "answer")),
        ("yes", "no", ["QUERY: Where is Vik?"], ("judge", "judge", "decompose", "retrieve", "answer")),
        ("no", "yes", [], ("judge", "judge", "answer")),
        ("yes", "yes", [], ("judge", "judge", "answer")),
    ],
)
def test_each_pair_of_judgements_has_its_act(make, inside, outside, more, steps):
    """Neither: rewrite and add. Known only: decompose and add. Passages only: strictly from them. Both: check the reasoning."""
    made = make([VIK, inside, outside, *more, NORWAY])
    result = made.run(UNLIKE)
    assert steps == result.steps[4:]
    last = made.prompts[-1]
    assert (outside == "yes" and inside == "no") is (STRICTLY in last)
    assert (outside == inside == "yes") is ("check each step" in last)


def test_new_passages_join_the_old_ones(make):
    """What a rewritten query finds is added, not put in place of what there was."""
    result = make([VIK, "no", "no", "QUERY: Alda ship", NORWAY]).run(MetaRag(Cutoff(), k=1, agree=1.1, rounds=1))
    assert 2 == len(result.sent)


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_rounds_are_exact(make, rounds):
    """At most so many corrections."""
    made = make([VIK, *["yes", "yes", NORWAY] * 3])
    assert rounds == made.run(MetaRag(Cutoff(), agree=1.1, rounds=rounds), model_calls=20).steps.count("monitor")


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [("Norway", True), ("w " * 10, True), ("w " * 11, False), ("Unknown", False), (None, False)],
)
def test_what_replaces_an_answer(answer, accepted):
    """Ten words at most, and not unknown."""
    assert accepted is MetaRag(Cutoff()).accepts(Draft(answer=answer, method="t"))


def test_a_new_answer_that_is_not_accepted_leaves_the_old(make):
    """An answer too long to be one does not replace the first."""
    said = "Ada Holm was born in Vik. She sailed the ship Alda."
    long = f"QUOTE [1]: {said}\nANSWER: {said}"
    assert "Vik" == make([VIK, "yes", "yes", long]).run(UNLIKE).answer


def test_a_judgement_that_cannot_be_read_is_a_no(make):
    """A mumbled judgement leads to a search, not to a stubborn answer."""
    assert "rewrite" in make([VIK, "hm", "perhaps", "QUERY: Vik", NORWAY]).run(UNLIKE).steps
