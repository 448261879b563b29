"""Rewards of an answer: DynamicRAG's five terms (3.2.3), and RePAIR's token F1, which is a reward of its own.

Each term lies in [0, 1] and is the largest over the golden answers. A term that is not measured is None, with no number in
its place; where one trajectory of a question lacks it, it is left out for all of them, as otherwise the lack would decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final, NamedTuple

from remit.measure.bertscore import Similarity
from remit.measure.judge import NoVerdict, Verdict
from remit.measure.rouge import rouge_l
from remit.measure.text import best, exact_match, normalised, token_f1

TERMS: Final = ("exact", "semantic", "fluency", "brevity", "judged")


@dataclass(frozen=True, slots=True)
class Weights:
    """What each term weighs: the paper's alpha, beta, gamma, lambda and delta, which it does not state."""

    exact: float = 0.2
    semantic: float = 0.2
    fluency: float = 0.2
    brevity: float = 0.2
    judged: float = 0.2


WEIGHTS: Final = Weights()


class Terms(NamedTuple):
    """The five terms of one answer; `semantic` and `judged` are None where they were not measured."""

    exact: float
    semantic: float | None
    fluency: float
    brevity: float
    judged: float | None


class Rewarded(NamedTuple):
    """One reward a trajectory of one question, in the order given, and which terms were left out for all of them."""

    rewards: tuple[float, ...]
    left_out: tuple[str, ...]


def terms(
    answer: str | None,
    golden: Sequence[str],
    *,
    similarity: Similarity | None = None,
    verdict: Verdict | NoVerdict | None = None,
) -> Terms:
    """Return the terms of an answer. No answer, or one without a word, has 0 in each measured term: silence is not brief.

    Raises:
        ValueError: there is no golden answer to compare with.
    """
    if not golden:
        raise ValueError("a reward needs at least one golden answer")
    judged = verdict.score if isinstance(verdict, Verdict) else None
    if answer is None or not normalised(answer):
        return Terms(0.0, None if similarity is None else 0.0, 0.0, 0.0, judged)
    return Terms(
        exact=best(exact_match, answer, golden),
        semantic=None if similarity is None else best(similarity.similarity, answer, golden),
        fluency=best(lambda given, one: rouge_l(given, one).f1, answer, golden),
        brevity=1.0 / (1.0 + length(answer)),
        judged=judged,
    )


def length(answer: str) -> int:
    """Return the tokens of an answer: its words, between white space."""
    return len(answer.split())


def reward(trajectories: Sequence[Terms], weights: Weights = WEIGHTS) -> Rewarded:
    """Return the weighted sums of the terms of one question's answers; a term that one of them lacks is in none of them."""
    left_out = tuple(name for name in TERMS if any(getattr(one, name) is None for one in trajectories))
    counted = [(name, weight) for name, weight in zip(TERMS, astuple(weights), strict=True) if name not in left_out]
    return Rewarded(
        tuple(float(sum(weight * getattr(one, name) for name, weight in counted)) for one in trajectories), left_out
    )


def f1_reward(answer: str | None, golden: Sequence[str]) -> float:
    """Return RePAIR's reward: the largest token F1 over the golden answers; 0 for no answer.

    Raises:
        ValueError: there is no golden answer to compare with.
    """
    if not golden:
        raise ValueError("a reward needs at least one golden answer")
    return best(token_f1, answer, golden) if answer is not None and normalised(answer) else 0.0
