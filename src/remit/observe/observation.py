"""The observation: what was read off the evidence, and how; or why it could not be read."""

from __future__ import annotations

from typing import Literal

from remit.contract.value import Value
from remit.observe.support import Support


class Unmeasured(Value):
    """A reading that could not be taken. It counts as not enough, never as a pass and never as zero."""

    kind: Literal["unmeasured"] = "unmeasured"
    reason: str


class PassageScore(Value):
    """A passage by id with a probability."""

    passage: str
    probability: float


class Relevance(Value):
    """How likely each passage is to be about the question."""

    kind: Literal["relevance"] = "relevance"
    passages: tuple[PassageScore, ...]
    best: float
    method: str


class FactSupport(Value):
    """How far the cited evidence holds one required fact, in [0, 1], and by which passages."""

    fact: str
    support: float
    passages: tuple[str, ...] = ()


class Coverage(Value):
    """Which required facts the evidence holds; `share` is the weakest fact's support."""

    kind: Literal["coverage"] = "coverage"
    facts: tuple[FactSupport, ...]
    share: float
    method: str


class Conflict(Value):
    """Two valid, authoritative passages that give different values for the same thing."""

    about: str
    first: str
    second: str


class OpenParameter(Value):
    """A key the question leaves open, and the values, readable by the asker, on which the answer differs."""

    key: str
    values: tuple[str, ...]
    passages: tuple[str, ...]


class Agreement(Value):
    """Where the evidence contradicts itself, and where it differs by a parameter that the question leaves open."""

    kind: Literal["agreement"] = "agreement"
    conflicts: tuple[Conflict, ...] = ()
    open_parameters: tuple[OpenParameter, ...] = ()
    method: str


class RevisionFault(Value):
    """A revision in use that does not hold for the contract, or of which that is not known."""

    revision: str
    reason: Literal[
        "superseded",
        "draft",
        "withdrawn",
        "expired",
        "future",
        "undated",
        "conflicting-metadata",
        "other-applicability",
    ]


class Validity(Value):
    """Whether each revision in use holds for the contract; `faults` are those that the draft rests on.

    `ambiguous` names revisions the question cannot tell apart, `contested` those that another revision of the same
    document contradicts by its metadata.
    """

    kind: Literal["validity"] = "validity"
    holds: tuple[str, ...]
    faults: tuple[RevisionFault, ...] = ()
    ambiguous: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    method: str


class Authorization(Value):
    """What the scope opened (`readable` rows of what the contract names) and which passages in use lie outside it."""

    kind: Literal["authorization"] = "authorization"
    readable: int
    outside: tuple[str, ...] = ()
    method: str


class CitationCheck(Value):
    """Which citations were found at their spans, by quote digest."""

    kind: Literal["citations"] = "citations"
    verified: tuple[str, ...]
    failed: tuple[str, ...] = ()
    method: str


class Estimate(Value):
    """RePAIR's coarse estimate: does the response look correct, from the response alone. Never an error category."""

    kind: Literal["estimate"] = "estimate"
    looks_correct: bool
    probability: float
    method: str


class Observation(Value):
    """Everything `decide` may look at."""

    kind: Literal["observation"] = "observation"
    relevance: Relevance | Unmeasured
    coverage: Coverage | Unmeasured
    agreement: Agreement | Unmeasured
    validity: Validity | Unmeasured
    authorization: Authorization | Unmeasured
    citations: CitationCheck | Unmeasured
    estimate: Estimate | Unmeasured
    support: Support | Unmeasured = Unmeasured(reason="no signals were taken")
