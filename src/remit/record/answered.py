"""What an ask gives back, and the asker's view of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.corpus.document import Snapshot
from remit.observe.observation import Observation
from remit.record.trace import Entry
from remit.settle.outcome import Outcome

KEEP_TEXT = {"keep_text": True}


class Place(NamedTuple):
    """Where a passage stands, in words: document, revision, title, and the heading path below the title."""

    document: str
    revision: str
    title: str
    section: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.document, f"revision {self.revision}", self.title, *self.section)))


@dataclass(frozen=True, slots=True)
class Answered:
    """The outcome of a question and what led to it. `trace` is the id under which the whole of it is recorded.

    This is the service's view. What the asker may see of it is `as_json`.
    """

    outcome: Outcome
    contract: Contract
    observation: Observation | None
    budget: Budget | None
    snapshot: Snapshot | None
    trace: str
    rounds: int
    seconds: float
    places: dict[str, Place]

    @classmethod
    def of(cls, outcome: Outcome, contract: Contract, entries: Sequence[Entry], *, trace: str, seconds: float) -> Self:
        """Return the answer of a finished trace; what the line did not reach is None."""
        last = {entry.kind: entry.data for entry in entries}
        budget = Budget.model_validate(last["Budget"]) if "Budget" in last else None
        return cls(
            outcome=outcome,
            contract=Contract.model_validate(last["Contract"]) if "Contract" in last else contract,
            observation=Observation.model_validate(last["Observation"]) if "Observation" in last else None,
            budget=budget,
            snapshot=Snapshot.model_validate(last["Snapshot"]) if "Snapshot" in last else None,
            trace=trace,
            rounds=budget.used.rounds if budget is not None else 0,
            seconds=seconds,
            places=dict(places(entries)),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the asker's view. Where the outcome is closed it shows nothing that tells hidden from absent."""
        outcome, shown, is_open = self.outcome, self.outcome.shown, not self.outcome.closed
        return {
            "decision": str(shown.action),
            "reason": shown.reason,
            "message": outcome.message,
            "answer": outcome.answer,
            "citations": [citation.model_dump(mode="json", context=KEEP_TEXT) for citation in outcome.citations],
            "missing": list(shown.missing),
            "observation": self.observation.model_dump(mode="json") if self.observation and is_open else None,
            "budget": self._spent(self.budget) if self.budget and is_open else None,
            "snapshot": self.snapshot.digest if self.snapshot else None,
            "trace": self.trace,
            "rounds": self.rounds if is_open else None,
        }

    def _spent(self, budget: Budget) -> dict[str, Any]:
        used = {**budget.used.model_dump(mode="json"), "seconds": round(self.seconds, 3)}
        return {"limit": budget.limits.model_dump(mode="json"), "used": used}


def places(entries: Sequence[Entry]) -> Iterator[tuple[str, Place]]:
    """Yield where each passage stands that was found or ranked, at first or by a repair."""
    kinds = ("Candidates", "Ranking", "Repaired")
    rankings = [entry.data.get("ranking", entry.data) for entry in entries if entry.kind in kinds]
    for hit in (hit for ranking in rankings for hit in ranking["hits"]):
        passage, title = hit["passage"], hit["source"]["title"]
        section = tuple(heading for heading in passage["section"] if heading != title)
        yield passage["id"], Place(passage["document"], passage["revision"], title, section)
