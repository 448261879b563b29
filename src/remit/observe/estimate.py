"""RePAIR's coarse estimate without a chat model: does the response look correct, yes or no, from the response alone."""

from __future__ import annotations

import math
from typing import Final

from remit.answer.draft import Draft
from remit.observe.observation import Estimate

METHOD: Final = "draft-confidence/1"
_SLOPE, _MIDDLE, _LIKELY = 10.0, 0.55, 0.5


def estimate(draft: Draft) -> Estimate:
    """Return the estimate; a draft without an answer looks incorrect. A departure from the paper: no judge is asked."""
    if draft.answer is None:
        return Estimate(looks_correct=False, probability=0.0, method=METHOD)
    probability = 1.0 / (1.0 + math.exp(-_SLOPE * (draft.confidence - _MIDDLE)))
    return Estimate(looks_correct=probability >= _LIKELY, probability=round(probability, 6), method=METHOD)
