"""What is seen of the question itself, and of how sure the search was."""

from __future__ import annotations

import re
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from remit.contract.contract import AnswerForm, Contract
from remit.rerank.table import Table

Array = NDArray[np.float64]
_FORMS: Final = get_args(AnswerForm)
_COMPARES: Final = re.compile(r"\b(?:or|both|same|oder|beide|ou)\b", re.IGNORECASE)
_OF: Final = re.compile(r"\b(?:of|by|that|which|whose|who|des|der|von|de|qui)\b|'s\b", re.IGNORECASE)

QUESTION: Final = (
    *("words", "candidates", "compares", "chained", "titles named", "names", "digits"),
    *("best dense", "dense lead", "fused lead", "best nearest", "best cover", "spread"),
    *(f"wants {form}" for form in _FORMS),
)
"""One name a column of `question_features`."""


def question_features(contract: Contract, table: Table) -> Array:
    """Return one row, shape (len(QUESTION),)."""
    claim = contract.claim
    dense = np.sort([hit.dense if hit.dense is not None else 0.0 for hit in table.hits])[::-1]
    fused = np.sort(table.fused)[::-1]
    nearest = max((float(near.max()) for near in table.nearness if len(near)), default=0.0)
    cover = float((table.carried @ table.weights).max(initial=0.0)) if len(table.asked) else 0.0
    titles = len({name for name, asked in zip(table.names, table.asked_for, strict=True) if asked})
    row = [
        min(len(table.question), 40) / 20.0,
        min(len(table.hits), 45) / 45.0,
        float(_COMPARES.search(claim) is not None),
        min(len(_OF.findall(claim)), 5) / 5.0,
        min(titles, 4) / 4.0,
        min(sum(word[:1].isupper() for word in claim.split()[1:]), 8) / 8.0,
        float(any(char.isdigit() for char in claim)),
        float(dense[0]) if len(dense) else 0.0,
        float(dense[0] - dense[1]) if len(dense) > 1 else 0.0,
        float(fused[0] - fused[1]) if len(fused) > 1 else 0.0,
        nearest,
        cover,
        float(fused[:10].std()) if len(fused) > 1 else 0.0,
        *(float(contract.form == form) for form in _FORMS),
    ]
    return np.array(row, dtype=np.float64)
