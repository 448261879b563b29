"""Evidence weighed by its words alone, a draft from the heaviest sentence, and a record of revisions written by hand."""

from __future__ import annotations

import numpy as np

from remit.access.scope import Scope
from remit.answer.draft import Citation, Claim, Draft
from remit.answer.evidence import Evidence, weigh
from remit.contract.contract import Contract
from remit.corpus.document import Passage, Revision, Snapshot
from remit.llm.embed import Vectors
from remit.rerank.ranking import Ranking


def weighed(contract: Contract, ranking: Ranking) -> tuple[Evidence, ...]:
    """Weigh with an encoder to which all sentences are equally alike, so that the words alone tell them apart."""

    def vectors(passage: Passage) -> Vectors:
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(passage.sentences), 1))

    return weigh(contract, ranking, np.array([[1.0, 0.0]], dtype=np.float32), vectors, lambda word, others: 0.0)


def drafted(contract: Contract, ranking: Ranking) -> Draft:
    """Draft from the heaviest sentence."""
    best = weighed(contract, ranking)[0]
    passage = best.hit.passage
    citation = Citation.of(
        document=passage.document, revision=passage.revision, passage=passage.id, span=best.span, quote=best.text
    )
    answer = best.found.text if best.found else best.text
    claims = (Claim(text=best.text, citations=(citation,), support=1.0),)
    return Draft(answer=answer, claims=claims, confidence=best.weight, method="t")


class Record:
    """A record of revisions written by hand."""

    def __init__(self, *revisions: Revision) -> None:
        """Keep these revisions."""
        self._revisions = revisions

    def revisions(self, document: str, scope: Scope, *, snapshot: Snapshot) -> tuple[Revision, ...]:
        """Return those of a document."""
        return tuple(r for r in self._revisions if r.document == document and snapshot and scope)


def held(*sources: Revision) -> frozenset[str]:
    """Name these revisions as valid."""
    return frozenset(source.id for source in sources)
