"""The queues for a reviewer: what they may see of an item, and what follows from their verdict."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from typing import Any, Literal, NamedTuple

from remit.access.scope import Scope
from remit.corpus.stated import stated
from remit.corpus.store import Row
from remit.engine import Remit
from remit.errors import AccessFailed, InvalidInput, NothingThere
from remit.record.journal import NAME
from remit.record.queue import QUEUES
from remit.record.queues import Gap, Source, Waiting
from remit.record.review import (
    Answer,
    Authority,
    Claimed,
    Correct,
    Decline,
    Given,
    Quoted,
    State,
    Taken,
    apply,
    claim,
    give,
    release,
)
from remit.record.reviewing import ReviewBook
from remit.serve.identity.caller import Caller, Role
from remit.serve.service.documents import AMENDABLE, Documents
from remit.serve.service.settings import ReviewSettings


class Entry(NamedTuple):
    """An item as a list shows it, and where it stands."""

    waiting: Waiting
    state: State


class Listed(NamedTuple):
    """A page of a queue; `after` is where the next one begins, None at the end."""

    entries: tuple[Entry, ...]
    after: int | None


class Side(NamedTuple):
    """A source of an item: where it stands, and the whole passage around it."""

    source: Source
    row: Row | None


class Opened(NamedTuple):
    """An item as a reviewer works on it. `verdicts` are those they may know of: none before they gave their own.

    `kept` says why they cannot take it now; None where they can, or have it.
    """

    waiting: Waiting
    state: State
    sides: tuple[Side, ...]
    verdicts: tuple[Given, ...]
    lease: int | None
    kept: str | None


class Resolution(NamedTuple):
    """What a person decided, as the asker may see it. `withheld`: it rests on something they may not read."""

    kind: Literal["answered", "corrected", "declined"]
    message: str
    answer: str | None = None
    citations: tuple[Quoted, ...] = ()
    withheld: bool = False


class Reviews:
    """One store's review. A reviewer sees an item only where they may read all that it rests on (`record.queues`)."""

    def __init__(self, remit: Remit, settings: ReviewSettings, documents: Documents) -> None:
        self._remit, self._settings, self._documents = remit, settings, documents

    def listed(self, caller: Caller, queue: str, *, settled: bool = False, after: int = 0, limit: int = 50) -> Listed:
        """Return the items of a queue that the caller may see, oldest first: those left to do, or those that came off it."""
        name = next((one for one in QUEUES if one == queue), None)
        if name is None:
            raise NothingThere(f"no queue {queue!a}; there are {', '.join(QUEUES)}")
        scope = self._view(caller)
        found = self._remit.queues.list(name, scope=scope, handled=settled, after=after, limit=limit + 1)
        entries = tuple(Entry(one, self._book.state(one.number)) for one in found[:limit])
        return Listed(entries, found[limit - 1].number if len(found) > limit else None)

    def gaps(self, caller: Caller) -> tuple[Gap, ...]:
        """Return what the corpus lacks by fact, as far as the caller may know of it."""
        return self._remit.queues.gaps(scope=self._view(caller))

    def one(self, caller: Caller, number: int) -> Opened:
        """Return an item.

        Raises:
            NothingThere: none of that number that the caller may see.
        """
        scope = self._remit.scope(caller.principal)
        waiting = self._remit.queues.get(number, scope=self._view(caller))
        state, now, by = self._book.state(number), self._remit.now(), caller.principal.id
        lease = next((one.version for one in state.held(now) if one.by == by), None)
        told = state.terminal or state.stand == "disputed" or state.judged(by)
        verdicts = tuple(given for _, given in state.verdicts) if told else ()
        sides = tuple(_side(source, self._documents.passage_in(scope, source.passage)) for source in waiting.sources)
        return Opened(
            waiting, state, sides, verdicts, lease, None if lease is not None else self._kept(state, waiting, by)
        )

    def claim(self, caller: Caller, number: int) -> State:
        """Take an item for a while.

        Raises:
            Taken: it is with others, settled, or off its queue.
            InvalidInput: the caller asked the question, or gave a verdict already.
        """
        waiting, _ = self._found(caller, number)
        if waiting.handled is not None and not self._book.state(number).terminal:
            raise Taken(f"this item came off its queue: it was {waiting.handled.how}")
        by, asker = caller.principal.id, waiting.asker
        return self._book.add(number, self._remit.now(), lambda state: [self._claimed(state, by, asker)])

    def release(self, caller: Caller, number: int, lease: int) -> State:
        """Give an item back."""
        self._found(caller, number)
        return self._book.add(number, self._remit.now(), lambda state: [release(state, lease, caller.principal.id)])

    def give(self, caller: Caller, number: int, lease: int, verdict: Answer | Correct | Decline) -> State:
        """Give a verdict under a lease.

        Raises:
            Taken: the lease has run out.
            InvalidInput: a quotation does not stand where it should, or a change is none that can be made.
        """
        _, scope = self._found(caller, number)
        self._check(verdict, scope)
        authority = Authority(by=caller.principal.id, source=caller.source)
        reviewers = self._settings.reviewers
        return self._book.add(
            number,
            self._remit.now(),
            lambda state: give(state, lease, verdict, authority, reviewers=reviewers, at=self._remit.now()),
        )

    def apply(self, caller: Caller, number: int, *, done: bool, why: str = "") -> State:
        """Make the correction that an item was settled with, under the caller's own right to write; or refuse to.

        Raises:
            AccessFailed: the caller may not write that revision.
            Taken: there is no correction left to make.
        """
        self._found(caller, number)
        authority = Authority(by=caller.principal.id, source=caller.source)
        state = self._book.state(number)
        apply(state, authority, done=done, why=why)  # before anything is changed: is there something to apply
        settled = state.settled.verdict if state.settled is not None else None
        if isinstance(settled, Correct):
            self._documents.check_amend(caller, settled.revision, settled.changes)
            if done:  # the same change again changes nothing, so a kill between the two is mended by trying again
                self._documents.amend(caller, settled.revision, settled.changes)
        return self._book.add(number, self._remit.now(), lambda state: [apply(state, authority, done=done, why=why)])

    def resolution(self, caller: Caller, trace: str) -> Resolution | None:
        """Return what a person decided on a question, as far as the caller may read now; None: nothing yet."""
        number = self._book.of_trace(trace)
        state = self._book.state(number) if number is not None else State()
        if state.settled is None:
            return None
        match state.settled.verdict:
            case Answer(text=text, citations=citations):
                scope = self._remit.scope(caller.principal)
                if not all(self._stands(citation, scope) for citation in citations):
                    return Resolution("answered", "A person answered from documents you may not read.", withheld=True)
                return Resolution("answered", "A person answered.", text, citations)
            case Correct():
                done = state.applied is not None and state.applied.done
                told = "What a document says of itself was corrected: ask again."
                return Resolution("corrected", told if done else "A person proposed to correct a document.")
            case Decline(why=why):
                return Resolution("declined", why)

    def _claimed(self, state: State, by: str, asker: str) -> Claimed:
        now = self._remit.now()  # once it is this writer's turn: until then a lease may run out
        until = now + timedelta(minutes=self._settings.lease_minutes)
        return claim(state, by, asker=asker, reviewers=self._settings.reviewers, at=now, until=until)

    def _kept(self, state: State, waiting: Waiting, by: str) -> str | None:
        """Return why somebody cannot take an item: what `claim` would say."""
        try:
            self._claimed(state, by, waiting.asker)
        except (Taken, InvalidInput) as error:
            return str(error)
        return None

    @cached_property
    def _book(self) -> ReviewBook:
        _ = self._remit.journal  # makes the file and brings its schema up to date
        return ReviewBook(self._remit.store / NAME)

    def _view(self, caller: Caller) -> Scope | None:
        """Return under what a caller looks at the queues: their scope, or none for an auditor, who sees every item's record."""
        return None if caller.may(Role.AUDIT) else self._remit.scope(caller.principal)

    def _found(self, caller: Caller, number: int) -> tuple[Waiting, Scope]:
        """Return an item that the caller may act on: as a reviewer, with all that it rests on before them."""
        if not caller.may(Role.REVIEW):
            raise AccessFailed(f"this needs the role {Role.REVIEW}")
        scope = self._remit.scope(caller.principal)
        return self._remit.queues.get(number, scope=scope), scope

    def _check(self, verdict: Answer | Correct | Decline, scope: Scope) -> None:
        match verdict:
            case Answer(text=text, citations=citations):
                if not text.strip() or not citations:
                    raise InvalidInput("an answer needs words, and at least one quotation that it rests on")
                if wrong := [one for one in citations if not self._stands(one, scope)]:
                    raise InvalidInput(f"the quotation does not stand at {wrong[0].start} of {wrong[0].document}")
            case Correct(revision=revision, changes=changes):
                self._check_change(revision, changes, scope)
            case Decline(why=why):
                if not why.strip():
                    raise InvalidInput("say why: the asker reads it")

    def _check_change(self, revision: str, changes: Mapping[str, Any], scope: Scope) -> None:
        if self._remit.corpus.text(revision, scope) is None:
            raise NothingThere("no such revision that you may read")
        if not changes or set(changes) - set(AMENDABLE):
            raise InvalidInput(f"changes: want some of {', '.join(AMENDABLE)}")
        stated(**changes)

    def _stands(self, citation: Quoted, scope: Scope) -> bool:
        text = self._remit.corpus.text(f"{citation.document}@{citation.revision}", scope)
        return text is not None and bool(citation.quote) and text[citation.start : citation.end] == citation.quote


def _side(source: Source, row: Row | None) -> Side:
    """Return a side with what it says where its reader may read that: an item that is read as its record has no words."""
    if row is None or source.quote is not None or source.start is None or source.end is None:
        return Side(source, row)
    first = row.passage.start
    said = row.passage.text[source.start - first : source.end - first] if source.start >= first else ""
    return Side(source._replace(quote=said or None), row)
