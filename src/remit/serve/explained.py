"""What `--explain` adds: exactly what was understood of the question, each reading and how it was taken, what was spent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from remit.contract.contract import Contract, RequiredFact
from remit.contract.value import Value
from remit.observe.observation import Unmeasured
from remit.record.answered import Answered
from remit.serve.words import folded, spent

_MANY: Final = 6
"""Entries of a reading that are shown before the rest is only counted."""


def explained(done: Answered) -> Iterator[str]:
    """Yield what was understood, then each reading with its method, evidence and what it found, then what was spent.

    What was understood rests on the question and on what the asker may know of, and is always shown.
    """
    yield ""
    for name, said in understood(done).items():
        yield folded(_plainly(said), lead=f"  {name:14}")
    yield ""
    if done.outcome.closed or done.observation is None:
        yield folded("this outcome shows no more; the trace does, to whoever runs the service", lead="explain  ")
        return
    for name, reading in done.observation:
        if isinstance(reading, Value):
            yield folded(_reading(reading), lead=f"  {name:14}")
    if done.budget is not None:
        yield folded(spent(done.budget, done.seconds), lead=f"  {'budget':14}")


def understood(done: Answered) -> dict[str, Any]:
    """Return the contract in plain data: each field that was understood, and by what."""
    contract = done.contract
    wanted = contract.wanted
    data = {
        "framing": contract.framing,
        "claim": contract.claim,
        "form": contract.form,
        "facts": [_fact(fact) for fact in contract.facts],
        "unit": contract.unit,
        "comparisons": [f"{one.sense.replace('_', ' ')} {' and '.join(one.amounts)}" for one in contract.comparisons],
        "parameters": dict(contract.parameters),
        "stated": dict(contract.stated),
        "collections": list(contract.collections),
        "documents": list(contract.documents),
        "revision": wanted.named or ("as of " if wanted.historical else "current on ") + wanted.at.isoformat(),
        "language": contract.language,
        "reply in": contract.reply_in,
        "by": _origins(contract),
    }
    return {name: value for name, value in data.items() if value not in (None, [], {})}


def _fact(fact: RequiredFact) -> str:
    told = all(dimension in fact.name for dimension in fact.dimensions)
    of = "" if told else f" of {' or '.join(fact.dimensions)}"
    return f"{fact.kind}: {fact.name}{of}{' (not required)' if fact.optional else ''}"


def _origins(contract: Contract) -> dict[str, str]:
    return dict(contract.origins) | {"all else": contract.framing}


def _reading(reading: Value) -> str:
    if isinstance(reading, Unmeasured):
        return f"unmeasured: {reading.reason}"
    data = reading.model_dump(mode="json")
    method = data.pop("method", "")
    data.pop("kind", None)
    value = getattr(reading, "value", None)
    told = [] if value is None else [_short(value)]
    told += [f"{key} {_short(part)}" for key, part in data.items() if part not in (None, [], ())]
    return f"{', '.join(told)} [{method}]"


def _plainly(value: Any) -> str:
    match value:
        case list():
            return "; ".join(map(str, value))
        case dict():
            return ", ".join(f"{key} {part}" for key, part in value.items())
        case _:
            return str(value)


def _short(value: Any) -> str:
    match value:
        case float():
            return f"{value:.2f}"
        case list() if not value:
            return "none"
        case list():
            rest = f"; and {len(value) - _MANY} more" if len(value) > _MANY else ""
            return "; ".join(_short(part) for part in value[:_MANY]) + rest
        case dict():
            return " ".join(_short(part) for part in value.values() if part not in (None, [], ""))
        case _:
            return str(value)
