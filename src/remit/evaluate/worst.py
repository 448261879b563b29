"""The cases worth reading: what one system did badly beside what another did well with the same question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from remit.decide.decision import Action
from remit.evaluate.trial import Trial

_MOST: Final = 3


class Pair(NamedTuple):
    """Two trials of one question: the one that went wrong, and the one that did not."""

    bad: Trial
    good: Trial


class Kind(NamedTuple):
    """A kind of pairs, with the words it stands under."""

    title: str
    bad: Callable[[Trial], bool]
    good: Callable[[Trial], bool]


def _declined(trial: Trial) -> bool:
    return trial.action in {Action.ABSTAIN, Action.REVIEW, Action.CLARIFY} and not trial.failure


KINDS: Final = (
    Kind(
        "An unsupported answer beside an appropriate abstention",
        lambda t: t.answered and not t.supported and not t.answerable,
        lambda t: _declined(t) and not t.answerable,
    ),
    Kind(
        "An unsupported answer beside a cautious refusal",
        lambda t: t.answered and not t.supported and (t.f1 or 0.0) == 0.0 and t.answerable,
        lambda t: _declined(t) and t.answerable,
    ),
    Kind(
        "A needless review beside a successful correction",
        lambda t: t.action == Action.REVIEW and t.answerable,
        lambda t: bool(t.supported) and t.searches > 1,
    ),
    Kind(
        "A needless abstention beside a supported answer",
        lambda t: t.action == Action.ABSTAIN and t.answerable,
        lambda t: bool(t.supported) and t.f1 == 1.0,
    ),
    Kind(
        "An answer that correction made worse beside the single pass",
        lambda t: t.answered and (t.f1 or 0.0) == 0.0 and t.searches > 1,
        lambda t: t.answered and t.f1 == 1.0 and t.searches == 1,
    ),
)


def worst(trials: Sequence[Trial]) -> list[tuple[str, list[Pair]]]:
    """Return up to three pairs of each kind, of different questions, in the order of the trials."""
    asked: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        asked.setdefault((trial.set, trial.case), []).append(trial)
    found = []
    for kind in KINDS:
        pairs: list[Pair] = []
        for held in asked.values():
            bad = next((trial for trial in held if kind.bad(trial)), None)
            good = next((trial for trial in held if kind.good(trial)), None)
            if bad is not None and good is not None:
                pairs.append(Pair(bad, good))
            if len(pairs) == _MOST:
                break
        if pairs:
            found.append((kind.title, pairs))
    return found
