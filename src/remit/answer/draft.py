"""The draft: a proposed answer, the claims it makes and the quotations they rest on."""

from __future__ import annotations

from typing import Literal, Protocol

from remit.access.scope import Scope
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.contract.value import DocumentText, Value, text_digest
from remit.corpus.document import Span
from remit.llm.cancel import Patience
from remit.rerank.ranking import Ranking


class Citation(Value):
    """A quotation and where it stands: never a position in a list. `digest` is that of the quote."""

    document: str
    revision: str
    passage: str
    start: int
    end: int
    quote: DocumentText
    digest: str

    @classmethod
    def of(cls, *, document: str, revision: str, passage: str, span: Span, quote: str) -> Citation:
        """Return a citation of `quote` at `span` of the revision's text."""
        return cls(
            document=document,
            revision=revision,
            passage=passage,
            start=span.start,
            end=span.end,
            quote=quote,
            digest=text_digest(quote),
        )

    @property
    def revision_id(self) -> str:
        """Return ``document@revision``."""
        return f"{self.document}@{self.revision}"


class Claim(Value):
    """One statement of the answer and the citations it rests on; `support` in [0, 1] is how well they carry it."""

    text: DocumentText
    citations: tuple[Citation, ...]
    support: float


class Judged(Value):
    """What a judge of entailment said of a statement, by its digest; `score` where it gave one.

    Unmeasured, with why, where it gave no verdict that can be read; that is not supported.
    """

    statement: str
    verdict: Literal["supported", "not supported", "unmeasured"]
    judge: str
    score: float | None = None
    why: str = ""


class Draft(Value):
    """A proposed answer, not yet released. `answer` is None where the passages gave none, and `why` says so.

    `answer` is the shortest span, date, yes or no, list or text that the contract's form asks for; `claims` carry the
    quotations. `confidence` in [0, 1] is the answerer's own and is no release decision; `chance` is that of its words, where a
    scorer chose them. `judged` holds the verdicts on what
    it said, those on what was taken away among them, where a judge of entailment is configured.
    """

    answer: DocumentText | None
    claims: tuple[Claim, ...] = ()
    confidence: float = 0.0
    chance: float | None = None
    method: str
    why: str = ""
    cost: Cost = Cost()
    judged: tuple[Judged, ...] = ()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Return the citations of all claims, each once, in order."""
        return tuple(dict.fromkeys(citation for claim in self.claims for citation in claim.citations))


class Answerer(Protocol):
    """Drafts an answer from a ranking. No passages: no model call, and an empty draft."""

    name: str

    def draft(self, contract: Contract, ranking: Ranking, scope: Scope, budget: Budget, patience: Patience) -> Draft:
        """Return a draft that rests on the ranking's passages and on nothing else."""
