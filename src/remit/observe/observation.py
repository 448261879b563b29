"""The observation: what was read off the evidence, and how; or why it could not be read.

Each reading has a `value`, the ids of the `evidence` it rests on, and a `method` with its `version`; or it is Unmeasured,
with the reason.
"""

from __future__ import annotations

from typing import Literal

from remit.contract.value import Value
from remit.observe.findings import (
    CitationFault,
    Conflict,
    ConflictKind,
    DraftFault,
    FactSupport,
    OpenParameter,
    PassageScore,
    RevisionFault,
    RevisionState,
    Side,
    State,
)

__all__ = [
    "Agreement",
    "Authorization",
    "CitationCheck",
    "CitationFault",
    "Conflict",
    "ConflictKind",
    "Coverage",
    "DraftFault",
    "Estimate",
    "FactSupport",
    "Observation",
    "OpenParameter",
    "PassageScore",
    "Reading",
    "Relevance",
    "RevisionFault",
    "RevisionState",
    "Side",
    "State",
    "Unmeasured",
    "Validity",
]


class Unmeasured(Value):
    """A reading that could not be taken. It counts as not enough, never as a pass and never as zero."""

    kind: Literal["unmeasured"] = "unmeasured"
    reason: str


class Reading(Value):
    """What all readings share: the method and its version, written ``name/version``."""

    method: str

    @property
    def version(self) -> str:
        """Return the version of the method."""
        return self.method.rpartition("/")[2]


class Relevance(Reading):
    """How likely each passage is to be one to answer from, and how far the best evidence is about the question.

    `best` in [0, 1] is that of the heaviest sentence, or of the quotations together where they say more than any alone; it
    is held against the operating point and is no probability. `calibration` names what the passages' probabilities were
    fitted on; None where they only order them.
    """

    kind: Literal["relevance"] = "relevance"
    passages: tuple[PassageScore, ...]
    best: float
    calibration: str | None = None

    @property
    def value(self) -> float:
        """Return `best`."""
        return self.best

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the passages that were scored."""
        return tuple(score.passage for score in self.passages)


class Coverage(Reading):
    """Which required facts the evidence holds; `share` is the weakest fact's support."""

    kind: Literal["coverage"] = "coverage"
    facts: tuple[FactSupport, ...]
    share: float

    @property
    def value(self) -> float:
        """Return `share`."""
        return self.share

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the passages that hold a fact or a part of one."""
        return tuple(dict.fromkeys(passage for fact in self.facts for passage in fact.passages))


class Agreement(Reading):
    """Where the evidence contradicts itself or the draft, and where it differs by a parameter that the question leaves open."""

    kind: Literal["agreement"] = "agreement"
    conflicts: tuple[Conflict, ...] = ()
    open_parameters: tuple[OpenParameter, ...] = ()
    draft_faults: tuple[DraftFault, ...] = ()

    @property
    def value(self) -> Literal["agrees", "contradicts", "open", "draft_differs"]:
        """Return what was found, the gravest first."""
        if self.open_parameters:
            return "open"
        if self.conflicts:
            return "contradicts"
        return "draft_differs" if self.draft_faults else "agrees"

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the passages between which, or from which, something differs."""
        told = [passage for conflict in self.conflicts for passage in (conflict.first, conflict.second)]
        told += [passage for opened in self.open_parameters for passage in opened.passages]
        told += [passage for fault in self.draft_faults for passage in fault.passages]
        return tuple(dict.fromkeys(told))


class Validity(Reading):
    """Whether each revision in use holds for the contract; `faults` are those that the draft rests on.

    `states` has every ranked revision. `ambiguous` names revisions the question cannot tell apart, `contested` those that
    another revision of the same document contradicts by its metadata.
    """

    kind: Literal["validity"] = "validity"
    holds: tuple[str, ...]
    faults: tuple[RevisionFault, ...] = ()
    ambiguous: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    states: tuple[RevisionState, ...] = ()

    @property
    def value(self) -> Literal["holds", "faulted", "ambiguous", "nothing_used"]:
        """Return whether what the draft rests on holds."""
        if self.ambiguous:
            return "ambiguous"
        if self.faults:
            return "faulted"
        return "holds" if any(state.used for state in self.states) else "nothing_used"

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the revisions that were looked up."""
        return tuple(state.revision for state in self.states) or self.holds


class Authorization(Reading):
    """What the scope opened (`readable` rows of what the contract names), which passages in use lie inside it, and outside."""

    kind: Literal["authorization"] = "authorization"
    readable: int
    outside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()

    @property
    def value(self) -> Literal["inside", "outside", "nothing_readable"]:
        """Return how the passages in use lie to the scope."""
        if self.outside:
            return "outside"
        return "inside" if self.readable > 0 else "nothing_readable"

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return every passage in use."""
        return (*self.inside, *self.outside)


class CitationCheck(Reading):
    """Which citations were found at their spans, by quote digest, and why others were not."""

    kind: Literal["citations"] = "citations"
    verified: tuple[str, ...]
    failed: tuple[str, ...] = ()
    faults: tuple[CitationFault, ...] = ()
    passages: tuple[str, ...] = ()

    @property
    def value(self) -> Literal["verified", "failed", "none"]:
        """Return whether all citations stand; a draft without any has none."""
        if self.failed:
            return "failed"
        return "verified" if self.verified else "none"

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the passages that are cited."""
        return self.passages


class Estimate(Reading):
    """RePAIR's coarse estimate: does the response look correct, from the response alone. Never an error category."""

    kind: Literal["estimate"] = "estimate"
    looks_correct: bool
    probability: float

    @property
    def value(self) -> bool:
        """Return `looks_correct`."""
        return self.looks_correct

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return nothing: the estimate rests on the response."""
        return ()


Signal = tuple[str, float | None]
"""A number read off draft and evidence, by its name; None where it could not be taken."""


class Support(Value):
    """The signals of a draft, None where one could not be taken, and the evaluator's probability that it is supported.

    `probability` is None where no evaluator is in force; `method` names signals and evaluator.
    """

    kind: Literal["support"] = "support"
    probability: float | None
    signals: tuple[Signal, ...]
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
