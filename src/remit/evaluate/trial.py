"""A trial: what one system did with one question, and how near that comes to what is right. One JSON line each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, Literal

from remit.baselines.system import Ended, Result
from remit.cases.case import Case
from remit.cases.formats.question import Question
from remit.contract.value import Value
from remit.decide.decision import Action
from remit.evaluate.grade import graded
from remit.measure.ranking import hit_by_answer, ndcg, recall
from remit.measure.rouge import rouge_l
from remit.measure.text import best, exact_match, normalised, token_f1

DEPTHS: Final = (5, 10, 20)
_QUOTE: Final = 280
CORRECT: Final = 0.5
"""Token F1 from which an answer counts as correct where calibration and risk are measured."""


class Trial(Value):
    """One question under one system.

    `em`, `f1`, `rouge_l` and `accuracy` are the best over the golden answers, 0 where no answer was given, and None where the
    question has none to give. `parts_held` is the share of an answer's parts that are in it, where the set names parts: ASQA's
    STR-EM over its readings, RGB's integration. Recalls and nDCG are None where the set names no gold text. `seconds` are the system's own
    and not reproducible; everything else is. `fell_back` says that the answer came from the extractive answerer
    because the model did not do its part. `under` is the digest of everything that made the trial but its case.
    `leaks` are revisions that the asker may not read and that were ranked, sent or quoted. `likeness` is what the experiment's
    `[likeness]` measures between the answer and the nearest golden one; None where it has none.
    """

    schema_version: Literal[1] = 1
    system: str
    set: str
    case: str
    digest: str
    under: str = ""
    group: str
    kind: str
    question: str
    golden: tuple[str, ...]
    answerable: bool
    action: str
    right: bool
    answer: str | None
    why: str = ""
    ended: str = "done"
    failure: str = ""
    em: float | None
    f1: float | None
    rouge_l: float | None
    accuracy: float | None
    parts_held: float | None = None
    supported: bool | None
    confidence: float | None
    quotes: tuple[str, ...] = ()
    k: int
    gold: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    recalls: tuple[float | None, ...]
    recall_sent: float | None
    ndcg: float | None
    hit_sent: float | None
    steps: tuple[str, ...]
    searches: int
    calls: int
    tokens: int
    price: float | None
    seconds: float
    fell_back: bool = False
    leaks: tuple[str, ...] | None = None
    likeness: float | None = None

    @property
    def answered(self) -> bool:
        """Say whether an answer was given."""
        return self.action == Action.ANSWER and self.answer is not None

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what tells this trial from every other of a run."""
        return self.set, self.digest, self.system


def case_of(question: Question, *, asker: str, group: str, part: str = "") -> Case:
    """Return the case that a set's question makes: to be answered where it can be, else to be declined.

    Where sources conflict, asking back and handing over are as acceptable as an answer.
    """
    acceptable: tuple[Action, ...] = (Action.ANSWER,) if question.answerable else (Action.ABSTAIN, Action.REVIEW)
    if question.answerable and question.kind in {"conflict", "ambiguous"}:
        acceptable = (Action.ANSWER, Action.CLARIFY, Action.REVIEW)
    return Case(
        id=question.id,
        question=question.question,
        asker=asker,
        acceptable=acceptable,
        golden_answers=question.answers if question.answerable else (),
        gold_documents=question.gold,
        kind=str(question.more.get("kind") or question.kind) if question.answerable else "unanswerable",
        group=group,
        part=part,
    )


def trial_of(
    case: Case,
    result: Result,
    *,
    system: str,
    set_name: str,
    digest: str,
    seconds: float,
    parts: Sequence[Sequence[str]] = (),
) -> Trial:
    """Return the trial of a result. A question that failed gave no answer, and counts."""
    answer = result.answer if result.ended is not Ended.FAILED else None
    draft = result.draft
    cited = [] if draft is None else [c.model_dump(mode="json", context={"keep_text": True}) for c in draft.citations]
    grade = graded(case, answer, cited) if answer is not None else None
    golden = set(case.gold_documents)
    ranked, sent = ([_named(id, golden) for id in ids] for ids in (result.ranked, result.sent))
    answered = answer is not None and result.action == Action.ANSWER
    return Trial(
        system=system,
        set=set_name,
        case=case.id,
        digest=digest,
        group=case.grouped,
        kind=case.kind,
        question=case.question,
        golden=case.golden_answers,
        answerable=case.answerable,
        action=result.action,
        right=result.action in case.acceptable and result.ended is not Ended.FAILED,
        answer=answer,
        why=("" if draft is None else draft.why)[:_QUOTE],
        ended=str(result.ended),
        failure=result.failure[:_QUOTE],
        **_nearness(case, answer if answered else None),
        supported=None if grade is None or not answered else case.answerable and grade.supported,
        confidence=None if draft is None or answer is None else draft.confidence,
        quotes=tuple(str(one["quote"])[:_QUOTE] for one in cited[:3]),
        k=len(result.sent),
        gold=case.gold_documents,
        ranked=result.ranked,
        sent=result.sent,
        recalls=tuple(recall(ranked, golden, depth) for depth in DEPTHS),
        recall_sent=recall(sent, golden, len(sent)) if sent or golden else None,
        ndcg=ndcg(ranked, golden),
        hit_sent=_hit(case, result.texts),
        **_spent(result, seconds),
        fell_back=draft is not None and draft.why.startswith("without the model"),
    )


def _spent(result: Result, seconds: float) -> dict[str, Any]:
    return {
        "steps": result.steps,
        "searches": result.searches,
        "calls": result.cost.model_calls,
        "tokens": result.cost.tokens,
        "price": result.cost.price,
        "seconds": round(seconds, 4),
    }


def accuracy(answer: str, golden: Sequence[str]) -> float:
    """Return 1 where an answer holds a golden one, both normalised, as whole words: TriviaQA's and FEVER's measure.

    An empty answer holds nothing, and an empty golden answer is held by none: containment alone would give 1 for both.
    """
    held = f" {normalised(answer)} "
    return float(any(f" {one} " in held for one in map(normalised, golden) if one) and bool(held.strip()))


def parts_held(answer: str | None, parts: Sequence[Sequence[str]]) -> float | None:
    """Return the share of parts of which one spelling is in the answer; None where there are no parts."""
    return sum(accuracy(answer or "", spellings) for spellings in parts) / len(parts) if parts else None


def parts_of(question: Question) -> tuple[tuple[str, ...], ...]:
    """Return the parts that a question's answer has: each reading's short answers (ASQA), each part's spellings (RGB)."""
    readings = [reading["answers"] for reading in question.more.get("readings", ())]
    spelled = question.more.get("parts", ()) if question.kind == "integration" else ()
    return tuple(tuple(map(str, one)) for one in (*readings, *spelled))


def _nearness(case: Case, answer: str | None) -> dict[str, Any]:
    if not case.answerable or not case.golden_answers:
        return dict.fromkeys(("em", "f1", "rouge_l", "accuracy"))
    if answer is None:
        return dict.fromkeys(("em", "f1", "rouge_l", "accuracy"), 0.0)
    golden = case.golden_answers
    return {
        "em": best(exact_match, answer, golden),
        "f1": best(token_f1, answer, golden),
        "rouge_l": best(lambda one, other: rouge_l(one, other).f1, answer, golden),
        "accuracy": accuracy(answer, golden),
    }


def _hit(case: Case, texts: Sequence[str]) -> float | None:
    return hit_by_answer(texts, case.golden_answers, len(texts)) if case.answerable and case.golden_answers else None


def _named(passage: str, golden: Collection[str]) -> str:
    """Return what a passage ``document@revision#ordinal`` is of: the revision where the case names that, else the document."""
    revision = passage.rpartition("#")[0]
    return revision if revision in golden else passage.partition("@")[0]
