"""A trace as a person reads it: one step after another, by ids and figures, never by document text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from remit.record.trace import Entry
from remit.serve.words import WHY

SETUP: Final = "What answered"
_SHOWN: Final = 12
Rows = Iterator[tuple[str, str]]


class Step(NamedTuple):
    """One step: its name, what it came to (label and value), and a plan where it has one."""

    name: str
    rows: tuple[tuple[str, str], ...]
    plan: str = ""


def timeline(entries: Iterable[Entry]) -> Iterator[Step]:
    """Yield the steps of a trace, in order; what the reader may not see is not among them."""
    entries = list(entries)
    last_budget = max((at for at, entry in enumerate(entries) if entry.kind == "Budget"), default=0)
    for at, entry in enumerate(entries):
        named = _STEPS.get(entry.kind) if entry.kind != "Budget" or at == last_budget else None
        if named is not None and not (entry.kind == "Proposal" and not entry.data.get("plan")):
            plan = entry.data.get("plan") if entry.kind == "Proposal" else None
            yield Step(named[0], tuple(row for row in named[1](entry.data) if row[1]), str(plan or ""))


def concluded(entries: Iterable[Entry]) -> tuple[str, str] | None:
    """Return the decision as its asker was shown it, and why; None where there is none or it is not told."""
    shown = [entry.data.get("shown") or {} for entry in entries if entry.kind == "Outcome"]
    if not shown or "action" not in shown[-1]:
        return None
    reason = str(shown[-1].get("reason"))
    return str(shown[-1]["action"]), WHY.get(reason, reason)


def tried(entries: Iterable[Entry]) -> list[str]:
    """Return what was tried beyond the first search: what each plan that ran was expected to find."""
    plans = [entry.data for entry in entries if entry.kind == "Proposal" and entry.data.get("plan")]
    ran = sum(entry.kind == "Repaired" for entry in entries)
    return [str(plan.get("expects") or plan.get("action") or "another search") for plan in plans[:ran]]


def _contract(data: Mapping[str, Any]) -> Rows:
    yield "claim", str(data.get("claim", ""))
    yield "required facts", _joined(fact.get("name") for fact in data.get("facts", ()) if not fact.get("optional"))
    yield "parameters", _joined(f"{key} = {value}" for key, value in data.get("parameters", ()))
    yield "collections", _joined(data.get("collections", ()))
    yield "documents named", _joined(data.get("documents", ()))
    wanted = data.get("wanted") or {}
    yield "as of", str(wanted.get("at") or "")
    yield "revision", str(wanted.get("named") or "")


def _scope(data: Mapping[str, Any]) -> Rows:
    yield "labels held", _joined(data.get("labels", ()))
    yield "collections", _joined(data.get("collections") or ["all that these labels open"])
    yield "policy", str(data.get("policy", ""))


def _snapshot(data: Mapping[str, Any]) -> Rows:
    number = data.get("number")  # how often the store was written tells of what is hidden, so that few may read it
    yield (
        "state of the corpus",
        f"{f'number {number}, ' if isinstance(number, int) else ''}{_digest(data.get('digest'))}",
    )


def _candidates(data: Mapping[str, Any]) -> Rows:
    yield "found", f"{len(data.get('hits', ()))} of {data.get('visible', 0)} passages visible"
    yield "best first", _passages(data.get("hits", ()))
    aside = data.get("set_aside", ())
    yield (
        "set aside",
        f"{len(aside)}: {_joined(one.get('reason') for one in aside if one.get('reason'))}" if aside else "",
    )


def _ranking(data: Mapping[str, Any]) -> Rows:
    yield "sent on", f"{len(data.get('hits', ()))}: {_passages(data.get('hits', ()))}"
    yield "policy", str(data.get("policy", ""))


def _draft(data: Mapping[str, Any]) -> Rows:
    cited = [one.get("passage") for claim in data.get("claims", ()) for one in claim.get("citations", ())]
    yield "quotes", _joined(dict.fromkeys(one for one in cited if one))
    yield "confidence", _figure(data.get("confidence"))
    yield "method", str(data.get("method", ""))
    yield "remark", str(data.get("why", ""))


def _observation(data: Mapping[str, Any]) -> Rows:
    read = {name: value for name, value in data.items() if isinstance(value, Mapping)}
    for name, value in read.items():
        if value.get("kind") == "unmeasured":
            yield name, f"not measured: {value.get('reason')}"
    yield "relevance, best passage", _figure(read.get("relevance", {}).get("best"))
    facts = read.get("coverage", {}).get("facts", ())
    yield "coverage by fact", _joined(f"{fact.get('fact')} {_figure(fact.get('support'))}" for fact in facts)
    agreement = read.get("agreement", {})
    conflicts = [f"{one.get('first')} against {one.get('second')}" for one in agreement.get("conflicts", ())]
    yield "contradictions", _joined(conflicts) or ("none" if agreement else "")
    yield "left open", _joined(one.get("key") for one in agreement.get("open_parameters", ()))
    validity = read.get("validity", {})
    faults = [f"{one.get('revision')} is {one.get('reason')}" for one in validity.get("faults", ())]
    yield "validity", _joined(faults) or (f"{len(validity.get('holds', ()))} revisions hold" if validity else "")
    outside = read.get("authorization", {}).get("outside", ())
    yield "authorization", _joined(outside) or ("all inside the scope" if "authorization" in read else "")
    checked = read.get("citations", {})
    verified, failed = len(checked.get("verified", ())), len(checked.get("failed", ()))
    yield "citations", f"{verified} verified, {failed} not" if "citations" in read else ""
    yield "looks correct", _figure(read.get("estimate", {}).get("probability"))


def _proposal(data: Mapping[str, Any]) -> Rows:
    yield "expects", str(data.get("expects", ""))
    yield "policy", str(data.get("policy", ""))


def _decision(data: Mapping[str, Any]) -> Rows:
    yield "decision", str(data.get("action", "")).replace("_", " ")
    yield "because", f"{WHY.get(str(data.get('reason')), data.get('reason'))} (rule {data.get('rule')})"
    yield "missing", _joined(data.get("missing", ()))
    yield "queue", str(data.get("queue") or "").replace("_", " ")


def _repaired(data: Mapping[str, Any]) -> Rows:
    hits = (data.get("ranking") or {}).get("hits", ())
    yield "passages in use", f"{len(hits)}: {_passages(hits)}" if hits else ""
    yield from ((name, value) for name, value in _draft(data.get("draft") or {}) if name == "quotes")


def _budget(data: Mapping[str, Any]) -> Rows:
    used, limits = data.get("used", {}), data.get("limits", {})
    yield "rounds", f"{used.get('rounds')} of {limits.get('rounds')}"
    yield "model calls", f"{used.get('model_calls')} of {limits.get('model_calls')}"
    yield "tokens", f"{used.get('tokens')} of {limits.get('tokens')}"
    yield "price", "unknown" if used.get("price") is None else str(used["price"])


def _outcome(data: Mapping[str, Any]) -> Rows:
    shown = data.get("shown") or {}
    yield "decision", str(shown.get("action", "")).replace("_", " ")
    yield "because", str(WHY.get(str(shown.get("reason")), ""))
    yield "cited", _joined(one.get("passage") for one in data.get("citations", ()) if one.get("passage"))


def _failure(data: Mapping[str, Any]) -> Rows:
    yield "part", str(data.get("part", ""))
    yield "error", str(data.get("error", ""))


def _setup(data: Mapping[str, Any]) -> Rows:
    for name in ("remit", "answerer", "encoder", "retriever", "reranker", "planner", "policy"):
        yield name, str(data.get(name, ""))
    yield "settings", _digest(data.get("settings"))


_STEPS: Final[Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Rows]]]] = {
    "Setup": (SETUP, _setup),
    "Contract": ("What is asked", _contract),
    "Scope": ("What may be read", _scope),
    "Snapshot": ("At which state", _snapshot),
    "Candidates": ("Search", _candidates),
    "Ranking": ("Ranking", _ranking),
    "Draft": ("Draft", _draft),
    "Observation": ("Readings", _observation),
    "Proposal": ("Plan", _proposal),
    "Decision": ("Decision", _decision),
    "Repaired": ("After the plan", _repaired),
    "Budget": ("Budget", _budget),
    "Failure": ("A part failed", _failure),
    "Outcome": ("Outcome", _outcome),
}


def _joined(values: Iterable[object]) -> str:
    found = dict.fromkeys(str(value) for value in values if value is not None)
    return ", ".join(found)


def _passages(hits: Iterable[Mapping[str, Any]]) -> str:
    ids = [str(passage["id"]) for hit in hits if (passage := hit.get("passage")) and "id" in passage]
    more = len(ids) - _SHOWN
    return ", ".join(ids[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _figure(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else ""


def _digest(value: object) -> str:
    return str(value or "")[:19]
