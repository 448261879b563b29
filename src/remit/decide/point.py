"""The operating point: every threshold of a decision, named, versioned and digested."""

from __future__ import annotations

from typing import Literal

from remit.contract.value import Value, digest_of


class OperatingPoint(Value):
    """Thresholds in [0, 1], chosen on development data and frozen before any final evaluation.

    `require_citations` False records the citation check and waives it: only for the earlier rungs of a comparison.
    """

    schema_version: Literal[1] = 1
    name: str = "default"
    version: str = "1"
    relevance: float = 0.5
    coverage: float = 0.45
    require_citations: bool = True
    chosen_on: str = "examples/plant/questions.jsonl"

    @property
    def digest(self) -> str:
        """Return the digest that names this point in traces and reports."""
        return digest_of(self.model_dump(mode="json"))
