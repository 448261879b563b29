"""The operating point: every threshold of a decision, named, versioned and digested."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from remit.contract.value import Value, digest_of

Waivable = Literal["relevance", "coverage", "agreement", "validity", "citations"]
"""Readings that a point may record without asking them. Access is never one of them."""

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Measured(Value):
    """What the point did on the development data it was chosen on; None where a figure could not be taken.

    `calibration_error` is that of the evaluator's probabilities, out of fold; `declined` counts requests by decision.
    """

    cases: int
    unsupported: float | None = None
    coverage: float | None = None
    calibration_error: float | None = None
    calibration_bound: float | None = None
    brier: float | None = None
    declined: tuple[tuple[str, int], ...] = ()


class OperatingPoint(Value):
    """Thresholds in [0, 1], chosen on development data and frozen before any final evaluation.

    With an `evaluator` (the digest of one) its calibrated probability has to reach `support`, and relevance and coverage
    only name what was short. It is the probability that the draft quotes its evidence (`learned` "evident"), that what it
    quotes holds the answer ("supported"), or that the question has one in what was found ("answerable"). `waive` lists readings that are recorded and not asked: only for the earlier rungs of a
    comparison. `rounds` caps the corrective rounds below the budget's. `data` is the digest of what it was tuned on.
    """

    schema_version: Literal[1] = 1
    name: str = "default"
    version: str = "1"
    relevance: Share = 0.5
    coverage: Share = 0.45
    support: Share | None = None
    learned: Literal["evident", "supported", "answerable"] = "evident"
    evaluator: str | None = None
    waive: tuple[Waivable, ...] = ()
    rounds: Annotated[int, Field(ge=0)] | None = None
    chosen_on: str = "examples/plant/questions.jsonl"
    chosen_for: str = "judgement"
    data: str | None = None
    measured: Measured | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.support is None) != (self.evaluator is None):
            raise ValueError("support and evaluator go together: give both or neither")
        if self.support is not None and {"relevance", "coverage"} & set(self.waive):
            raise ValueError("waive: with an evaluator relevance and coverage name what is short, and are not waived")
        return self

    @property
    def digest(self) -> str:
        """Return the digest that names this point in traces and reports."""
        return digest_of(self.model_dump(mode="json"))

    def asks(self, reading: Waivable) -> bool:
        """Say whether a reading counts at this point."""
        return reading not in self.waive
