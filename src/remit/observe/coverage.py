"""Which required facts does the cited evidence hold."""

from __future__ import annotations

from typing import Final

from remit.answer.draft import Draft
from remit.answer.evidence import Evidence, quoted, together
from remit.answer.facts import words_of
from remit.contract.contract import Contract
from remit.observe.observation import Coverage, FactSupport
from remit.rerank.ranking import Ranking

METHOD: Final = "fact-terms/1"


def coverage(contract: Contract, ranking: Ranking, draft: Draft, weighed: tuple[Evidence, ...]) -> Coverage:
    """Return for each required fact how far the draft's quotations together hold it; without citations, not at all.

    `ranking` holds the passages that `weighed` was weighed among: words count by how rare they are in them.
    """
    cited = quoted(draft, weighed)
    facts = []
    for index, (fact, support) in enumerate(
        zip(contract.facts, together(contract, words_of(contract, ranking), cited), strict=True)
    ):
        by = tuple(dict.fromkeys(e.hit.passage.id for e in cited if e.support[index] > 0))
        facts.append(
            FactSupport(fact=fact.name, support=round(support, 6), passages=by, about=fact.kind, optional=fact.optional)
        )
    required = [made.support for fact, made in zip(contract.facts, facts, strict=True) if not fact.optional]
    share = min(required, default=0.0)  # a question that asks for nothing has no answer
    return Coverage(facts=tuple(facts), share=share, method=METHOD)
