"""Does a draft rest on its evidence, and do its quotations hold what the case knows to be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from remit.cases.case import Case
from remit.cases.swap import holds
from remit.measure.text import best, exact_match, normalised, token_f1

_NEAR: Final = 0.5
"""Token F1 from which an answer counts as the golden one."""
_LONG: Final = 12
"""Words from which a golden answer is prose: no quotation holds it, so it counts which document is quoted."""
_YES_NO: Final = frozenset({"yes", "no"})


class Grade(NamedTuple):
    """Whether an answer rests on its evidence, whether what is quoted holds it, and how near it comes to a golden one."""

    evident: bool
    supported: bool
    em: float
    f1: float


def graded(case: Case, answer: str | None, citations: Sequence[Mapping[str, Any]]) -> Grade:
    """Return the grade of an answer with its citations (document, revision, quote), released or not.

    It is evident where a quotation stands in a gold document, or holds a golden answer that was given; whether the case admits an
    answer at all is another matter. It is supported where the quotation itself holds a golden answer, out of a gold document or
    with that answer given. Where no quotation can hold it (yes and no, a thing that the question names), the answer has to be right and a
    gold document quoted; where the golden answer is prose, a gold document has to be quoted.
    """
    if answer is None:
        return Grade(evident=False, supported=False, em=0.0, f1=0.0)
    em, f1 = best(exact_match, answer, case.golden_answers), best(token_f1, answer, case.golden_answers)
    if not citations:
        return Grade(evident=False, supported=False, em=em, f1=f1)
    cites_gold = any(_cites(case, citation) for citation in citations)
    right = f1 >= _NEAR or holds(answer, case.golden_answers)
    if all(len(golden.split()) > _LONG for golden in case.golden_answers):
        return Grade(evident=cites_gold, supported=cites_gold, em=em, f1=f1)
    if _reasoned(case):
        return Grade(evident=cites_gold, supported=cites_gold and right, em=em, f1=f1)
    quoted = any(holds(str(citation["quote"]), case.golden_answers) for citation in citations)
    return Grade(evident=cites_gold or (quoted and right), supported=quoted and (cites_gold or right), em=em, f1=f1)


def _cites(case: Case, citation: Mapping[str, Any]) -> bool:
    document, revision = citation["document"], f"{citation['document']}@{citation['revision']}"
    return document in case.gold_documents or revision in case.gold_documents


def _reasoned(case: Case) -> bool:
    """Say whether the golden answer is no span of the evidence: yes or no, or something that the question names."""
    golden = [normalised(one) for one in case.golden_answers]
    return any(one in _YES_NO for one in golden) or holds(case.question, case.golden_answers)
