"""The measures of a comparison: each a share or a mean over some of the trials, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from remit.decide.decision import Action
from remit.evaluate.trial import DEPTHS, Trial


class Measure(NamedTuple):
    """What a trial adds, None where it is not counted; how tables call it, whether more is better, and what it means."""

    of: Callable[[Trial], float | None]
    label: str
    better: int
    note: str


def _only(holds: Callable[[Trial], bool], value: Callable[[Trial], float | None]) -> Callable[[Trial], float | None]:
    return lambda trial: value(trial) if holds(trial) else None


def _answerable(trial: Trial) -> bool:
    return trial.answerable


def _unsupported(trial: Trial) -> float:
    return float(trial.answered and not trial.supported)


def _depth(place: int) -> Callable[[Trial], float | None]:
    return lambda trial: trial.recalls[place]


MEASURES: Final[Mapping[str, Measure]] = {
    "f1": Measure(lambda t: t.f1, "F1", 1, "token F1, best over the golden answers; 0 where nothing was answered"),
    "em": Measure(lambda t: t.em, "EM", 1, "exact match once normalised as SQuAD has it"),
    "f1_answered": Measure(
        _only(lambda t: t.answered, lambda t: t.f1), "F1, of answers", 1, "the same over the questions that it answered"
    ),
    "accuracy": Measure(lambda t: t.accuracy, "accuracy", 1, "the answer holds a golden one, as whole words"),
    "rouge_l": Measure(lambda t: t.rouge_l, "ROUGE-L", 1, "F1 of the longest common subsequence"),
    "parts_held": Measure(
        lambda t: t.parts_held, "parts held", 1, "of an answer of several parts, those that are in it (ASQA's STR-EM)"
    ),
    "likeness": Measure(
        lambda t: t.likeness,
        "likeness",
        1,
        "of the answer to the nearest golden one, as the experiment's [likeness] has it",
    ),
    "useful_coverage": Measure(
        _only(_answerable, lambda t: float(bool(t.supported))),
        "useful coverage",
        1,
        "answerable questions answered with a quotation that holds the golden answer",
    ),
    "unsupported": Measure(_unsupported, "unsupported", -1, "answers given without such a quotation, of all questions"),
    "unsupported_of_answers": Measure(
        _only(lambda t: t.answered, _unsupported), "unsupported, of answers", -1, "the same, of the answers given"
    ),
    "answered_without_evidence": Measure(
        _only(lambda t: not t.answerable, lambda t: float(t.answered)),
        "answered without evidence",
        -1,
        "questions that the set says have no answer, answered all the same",
    ),
    "needless_abstention": Measure(
        _only(_answerable, lambda t: float(t.action == Action.ABSTAIN)),
        "needless abstention",
        -1,
        "answerable questions declined",
    ),
    "review_demand": Measure(
        lambda t: float(t.action == Action.REVIEW), "review demand", -1, "questions handed to a person"
    ),
    "leaks": Measure(
        lambda t: None if t.leaks is None else float(bool(t.leaks)),
        "leaks",
        -1,
        "questions in which something came up that the asker may not read: has to be 0",
    ),
    "right_action": Measure(lambda t: float(t.right), "right action", 1, "the decision is one of those acceptable"),
    **{
        f"recall_{depth}": Measure(_depth(at), f"R@{depth}", 1, "gold texts among the first ranked, before any cut")
        for at, depth in enumerate(DEPTHS)
    },
    "ndcg": Measure(lambda t: t.ndcg, "nDCG@10", 1, "of the ranking before any cut"),
    "recall_sent": Measure(
        lambda t: t.recall_sent, "recall sent", 1, "gold texts among those the answer was made from"
    ),
    "hit_sent": Measure(
        lambda t: t.hit_sent, "hit sent", 1, "a golden answer stands somewhere in what was sent: no recall"
    ),
    "k": Measure(lambda t: float(t.k), "k", 0, "passages the answer was made from"),
    "searches": Measure(lambda t: float(t.searches), "searches", 0, "a question"),
    "calls": Measure(lambda t: float(t.calls), "model calls", -1, "a question, counted as if each system ran alone"),
    "tokens": Measure(lambda t: float(t.tokens), "tokens", -1, "a question, prompts and replies"),
    "price": Measure(lambda t: t.price, "price", -1, "a question; unmeasured where the price is unknown"),
    "fell_back": Measure(
        lambda t: float(t.fell_back), "fell back", -1, "answers by quotation, because the model did not do its part"
    ),
    "failed": Measure(lambda t: float(bool(t.failure) or t.ended == "failed"), "failed", -1, "what broke; it counts"),
    "out_of_budget": Measure(
        lambda t: float(t.ended in {"budget", "time"}), "out of budget", -1, "ended by the budget before the system did"
    ),
}

QUALITY: Final = (
    "f1",
    "f1_answered",
    "em",
    "accuracy",
    "rouge_l",
    "parts_held",
    "likeness",
    "useful_coverage",
    "unsupported",
    "unsupported_of_answers",
)
DECISIONS: Final = (
    "right_action",
    "needless_abstention",
    "answered_without_evidence",
    "review_demand",
    "leaks",
    "failed",
)
RETRIEVAL: Final = ("recall_5", "recall_10", "recall_20", "ndcg", "recall_sent", "hit_sent", "k")
COST: Final = ("calls", "tokens", "price", "searches", "out_of_budget", "fell_back")
