"""Remit itself: the whole line with its controller, as it serves."""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.answer.draft import Draft
from remit.ask import Line
from remit.baselines.system import Need
from remit.baselines.work import Work, once
from remit.contract.budget import Budget
from remit.decide.decision import Action
from remit.record.trace import Entry, Trace
from remit.repair.planner import Repaired
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates


@dataclass(frozen=True, slots=True)
class Governed:
    """Asks the line. Its decision is what it did; a draft that it withheld is no answer."""

    line: Line = field(repr=False)
    label: str = "remit"
    paper: str = ""

    @property
    def name(self) -> str:
        """Its label and its operating point."""
        return f"{self.label} ({self.line.point.name})"

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing beyond the common parts."""
        return frozenset()

    def answer(self, work: Work) -> Draft:
        """Return the draft that was released, or one without an answer, saying which decision was taken."""
        trace = Trace("lab", keep_text=True)
        outcome = self.line.ask(work.asked.contract, work.asked.principal, trace, work.patience)
        self._put_down(work, trace.entries)
        work.decided = str(outcome.decision.action)
        last = [Draft.model_validate(entry.data) for entry in trace.entries if entry.kind == "Draft"]
        repaired = [one.draft for one in _of(trace.entries) if one.accepted]
        draft = (*last, *repaired)[-1] if last or repaired else Draft(answer=None, method=self.name)
        if outcome.decision.action is Action.ANSWER:
            return draft.model_copy(update={"answer": outcome.answer})
        why = f"{outcome.decision.action}: {outcome.decision.reason}"
        return draft.model_copy(update={"answer": None, "claims": (), "why": why})

    def _put_down(self, work: Work, entries: list[Entry]) -> None:
        rankings = [Ranking.model_validate(entry.data) for entry in entries if entry.kind == "Ranking"]
        budgets = [Budget.model_validate(entry.data) for entry in entries if entry.kind == "Budget"]
        work.searches += 1
        work.steps += ["retrieve", "rerank", "answer"]
        for one in _of(entries):
            work.did("plan")
            work.steps += [step.operation for step in one.steps if step.name != "final_answer"] + ["answer"]
            work.searches += sum(step.operation == "Retrieval" for step in one.steps)
            rankings += [one.ranking] if one.accepted else []
        work.budget = budgets[-1] if budgets else work.budget
        work.sent = rankings[-1].hits if rankings else ()
        found = next((Candidates.model_validate(entry.data) for entry in entries if entry.kind == "Candidates"), None)
        chosen = rankings[0].hits if rankings else ()
        work.ranked = once((*chosen, *(() if found is None else found.hits)))


def _of(entries: list[Entry]) -> list[Repaired]:
    return [Repaired.model_validate(entry.data) for entry in entries if entry.kind == "Repaired"]
