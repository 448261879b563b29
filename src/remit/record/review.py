"""What people do with an item of a queue: events that are only ever added, and the state that follows from them.

An item is open until `reviewers` people have given a verdict, each under a lease of their own and none seeing another's.
Where they agree it is resolved; where they do not, a person who gave none adjudicates. What is resolved stays so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field, JsonValue

from remit.contract.value import Value
from remit.errors import InvalidInput

Stand = Literal["open", "disputed", "answered", "corrected", "declined"]


class Taken(InvalidInput):
    """Somebody else was first, or the item is settled; look at it again."""


class Quoted(Value):
    """A quotation that a reviewer's answer rests on: code points `start` to `end` of a revision's text."""

    document: str
    revision: str
    start: int
    end: int
    quote: str


class Answer(Value):
    """The reviewer answers the question, from documents."""

    kind: Literal["answer"] = "answer"
    text: str
    citations: tuple[Quoted, ...]
    why: str = ""


class Correct(Value):
    """The reviewer proposes to say something else of a revision: its status, dates, labels and so on."""

    kind: Literal["correct"] = "correct"
    revision: str
    changes: dict[str, JsonValue]
    why: str = ""


class Decline(Value):
    """The reviewer leaves the refusal as it is, and says why."""

    kind: Literal["decline"] = "decline"
    why: str


Verdict = Annotated[Answer | Correct | Decline, Field(discriminator="kind")]


class Authority(Value):
    """Who gave a verdict, and what vouched for them."""

    by: str
    source: str


class Claimed(Value):
    """A person took the item, until then."""

    kind: Literal["claimed"] = "claimed"
    by: str
    until: datetime


class Released(Value):
    """A person gave their lease back."""

    kind: Literal["released"] = "released"
    lease: int


class Given(Value):
    """A person gave their verdict, under their lease."""

    kind: Literal["given"] = "given"
    lease: int
    verdict: Verdict
    authority: Authority
    adjudicates: bool = False


class Resolved(Value):
    """The item is settled as the verdict of that version says; nothing changes that."""

    kind: Literal["resolved"] = "resolved"
    verdict: int
    how: Literal["agreed", "adjudicated"]


class Disputed(Value):
    """The verdicts differ: somebody else has to decide."""

    kind: Literal["disputed"] = "disputed"


class Applied(Value):
    """A person who may write the revision did as was proposed, or refused to."""

    kind: Literal["applied"] = "applied"
    authority: Authority
    done: bool
    why: str = ""


Happened = Annotated[Claimed | Released | Given | Resolved | Disputed | Applied, Field(discriminator="kind")]


class Event(NamedTuple):
    """What happened to an item: its `version`, counted from 1, when, and what."""

    version: int
    at: datetime
    what: Claimed | Released | Given | Resolved | Disputed | Applied


class Lease(NamedTuple):
    """Who holds the item, and until when; `version` names the lease."""

    version: int
    by: str
    until: datetime


STANDS: Final[dict[str, Stand]] = {"answer": "answered", "correct": "corrected", "decline": "declined"}


class State(NamedTuple):
    """Where an item stands. `settled` is the verdict that counts, `applied` what became of a proposed correction."""

    version: int = 0
    stand: Stand = "open"
    leases: tuple[Lease, ...] = ()
    verdicts: tuple[tuple[int, Given], ...] = ()
    settled: Given | None = None
    applied: Applied | None = None

    @property
    def terminal(self) -> bool:
        """Say whether the item is settled."""
        return self.settled is not None

    def held(self, at: datetime) -> tuple[Lease, ...]:
        """Return the leases that have not run out."""
        return tuple(lease for lease in self.leases if lease.until > at)

    def judged(self, by: str) -> bool:
        """Say whether somebody gave a verdict already."""
        return any(given.authority.by == by for _, given in self.verdicts)


def state_of(events: Iterable[Event]) -> State:
    """Return where an item stands after these events."""
    state = State()
    for event in events:
        state = _after(state, event)._replace(version=event.version)
    return state


def _after(state: State, event: Event) -> State:
    match event.what:
        case Claimed(by=by, until=until):
            others = tuple(lease for lease in state.leases if lease.by != by)
            return state._replace(leases=(*others, Lease(event.version, by, until)))
        case Released(lease=version):
            return state._replace(leases=_without(state.leases, version))
        case Given(lease=version):
            verdicts = (*state.verdicts, (event.version, event.what))
            return state._replace(leases=_without(state.leases, version), verdicts=verdicts)
        case Disputed():
            return state._replace(stand="disputed", leases=())
        case Resolved(verdict=version):
            settled = dict(state.verdicts)[version]
            return state._replace(stand=STANDS[settled.verdict.kind], leases=(), settled=settled)
        case Applied():
            return state._replace(applied=event.what)


def claim(state: State, by: str, *, asker: str, reviewers: int, at: datetime, until: datetime) -> Claimed:
    """Return the lease that a person takes; where they hold one it is a new one.

    Raises:
        Taken: the item is settled, or as many people have it as there may.
        InvalidInput: they asked the question, or gave their verdict already.
    """
    if state.terminal:
        raise Taken(f"this item is settled: {state.stand}")
    if by == asker:
        raise InvalidInput("whoever asked does not review their own question")
    if state.judged(by):
        raise InvalidInput("you gave your verdict on this item already")
    others = [lease for lease in state.held(at) if lease.by != by]
    wanted = 1 if state.stand == "disputed" else reviewers - len(state.verdicts)
    if len(others) >= wanted:
        raise Taken(f"this item is with {', '.join(sorted(lease.by for lease in others))}: take another one")
    return Claimed(by=by, until=until)


def give(
    state: State, lease: int, verdict: Answer | Correct | Decline, authority: Authority, *, reviewers: int, at: datetime
) -> tuple[Given | Resolved | Disputed, ...]:
    """Return what a verdict makes happen, given under a lease.

    Raises:
        Taken: the lease has run out, is somebody else's, or was used.
    """
    held = next((one for one in state.held(at) if one.version == lease and one.by == authority.by), None)
    if held is None or state.terminal:
        raise Taken("your lease on this item has run out or was used: take the item again")
    adjudicates = state.stand == "disputed"
    given = Given(lease=lease, verdict=verdict, authority=authority, adjudicates=adjudicates)
    version = state.version + 1
    if adjudicates:
        return given, Resolved(verdict=version, how="adjudicated")
    verdicts = [*(one for _, one in state.verdicts), given]
    if len(verdicts) < reviewers:
        return (given,)
    if len({content_of(one.verdict) for one in verdicts}) > 1:
        return given, Disputed()
    return given, Resolved(verdict=version, how="agreed")


def release(state: State, lease: int, by: str) -> Released:
    """Return what happens where a person gives their lease back.

    Raises:
        Taken: it is not theirs, or is gone.
    """
    if not any(one.version == lease and one.by == by for one in state.leases):
        raise Taken("you do not hold this item")
    return Released(lease=lease)


def apply(state: State, authority: Authority, *, done: bool, why: str = "") -> Applied:
    """Return what happens where a proposed correction is made, or refused.

    Raises:
        Taken: there is none, or that was done already.
    """
    if state.settled is None or state.settled.verdict.kind != "correct" or state.applied is not None:
        raise Taken("there is no correction of this item left to make")
    return Applied(authority=authority, done=done, why=why)


def content_of(verdict: Answer | Correct | Decline) -> str:
    """Return by what verdicts are compared: the answer's words, what is corrected and how, or that it was declined."""
    match verdict:
        case Answer(text=text):
            words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
            return f"answer {' '.join(words)}"
        case Correct(revision=revision, changes=changes):
            return f"correct {revision} {sorted(changes.items(), key=lambda pair: pair[0])}"
        case Decline():
            return "decline"


def _without(leases: tuple[Lease, ...], version: int) -> tuple[Lease, ...]:
    return tuple(lease for lease in leases if lease.version != version)
