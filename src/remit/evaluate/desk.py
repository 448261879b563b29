"""A desk: one store opened to be asked under several operating points, without leaving anything in its journal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

from remit.access.principal import parse_principal
from remit.access.scope import labels_of
from remit.cases.case import Case
from remit.contract.budget import Budget, Limits
from remit.decide.decision import Action, Decision
from remit.decide.frozen import FrozenPoint
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.decide.rules import decide
from remit.engine import Remit
from remit.evaluate.grade import graded
from remit.evaluate.result import Drafted, Result
from remit.evaluate.sharing import Memory, under
from remit.observe.observation import Observation, Support
from remit.record.answered import Answered
from remit.record.journal import Journal
from remit.record.queue import Item
from remit.record.trace import Entry
from remit.settings import Settings

_ASKS: Final = OperatingPoint(name="rules 1 to 3 and validity alone", evaluator="any", support=0.0)


class _Forgetful(Journal):
    """Keeps nothing: what a run is to keep is in its results."""

    def __init__(self) -> None:
        """Open no file."""

    def open(self, trace: str, *, asker: str, question: str, at: datetime) -> None:
        """Let it pass."""

    def close(self, trace: str, *, entries: Sequence[Entry], decision: Decision | None, at: datetime) -> None:
        """Let it pass."""

    def asked_before(self, asker: str, question: str, queue: str) -> tuple[Item, ...]:
        """Return nothing: a case is asked as if for the first time."""
        return ()

    def shut(self) -> None:
        """There is nothing to close."""


class Desk:
    """Asks one store. Systems that follow each other on the same case share what does not depend on their points."""

    def __init__(self, store: Path, settings: Settings) -> None:
        """Open the store under settings whose own operating point is left out of account."""
        whole = settings.model_copy(update={"point": None, "keep_text": True})
        self._remit = Remit.open(store, settings=whole)
        self._remit.journal = _Forgetful()
        self._plain, self._settings = self._remit.parts.line, whole
        self._memory = Memory()
        self._labels = {revision.id: revision.labels for revision, _ in self._remit.corpus.everything()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._remit.close()

    @property
    def snapshot(self) -> str:
        """Return the digest of the corpus that is asked."""
        return self._remit.snapshot().digest

    @property
    def setup(self) -> dict[str, Any]:
        """Return the names and digests of the parts, but for the point."""
        return self._remit.parts.setup.model_dump(mode="json", exclude={"point"})

    def ask(self, case: Case, frozen: FrozenPoint, *, system: str, plan_at: OperatingPoint | None = None) -> Result:
        """Return what the line does with a case under a point; `plan_at` is the planner's, where it is to be another."""
        self._memory.turn_to(case.digest)
        planner = self._remit.parts.planner(self._settings.planner, plan_at or frozen.point)
        self._remit.parts.line = under(self._plain, frozen, self._memory, planner)
        entries: list[Entry] = []
        before, who = self._memory.saved, parse_principal(case.asker)
        done = self._remit.ask(
            case.question, principal=who, as_of=case.as_of, parameters=case.params, watch=entries.append
        )
        hidden = [id for id, labels in self._labels.items() if not labels & labels_of(who)]
        return _result(case, frozen, done, entries, system=system, shared=self._memory.saved - before, hidden=hidden)


def _result(
    case: Case,
    frozen: FrozenPoint,
    done: Answered,
    entries: Sequence[Entry],
    *,
    system: str,
    shared: float,
    hidden: Sequence[str],
) -> Result:
    outcome, used = done.outcome, done.budget.used if done.budget else None
    cited = [citation.model_dump(mode="json", context={"keep_text": True}) for citation in outcome.citations]
    released = graded(case, outcome.answer, cited) if outcome.answer is not None else None
    support = done.observation.support if done.observation else None
    failed = next((str(entry.data["part"]) for entry in entries if entry.kind == "Failure"), None)
    return Result(
        case=case.id,
        digest=case.digest,
        system=system,
        point=frozen.point.digest,
        action=outcome.decision.action,
        reason=outcome.decision.reason,
        kind=case.kind,
        group=case.grouped,
        part=case.part,
        acceptable=case.acceptable,
        acted_right=outcome.decision.action in case.acceptable and failed is None,
        answerable=case.answerable,
        evident=None if released is None else case.answerable and released.evident,
        supported=None if released is None else case.answerable and released.supported,
        em=None if released is None else released.em,
        f1=None if released is None else released.f1,
        probability=support.probability if isinstance(support, Support) else None,
        learned=frozen.point.learned,
        drafts=_drafts(case, entries),
        rounds=done.rounds,
        leaks=_leaks(done, entries, hidden),
        model_calls=used.model_calls if used else 0,
        tokens=used.tokens if used else 0,
        price=used.price if used else None,
        seconds=round(done.seconds + shared, 6),
        failed=failed,
        answer=outcome.answer,
        golden=case.golden_answers,
        question=case.question,
    )


def _drafts(case: Case, entries: Sequence[Entry]) -> tuple[Drafted, ...]:
    """Return each draft that was observed, in order, with its signals and its grade; an empty one where there was none."""
    found, draft = [], None
    for entry in entries:
        if entry.kind in {"Draft", "Repaired"}:
            draft = entry.data.get("draft", entry.data)
        elif entry.kind == "Observation" and draft is not None:
            found.append(_drafted(case, draft, Observation.model_validate(entry.data)))
    return tuple(found) or (Drafted(),)


def _drafted(case: Case, draft: dict[str, Any], seen: Observation) -> Drafted:
    cited = [citation for claim in draft["claims"] for citation in claim["citations"]]
    grade = graded(case, draft["answer"], cited)
    return Drafted(
        otherwise=_otherwise(seen),
        signals=seen.support.signals if isinstance(seen.support, Support) else (),
        evident=grade.evident,
        supported=grade.supported,
        em=grade.em,
        f1=grade.f1,
        confidence=draft["confidence"],
        there=draft["answer"] is not None,
    )


def _otherwise(seen: Observation) -> Action:
    """Return what the rules decide where the evaluator has nothing against an answer."""
    sure = Support(probability=1.0, signals=(), method="sure")
    budget = Budget.of(Limits(rounds=0), now=0.0)
    return decide(seen.model_copy(update={"support": sure}), Proposal(plan=None, policy="none"), _ASKS, budget).action


def _leaks(done: Answered, entries: Sequence[Entry], hidden: Sequence[str]) -> tuple[str, ...]:
    said = json.dumps([done.as_json(), [entry.data for entry in entries]], ensure_ascii=False)
    return tuple(id for id in hidden if id in said)
