"""What a system is, and what it leaves behind."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

from remit.answer.draft import Draft
from remit.baselines.work import Work
from remit.contract.budget import Cost


class Need(StrEnum):
    """What a system cannot do without."""

    CHAT = "a chat model"
    LOGPROBS = "a chat model whose backend gives log-probabilities"


class Ended(StrEnum):
    """Why a system stopped."""

    DONE = "done"
    BUDGET = "budget"
    TIME = "time"
    FAILED = "failed"


class Result(NamedTuple):
    """What a system made of one question.

    `answer` is None where it gave none, and `action` says what it did: answer, abstain, or one of Remit's other decisions.
    `sent` are the passages its last draft was made from and `texts` what they say, `ranked` the candidates in the order it had
    them before it chose how many. `steps` are the acts it took, in order. `failure` says what broke; a failed question counts as one not answered.
    """

    action: str
    answer: str | None
    draft: Draft | None
    ranked: tuple[str, ...]
    sent: tuple[str, ...]
    texts: tuple[str, ...]
    steps: tuple[str, ...]
    searches: int
    cost: Cost
    ended: Ended
    failure: str = ""


class System(Protocol):
    """A policy over the same parts as every other. `name` tells it and its settings apart, `paper` says whose it is."""

    @property
    def name(self) -> str:
        """Its name with what it was set to."""

    @property
    def paper(self) -> str:
        """Where it was published; empty where it is nobody's in particular."""

    @property
    def needs(self) -> frozenset[Need]:
        """What it cannot do without."""

    def answer(self, work: Work) -> Draft:
        """Return its answer; what it holds on the way is kept with `work.hold`.

        Raises:
            Spent: the budget has ended; what was held last is its answer.
        """


def missing(system: System, work_chat: object | None, spelled: object | None) -> str:
    """Return why a system does not apply to these parts, or nothing where it does."""
    if work_chat is None and system.needs:
        return f"needs {max(system.needs)}"
    if spelled is None and Need.LOGPROBS in system.needs:
        return f"needs {Need.LOGPROBS}"
    return ""
