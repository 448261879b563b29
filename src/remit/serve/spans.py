"""A trace as spans, under the names of OpenTelemetry's GenAI and of OpenInference: ids, scores and counts, no text.

Equal traces give equal ids, so that what is sent twice is there once. A step lasts from the entry before it to its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from remit.record.journal import Recorded

Attribute = str | int | float | bool
_NS: Final = 1_000_000_000
_KINDS: Final = {
    "Contract": ("frame", "CHAIN"),
    "Scope": ("authorize", "GUARDRAIL"),
    "Candidates": ("retrieve", "RETRIEVER"),
    "Ranking": ("rerank", "RERANKER"),
    "Draft": ("draft", "CHAIN"),
    "Observation": ("observe", "EVALUATOR"),
    "Proposal": ("propose", "AGENT"),
    "Decision": ("decide", "GUARDRAIL"),
    "Repaired": ("repair", "AGENT"),
    "Outcome": ("settle", "GUARDRAIL"),
}


class Span(NamedTuple):
    """One span; times in nanoseconds since 1970. `parent` is None for that of the whole question."""

    trace_id: int
    span_id: int
    parent: int | None
    name: str
    start: int
    end: int
    attributes: dict[str, Attribute]


def spans(recorded: Recorded) -> Iterator[Span]:
    """Yield the span of a question, then one for each step and each model call."""
    began = _nanoseconds(recorded.opened_at)
    ended = max(began, _nanoseconds(recorded.closed_at or recorded.opened_at))  # a clock may be set back
    trace_id, root = _id(recorded.trace, 16), _id(f"{recorded.trace} root", 8)
    yield Span(trace_id, root, None, "ask", began, ended, _whole(recorded))
    at = began
    for number, entry in enumerate(recorded.entries):
        until = ended if entry.after is None else began + int(entry.after * _NS)
        if entry.kind in _KINDS:
            name, kind = _KINDS[entry.kind]
            attributes: dict[str, Attribute] = {"openinference.span.kind": kind, **_of(entry.kind, entry.data)}
            yield Span(trace_id, _id(f"{recorded.trace} {number}", 8), root, name, at, max(at, until), attributes)
        elif entry.kind == "Ledger":
            yield from _calls(recorded.trace, number, entry.data, root=root, ended=at)
        at = max(at, until)


def _whole(recorded: Recorded) -> dict[str, Attribute]:
    last = {entry.kind: entry.data for entry in recorded.entries}
    decision = last.get("Outcome", {}).get("decision") or {}
    used = last.get("Budget", {}).get("used") or {}
    found: dict[str, Attribute] = {
        "openinference.span.kind": "CHAIN",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "remit",
        "session.id": recorded.trace,
        "remit.trace": recorded.trace,
        "remit.state": recorded.state,
        "remit.action": str(decision.get("action", "")),
        "remit.reason": str(decision.get("reason", "")),
        "remit.rounds": int(used.get("rounds", 0)),
        "llm.token_count.total": int(used.get("tokens", 0)),
    }
    return found


def _of(kind: str, data: Mapping[str, Any]) -> dict[str, Attribute]:
    match kind:
        case "Candidates":
            return {"remit.visible": int(data.get("visible", 0)), **_documents("retrieval.documents", data)}
        case "Ranking":
            return _documents("reranker.output_documents", data)
        case "Decision":
            return {name: str(data.get(name, "")) for name in ("action", "reason")}
        case "Proposal":
            return {"remit.plan": str(data.get("fingerprint") or ""), "remit.policy": str(data.get("policy", ""))}
        case "Draft":
            return {"remit.method": str(data.get("method", "")), "remit.confidence": float(data.get("confidence", 0.0))}
        case _:
            return {}


def _documents(prefix: str, data: Mapping[str, Any]) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for at, hit in enumerate(data.get("hits", ())):
        if isinstance(hit.get("passage"), dict):
            found[f"{prefix}.{at}.document.id"] = str(hit["passage"].get("id", ""))
            found[f"{prefix}.{at}.document.score"] = float(hit.get("score") or 0.0)
    return found


def _calls(trace: str, number: int, ledger: Mapping[str, Any], *, root: int, ended: int) -> Iterator[Span]:
    """Yield a span for each model call. How long it took is known; when it began is not, and the span says so."""
    for place, call in enumerate(ledger.get("calls", ())):
        attributes: dict[str, Attribute] = {
            "openinference.span.kind": "LLM",
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": str(call.get("model", "")),
            "llm.model_name": str(call.get("model", "")),
            "remit.ended": str(call.get("ended", "")),
            "remit.start_unknown": True,
        }
        for names, key in (
            (("gen_ai.usage.input_tokens", "llm.token_count.prompt"), "prompt_tokens"),
            (("gen_ai.usage.output_tokens", "llm.token_count.completion"), "reply_tokens"),
        ):
            if call.get(key) is not None:
                attributes |= dict.fromkeys(names, int(call[key]))
        start = ended - int(float(call.get("seconds", 0.0)) * _NS)
        yield Span(_id(trace, 16), _id(f"{trace} {number} {place}", 8), root, "chat", start, ended, attributes)


def _nanoseconds(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp() * 1_000_000) * 1000


def _id(text: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size]) or 1
