"""A second look at a draft: do its quotations entail what it says? What a judge does not find supported is taken away.

It stands on top of the exact checks (numbers, dates, units, names, negation), which have had their say before it: it can only
take away. A verdict that was not given, or that cannot be read, is unmeasured, and unmeasured is not supported.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from remit.access.scope import Scope
from remit.answer.draft import Answerer, Claim, Draft, Judged
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.llm.cancel import Patience
from remit.rerank.ranking import Ranking


class Asserted(NamedTuple):
    """What is to be judged: a statement that answers a question, and the quotations it rests on."""

    question: str
    statement: str
    quotes: tuple[str, ...]


class Judgement(NamedTuple):
    """What a judge made of each statement, in order, and what that cost."""

    verdicts: tuple[Judged, ...]
    cost: Cost


class Judge(Protocol):
    """Says of statements whether their quotations entail them. `reserve` is what is kept back for it while drafting."""

    name: str
    reserve: Cost

    def judge(self, asserted: tuple[Asserted, ...], budget: Budget, patience: Patience) -> Judgement:
        """Return a verdict for each; one that budget or backend did not allow is unmeasured.

        Raises:
            Cancelled: the asker went away, or the whole time is up.
        """


class Entailed:
    """Drafts as another answerer does, and hands out only what the judge finds supported by its quotations."""

    def __init__(self, answerer: Answerer, judge: Judge) -> None:
        """Take who drafts and who judges."""
        self.name = f"{answerer.name} | {judge.name}"
        self._answerer = answerer
        self._judge = judge

    def draft(self, contract: Contract, ranking: Ranking, scope: Scope, budget: Budget, patience: Patience) -> Draft:
        """Return the other's draft without the claims that its quotations do not entail; an empty one where none is left.

        Raises:
            Cancelled: the asker went away, or the whole time is up.
        """
        drafted = self._answerer.draft(contract, ranking, scope, budget.spend(self._judge.reserve), patience)
        if drafted.answer is None or not drafted.claims:
            return drafted
        whole = whole_answer(contract, drafted)
        asserted = (whole,) if whole is not None else tuple(_asserted(contract, claim) for claim in drafted.claims)
        judgement = self._judge.judge(asserted, budget.spend(drafted.cost), patience)
        told = {"judged": judgement.verdicts, "cost": drafted.cost.plus(judgement.cost)}
        held = [verdict.verdict == "supported" for verdict in judgement.verdicts]
        if all(held):
            return drafted.model_copy(update=told)
        kept = () if whole is not None else _kept(drafted.claims, held)
        why = "; ".join(
            dict.fromkeys(
                v.why or "a statement that its quotations do not entail"
                for v in judgement.verdicts
                if v.verdict != "supported"
            )
        )
        left = "; ".join(filter(None, (drafted.why, f"left out: {why}")))
        answer = ("; " if contract.form == "list" else " ").join(claim.text for claim in kept) or None
        confidence = min((claim.support for claim in kept), default=0.0)
        return drafted.model_copy(
            update={**told, "answer": answer, "claims": kept, "confidence": confidence, "why": left}
        )


def whole_answer(contract: Contract, draft: Draft) -> Asserted | None:
    """Return the answer as one statement where its claims are quotations or it is a short one; None where each claim is one."""
    quoting = all(claim.text in {citation.quote for citation in claim.citations} for claim in draft.claims)
    if not quoting and contract.form in {"text", "list"}:
        return None
    quotes = tuple(citation.quote for citation in draft.citations)
    return Asserted(contract.question, draft.answer or "", quotes)


def _asserted(contract: Contract, claim: Claim) -> Asserted:
    return Asserted(contract.question, claim.text, tuple(citation.quote for citation in claim.citations))


def _kept(claims: tuple[Claim, ...], held: list[bool]) -> tuple[Claim, ...]:
    return tuple(claim for claim, supported in zip(claims, held, strict=True) if supported)
