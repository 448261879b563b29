"""What a whole run may take."""

from __future__ import annotations

from collections.abc import Callable

from remit.evaluate.comparison import RunLimits
from remit.evaluate.trial import Trial


class Cap:
    """What the whole run may take, and what it has taken."""

    def __init__(self, most: RunLimits, clock: Callable[[], float]) -> None:
        self._most, self._clock, self._began = most, clock, clock()
        self._calls = self._tokens = 0
        self._price: float | None = 0.0

    def count(self, trial: Trial) -> None:
        """Count what a trial took."""
        self._calls += trial.calls
        self._tokens += trial.tokens
        self._price = None if self._price is None or trial.price is None else self._price + trial.price

    def reached(self) -> str:
        """Return which cap of the run is reached, or nothing. An unknown price reaches a cap on the price."""
        most = self._most
        for name, used, cap in (
            ("seconds", self._clock() - self._began, most.seconds),
            ("model_calls", self._calls, most.model_calls),
            ("tokens", self._tokens, most.tokens),
            ("price", float("inf") if self._price is None else self._price, most.price),
        ):
            if cap is not None and used >= cap:
                return f"run.{name} of {cap:g} is used up"
        return ""
