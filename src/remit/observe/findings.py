"""What readings are made of: one passage, fact, conflict, key, revision or citation each."""

from __future__ import annotations

from typing import Literal

from remit.contract.value import Value

State = Literal[
    "current",
    "as-of",
    "named",
    "superseded",
    "expired",
    "future",
    "withdrawn",
    "draft",
    "unlabelled",
    "conflicting-metadata",
]
"""How a revision stands to the contract. `current`, `as-of` and `named` hold; an unlabelled one does where it is alone."""

ConflictKind = Literal["value", "unit", "date", "negation", "applicability"]
"""In what two statements differ: an amount, what it is measured in, a day, yes and no, or what the answer applies to."""


class PassageScore(Value):
    """A passage by id, with the probability that it is one to answer from.

    `about` in [0, 1] is how far its heaviest sentence speaks of what is asked: it orders passages and is no probability.
    """

    passage: str
    probability: float
    about: float | None = None


class FactSupport(Value):
    """How far the cited evidence holds one required fact, in [0, 1], and by which passages.

    `about` is the kind of fact, as in the contract; an optional one is told and not required.
    """

    fact: str
    support: float
    passages: tuple[str, ...] = ()
    about: Literal["entity", "topic", "focus", "value", ""] = ""
    optional: bool = False


class Side(Value):
    """One side of a conflict: a passage, and the span of the statement in the text of its revision."""

    passage: str
    document: str
    revision: str
    start: int
    end: int


class Conflict(Value):
    """Two valid, authoritative passages that say different things about the same, where each says so, and in what."""

    about: str
    first: str
    second: str
    differs: ConflictKind = "value"
    sides: tuple[Side, ...] = ()


class OpenParameter(Value):
    """A key the question leaves open, and the values, readable by the asker, on which the answer differs.

    `known_from` says where the key stands: in the record of the revisions, in a table, or in headings.
    """

    key: str
    values: tuple[str, ...]
    passages: tuple[str, ...]
    known_from: Literal["record", "table", "heading"] = "record"


class DraftFault(Value):
    """A statement of the draft that its own quotations do not carry, by its number, and in what it differs from them."""

    claim: int
    differs: ConflictKind
    passages: tuple[str, ...] = ()


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


class RevisionState(Value):
    """How one revision of the ranking stands to the contract; `used` says that the draft rests on it."""

    revision: str
    state: State
    holds: bool
    used: bool = False


class CitationFault(Value):
    """Why a citation does not stand, by its quote's digest."""

    digest: str
    passage: str
    reason: Literal["not_in_use", "other_revision", "outside_scope", "outside_passage", "quote_differs"]
