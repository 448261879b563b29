"""Figures of the last questions, for an auditor: decisions by reason, coverage, review demand, times, cost."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from datetime import datetime
from threading import Lock
from typing import Final, NamedTuple

from remit.engine import Remit
from remit.record.journal import NAME, Recorded
from remit.record.listing import listed

LAST: Final = 500
_KEPT: Final = 5_000


class Summary(NamedTuple):
    """What is counted of one question. `price` is None where it is not known."""

    action: str
    reason: str
    seconds: float
    coverage: float | None
    rounds: int
    model_calls: int
    tokens: int
    price: float | None


class Seen(NamedTuple):
    """Figures of that many `questions`: value and name each; and decisions with their reasons, most frequent first."""

    questions: int
    since: str
    figures: tuple[tuple[str, str], ...]
    decisions: tuple[tuple[str, str, int], ...]


class Figures:
    """Counts what the journal holds. A trace that was closed never changes, so each is read once."""

    def __init__(self, remit: Remit) -> None:
        self._remit = remit
        self._lock = Lock()
        self._kept: OrderedDict[str, Summary] = OrderedDict()

    def last(self, most: int = LAST) -> Seen:
        """Return the figures of the last questions that came to their end."""
        rows = [row for row in listed(self._remit.store / NAME, limit=most) if row.closed_at is not None]
        found = [self._summary(row.trace) for row in rows]
        counts = Counter((one.action, one.reason) for one in found)
        decisions = tuple((action, reason.replace("_", " "), count) for (action, reason), count in counts.most_common())
        return Seen(len(found), rows[-1].opened_at if rows else "", tuple(_figures(found)), decisions)

    def _summary(self, trace: str) -> Summary:
        with self._lock:
            if trace in self._kept:
                return self._kept[trace]
        made = summarised(self._remit.journal.read(trace))
        with self._lock:
            self._kept[trace] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


def summarised(recorded: Recorded) -> Summary:
    """Return what is counted of a trace."""
    last = {entry.kind: entry.data for entry in recorded.entries}
    decision = last.get("Outcome", {}).get("decision") or {}
    used = last.get("Budget", {}).get("used") or {}
    coverage = (last.get("Observation", {}).get("coverage") or {}).get("share")
    began, ended = (datetime.fromisoformat(at) for at in (recorded.opened_at, recorded.closed_at or recorded.opened_at))
    return Summary(
        action=str(decision.get("action", "none")),
        reason=str(decision.get("reason", "none")),
        seconds=max(0.0, (ended - began).total_seconds()),  # a clock may be set back meanwhile
        coverage=coverage,
        rounds=int(used.get("rounds", 0)),
        model_calls=int(used.get("model_calls", 0)),
        tokens=int(used.get("tokens", 0)),
        price=used.get("price", 0.0),
    )


def _figures(found: Sequence[Summary]) -> list[tuple[str, str]]:
    if not found:
        return [("0", "questions")]
    seconds = sorted(one.seconds for one in found)
    covered = [one.coverage for one in found if one.coverage is not None]
    answered, review = (sum(one.action == action for one in found) for action in ("answer", "review"))
    prices = [one.price for one in found]
    known = [price for price in prices if price is not None]
    return [
        (f"{100 * answered / len(found):.0f} %", "answered"),
        (f"{100 * review / len(found):.0f} %", "sent to review"),
        (f"{sum(covered) / len(covered):.2f}" if covered else "not measured", "mean coverage"),
        (f"{seconds[len(seconds) // 2]:.2f} s", "median time"),
        (f"{seconds[min(len(seconds) - 1, int(len(seconds) * 0.95))]:.2f} s", "95 % within"),
        (f"{sum(one.rounds for one in found) / len(found):.2f}", "rounds of correction each"),
        (f"{sum(one.model_calls for one in found)}", "model calls"),
        (f"{sum(one.tokens for one in found)}", "tokens"),
        (f"{sum(known):.4g}" if len(known) == len(prices) else "unknown", "cost"),
    ]
