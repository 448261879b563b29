"""A plan: operations with named results, its canonical text and its fingerprint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

from remit.contract.value import digest_of
from remit.repair.ops import Docs, GenerateAnswer, Operation, Ref

GIVEN: Final = frozenset({"question", "doc_list", "previous_pred"})
FINAL: Final = "final_answer"
MAX_STEPS: Final = 12
MAX_TOPK: Final = 45


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a plan: a name bound to an operation's result."""

    name: str
    operation: Operation


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order; the last binds `final_answer`. Made by `parse` or by a planner, and checked by `check`."""

    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        """Return the plan in the paper's call syntax; parsing it gives this plan again."""
        return "\n".join(f"{step.name} = {_call(step.operation, {})}" for step in self.steps)

    @property
    def answers_only(self) -> bool:
        """Say whether the plan brings no new evidence: it only answers again."""
        return all(isinstance(step.operation, GenerateAnswer) for step in self.steps)

    def fingerprint(self, passages: tuple[str, ...], snapshot: str) -> str:
        """Return the digest of operations, arguments, passage ids in use and snapshot.

        Two plans with one fingerprint would do the same thing again. Names of results do not matter, nor does how lists
        of passages nest. All plans that only answer again have one: that counts once for the same evidence, however it is
        worded.
        """
        if self.answers_only:
            return digest_of(["answer again", sorted(passages), snapshot])
        # A step's number can be no name in a plan, so that a result and a given name are never mixed up.
        names = {step.name: str(index) for index, step in enumerate(self.steps)}
        calls = [_call(step.operation, names, flat=True) for step in self.steps]
        return digest_of([calls, sorted(passages), snapshot])


def leaves(docs: Docs) -> Iterator[Ref]:
    """Yield the names in `docs`, in order, however deep they lie."""
    if isinstance(docs, Ref):
        yield docs
        return
    for part in docs:
        yield from leaves(part)


def _call(operation: Operation, names: dict[str, str], *, flat: bool = False) -> str:
    shown = []
    for index, field in enumerate(fields(operation)):
        value = getattr(operation, field.name)
        if value is None:
            continue
        if flat and field.name in {"doc", "docs"}:
            value = tuple(leaves(value))
        text = _argument(value, names)
        shown.append(text if index < 2 else f"{field.name}={text}")  # noqa: PLR2004 -- the paper names from the third on
    return f"{type(operation).__name__}({', '.join(shown)})"


def _argument(value: object, names: dict[str, str]) -> str:
    match value:
        case Ref(name=name, item=None):
            return names.get(name, name)
        case Ref(name=name, item=item):
            return f"{names.get(name, name)}[{item}]"
        case tuple():
            return "[" + ", ".join(_argument(part, names) for part in value) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
