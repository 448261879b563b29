"""What Prometheus reads: counts and times by route, decision and reason. No label comes from a caller or a document."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from remit.record.answered import Answered

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """One service's figures, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("remit_requests", "Requests answered.", labels, registry=registry)
        self._seconds = Histogram(
            "remit_request_seconds", "Time to answer.", labels[:2], buckets=_SECONDS, registry=registry
        )
        self._decisions = Counter(
            "remit_decisions", "Questions decided, by true decision.", ("action", "reason"), registry=registry
        )
        self._asked = Histogram(
            "remit_ask_seconds", "Time to decide a question.", ("action",), buckets=_SECONDS, registry=registry
        )
        self._rounds = Counter("remit_rounds", "Rounds of correction.", registry=registry)
        self._calls = Counter("remit_model_calls", "Calls of the chat model.", registry=registry)
        self._tokens = Counter("remit_model_tokens", "Tokens of prompts and replies.", registry=registry)
        self._refused = Counter("remit_refused", "Requests refused at the gate.", ("why",), registry=registry)
        self._inside = Gauge("remit_inside", "Requests that run or wait, by pool.", ("pool",), registry=registry)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def decided(self, done: Answered) -> None:
        """Count a decision and what it took."""
        decision = done.outcome.decision
        self._decisions.labels(str(decision.action), decision.reason).inc()
        self._asked.labels(str(decision.action)).observe(done.seconds)
        if done.budget is not None:
            self._rounds.inc(done.budget.used.rounds)
            self._calls.inc(done.budget.used.model_calls)
            self._tokens.inc(done.budget.used.tokens)

    def refused(self, why: str) -> None:
        """Count a request that did not pass the gate."""
        self._refused.labels(why).inc()

    def text(self, inside: dict[str, int]) -> bytes:
        """Return all of it as Prometheus reads it; `inside` says how many run or wait in each pool."""
        for pool, count in inside.items():
            self._inside.labels(pool).set(count)
        return generate_latest(self._registry)
