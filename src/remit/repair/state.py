"""The states of RePAIR, section 3.1, as a language model is shown them: off-policy with an oracle, on-policy without."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from remit.answer.draft import Draft
from remit.answer.evidence import Evidence
from remit.contract.value import DocumentText, Value
from remit.observe.observation import Estimate
from remit.repair.planner import State

_SPANS = 5


class OnPolicy(Value):
    """(q, D, a0, c-hat): question, passages, response and whether it looks correct, by an estimate. Also at inference."""

    question: str
    documents: tuple[DocumentText, ...]
    response: DocumentText | None
    looks_correct: bool


class OffPolicy(Value):
    """(q, D, a0, c, r0): question, passages, response, whether it is correct by the gold answer, and how it came about.

    `reasoning` is the drafter's trace of an incorrect response; a correct one has none.
    """

    question: str
    documents: tuple[DocumentText, ...]
    response: DocumentText | None
    correct: bool
    reasoning: DocumentText | None

    @model_validator(mode="after")
    def _traced_where_wrong(self) -> Self:
        if (self.reasoning is None) != self.correct:
            raise ValueError("a trace of the reasoning belongs to an incorrect response, and to no other")
        return self


def on_policy(state: State) -> OnPolicy:
    """Return the state at inference. A response whose correctness could not be estimated does not look correct."""
    seen = state.seen.estimate
    return OnPolicy(
        question=state.contract.claim,
        documents=_documents(state),
        response=state.draft.answer,
        looks_correct=isinstance(seen, Estimate) and seen.looks_correct,
    )


def off_policy(state: State, *, correct: bool, reasoning: str) -> OffPolicy:
    """Return the state that training sees before it goes on-policy; `correct` is by the gold answer."""
    return OffPolicy(
        question=state.contract.claim,
        documents=_documents(state),
        response=state.draft.answer,
        correct=correct,
        reasoning=None if correct else reasoning,
    )


def reasoning_of(draft: Draft, weighed: tuple[Evidence, ...]) -> str:
    """Return how a draft came about, r0: a model's quotations; of an answerer that quotes, the spans that it scored."""
    if draft.cost.model_calls:
        lines = [f"{claim.text} [{'; '.join(c.quote for c in claim.citations)}]" for claim in draft.claims]
        return "\n".join(lines) or draft.why or "nothing was quoted"
    lines = [
        f"{evidence.weight:.2f} {evidence.hit.source.title}: {evidence.text}"
        + ("" if evidence.found is None else f" -> {evidence.found.text}")
        for evidence in weighed[:_SPANS]
    ]
    return "\n".join(lines) or "no sentence was found"


def _documents(state: State) -> tuple[str, ...]:
    return tuple(
        "\n".join((" / ".join((hit.source.title, *hit.passage.section)), hit.passage.text))
        for hit in state.ranking.hits
    )
