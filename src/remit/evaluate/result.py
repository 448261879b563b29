"""What one system did with one case, as a run keeps it: one JSON line each."""

from __future__ import annotations

from typing import Literal

from remit.contract.value import Value
from remit.decide.decision import Action
from remit.observe.observation import Signal

Learned = Literal["evident", "supported", "answerable"]
"""What an evaluator's probability is of: a draft that quotes evidence, one that quotes the answer, a question that has one."""


class Drafted(Value):
    """A draft on the way: its signals, whether it quotes evidence and what holds the answer, and how near it comes to that.

    Both are said of the draft alone: a draft may quote evidence that contradicts itself, and is not to be released.

    `otherwise` is the action that the rules would take were the evaluator sure of it: answer, or what stands against that.
    """

    otherwise: Action = Action.ABSTAIN
    signals: tuple[Signal, ...] = ()
    evident: bool = False
    supported: bool = False
    em: float = 0.0
    f1: float = 0.0
    confidence: float = 0.0
    there: bool = False


class Result(Value):
    """One case under one system. `failed` names the part that broke; a failed case counts like any other.

    `evident` says of a released answer that it quotes its evidence, `supported` that what it quotes holds a golden answer; None
    where nothing was released. `probability` is that of what `learned` names. `drafts` are those
    before and after each correction, in order, released or not; there is at least one. `leaks` are ids of what the asker may not read that were seen
    in what came out or in the trace. `seconds` is what the system took by itself, `shared` what of it another one had done
    for the same case already.
    """

    schema_version: Literal[1] = 1
    case: str
    digest: str
    system: str
    point: str
    action: Action
    reason: str
    kind: str
    group: str
    part: str = ""
    acceptable: tuple[Action, ...] = ()
    acted_right: bool
    answerable: bool
    evident: bool | None = None
    supported: bool | None = None
    em: float | None = None
    f1: float | None = None
    probability: float | None = None
    learned: Learned = "evident"
    drafts: tuple[Drafted, ...]
    rounds: int = 0
    leaks: tuple[str, ...] = ()
    model_calls: int = 0
    tokens: int = 0
    price: float | None = 0.0
    seconds: float
    failed: str | None = None
    answer: str | None = None
    golden: tuple[str, ...] = ()
    question: str = ""

    @property
    def last(self) -> Drafted:
        """Return the draft that was decided on at the end."""
        return self.drafts[-1]

    def shows(self, place: int, learned: Learned) -> bool:
        """Return whether the draft at a place is what was learned, whether or not it is to be released.

        A question has an answer where it is to be given one, and where the draft quotes evidence that contradicts itself.
        """
        draft = self.drafts[place]
        match learned:
            case "evident":
                return draft.evident
            case "supported":
                return draft.supported
            case "answerable":
                return draft.there and (self.answerable or draft.evident)

    def right(self, place: int, learned: Learned) -> bool:
        """Return whether the draft at a place could have been released, in the sense that was learned."""
        return self.answerable and self.shows(place, learned)

    @property
    def answered(self) -> bool:
        """Say whether an answer was released."""
        return self.action is Action.ANSWER

    @property
    def unsupported(self) -> bool:
        """Say whether an answer was released that does not rest on its evidence."""
        return self.answered and not self.evident

    @property
    def without_evidence(self) -> bool:
        """Say whether an answer was released though the case holds no evidence for any."""
        return self.answered and not self.answerable
