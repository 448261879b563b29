"""What a controller would have done with a system's drafts that knew of each what an evaluator only estimates.

The distance from a system's figure to its bound is the controller's; that from the bound to 1 is what no controller mends with
these drafts, and these readings of contradiction and revision.
"""

from __future__ import annotations

from remit.decide.decision import Action
from remit.evaluate.result import Learned, Result


def best_action(result: Result, known: Learned) -> Action:
    """Return where a case would have ended, draft by draft, had it been known which of them is right in this sense."""
    for place, draft in enumerate(result.drafts):
        if draft.otherwise in {Action.DENY, Action.CLARIFY, Action.REVIEW}:
            return draft.otherwise
        if draft.otherwise is Action.ANSWER and result.right(place, known):
            return Action.ANSWER
    return Action.ABSTAIN


def right_at_best(result: Result, known: Learned) -> bool:
    """Say whether that action is acceptable."""
    return best_action(result, known) in result.acceptable
