"""What is handed out where a part of the line broke: a refusal in words, never an answer."""

from __future__ import annotations

import traceback

from remit.contract.value import Value
from remit.decide.decision import Action, Decision, Reason
from remit.decide.point import OperatingPoint
from remit.errors import AccessFailed, Cancelled, RemitError
from remit.settle.outcome import Outcome
from remit.settle.words import sentence


class Failure(Value):
    """A part that broke: which one, and the type of the error. Its words stay out: they could quote a document."""

    part: str
    error: str


def failure_of(error: BaseException) -> Failure:
    """Return which part of the line an error came from, and its type."""
    named = error.part if isinstance(error, RemitError) else None
    cause = error.__cause__ if type(error) is RemitError and error.__cause__ is not None else error
    return Failure(part=named or _part(error), error=type(cause).__name__)


def refusal(error: BaseException, failure: Failure, point: OperatingPoint, *, language: str = "en") -> Outcome:
    """Return the outcome of a broken line: deny where access broke, abstain otherwise."""
    if isinstance(error, AccessFailed) or failure.part == "access":
        decision = Decision(
            action=Action.DENY, reason="access_unmeasured", rule=1, queue="access_requests", point=point.digest
        )
    else:
        reason: Reason = "budget_exhausted" if isinstance(error, Cancelled) else "part_failed"
        # No gap in the corpus: somebody who runs the service has to look.
        decision = Decision(action=Action.ABSTAIN, reason=reason, rule=6, queue="review_items", point=point.digest)
    said = sentence(decision.reason, language=language)
    return Outcome(decision=decision, shown=decision, message=said, closed=True)


def _part(error: BaseException) -> str:
    """Return the folder of the part that `ask.py` had called when the error left it."""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    called = modules[modules.index("remit.ask") + 1 :] if "remit.ask" in modules else modules[::-1]
    first = next((name for name in called if name.startswith("remit.") and name != "remit.ask"), "remit.ask")
    return first.split(".")[1]
