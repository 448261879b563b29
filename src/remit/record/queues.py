"""What waits for a person, as a reader may see it: the question, the decision, what is at stake and where each source says so.

Whoever runs the service sees all of it. A principal sees their own items, as their outcome was shown to them, and of
others' items those of which they may read, today, every revision that the item rests on: one that rests on none of which
they may know is not there for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from remit.access.scope import Scope
from remit.contract.contract import Contract
from remit.contract.terms import codes
from remit.corpus.store import Corpus
from remit.decide.decision import Decision, Queue
from remit.errors import NothingThere
from remit.observe.observation import Agreement, Observation
from remit.record.answered import Place, places
from remit.record.journal import Journal
from remit.record.queue import Handled, Item
from remit.settle.outcome import Outcome
from remit.settle.words import sentence

_PAGE: Final = 200
"""Items that are read from the journal at once."""


class Source(NamedTuple):
    """One side of what is at stake. `quote` is what stands there now; None where no span is known, or it is gone."""

    document: str
    revision: str
    title: str
    section: tuple[str, ...]
    passage: str
    start: int | None = None
    end: int | None = None
    quote: str | None = None

    @property
    def revision_id(self) -> str:
        """Return ``document@revision``."""
        return f"{self.document}@{self.revision}"


class Waiting(NamedTuple):
    """An item as its reader sees it.

    `differs` says in what the sources contradict each other, `choices` what may be meant. `withheld` is for whoever runs the
    service alone: documents that the question names and that its asker could not be told of.
    """

    number: int
    queue: str
    trace: str
    at: str
    asker: str
    question: str
    decision: str
    reason: str
    message: str | None
    missing: tuple[str, ...]
    differs: tuple[str, ...]
    sources: tuple[Source, ...]
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    handled: Handled | None
    withheld: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the item as plain data."""
        data = self._asdict()
        data["sources"] = [source._asdict() for source in self.sources]
        data["choices"] = {key: list(values) for key, values in self.choices}
        data["handled"] = None if self.handled is None else self.handled._asdict()
        return data


class Gap(NamedTuple):
    """A fact that the corpus did not establish, and the items whose questions needed it."""

    fact: str
    items: tuple[int, ...]


class Queues:
    """Reads the queues of one store, and marks an open clarification as answered."""

    def __init__(self, journal: Journal, corpus: Corpus) -> None:
        """Take the journal that keeps the items, and the corpus that says what a reader may read today."""
        self._journal, self._corpus = journal, corpus

    def list(
        self, queue: Queue, *, scope: Scope | None, handled: bool = False, after: int = 0, limit: int = 100
    ) -> tuple[Waiting, ...]:
        """Return at most `limit` items beyond number `after`, oldest first; all of them count for no scope, the operator's."""
        found: list[Waiting] = []
        for item in self._items(queue, handled=handled, after=after):
            shown = self._shown(item, scope)
            if shown is not None:
                found.append(shown)
            if len(found) >= limit:
                break
        return tuple(found)

    def get(self, number: int, *, scope: Scope | None) -> Waiting:
        """Return one item.

        Raises:
            NothingThere: no item of that number, or none for this reader: the two are not told apart.
        """
        shown = self._shown(self._journal.item(number), scope)
        if shown is None:
            raise NothingThere(f"item {number}: no such item in any queue of this store")
        return shown

    def gaps(self, *, scope: Scope | None) -> tuple[Gap, ...]:
        """Return what the corpus lacks, the fact that most questions needed first."""
        by_fact: dict[str, list[int]] = defaultdict(list)
        for item in self._items("corpus_gaps", handled=False, after=0):
            shown = self._shown(item, scope)
            for fact in (shown.missing or (shown.reason,)) if shown is not None else ():
                by_fact[fact].append(item.number)
        ordered = sorted(by_fact.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        return tuple(Gap(fact, tuple(items)) for fact, items in ordered)

    def clarified(self, contract: Contract, *, asker: str, trace: str, at: datetime) -> tuple[int, ...]:
        """Mark the asker's open clarifications of this very question as answered where it now binds a key they asked for."""
        bound = dict(contract.parameters).keys() | ({"revision"} if contract.wanted.named is not None else set())
        done = []
        for item in self._journal.asked_before(asker, contract.question, "open_clarifications"):
            wanted = set(item.missing) if item.reason == "parameter_open" else {"revision"}
            if wanted & bound and self._journal.handle(item.number, "answered", who=asker, at=at, trace=trace):
                done.append(item.number)
        return tuple(done)

    def _items(self, queue: Queue, *, handled: bool, after: int) -> Iterator[Item]:
        while page := self._journal.waiting(queue, after=after, limit=_PAGE, handled=handled):
            yield from page
            after = page[-1].number

    def _shown(self, item: Item, scope: Scope | None) -> Waiting | None:
        """Return an item as a reader may see it, or None where it is not there for them."""
        entries = self._journal.read(item.trace).entries
        last = {entry.kind: entry.data for entry in entries}
        outcome, seen = last.get("Outcome"), last.get("Observation")
        observed = None if seen is None else Observation.model_validate(seen)
        own = scope is not None and scope.principal == item.asker
        at_stake = tuple(self._sources(observed, dict(places(entries)), scope))
        if scope is not None and not own and not self._may_know(at_stake, last, scope):
            return None
        decision = Decision.model_validate(last["Decision"]) if "Decision" in last else None
        shown = None if outcome is None else Outcome.model_validate(outcome)
        if own and shown is not None:
            decision = shown.shown
        closed = own and (shown is None or shown.closed)
        return Waiting(
            number=item.number,
            queue=item.queue,
            trace=item.trace,
            at=item.at,
            asker=item.asker,
            question=item.question,
            decision=item.action if decision is None else str(decision.action),
            reason=item.reason if decision is None else decision.reason,
            message=_words(shown, decision, last),
            missing=item.missing if decision is None or not own else decision.missing,
            differs=() if closed else _differs(observed),
            sources=() if closed else tuple(source for source in at_stake if self._readable(source, scope)),
            choices=() if shown is None else shown.choices,
            handled=item.handled,
            withheld=self._withheld(item.question, last) if scope is None else (),
        )

    def _withheld(self, question: str, last: dict[str, Any]) -> tuple[str, ...]:
        """Return the documents that a question names and its contract does not: the asker may not know of them."""
        nobody = Scope(principal="", labels=frozenset(), policy="operator")
        told = set(last.get("Contract", {}).get("documents", ()))
        named = [one.document for code in codes(question) for one in self._corpus.named(code, nobody)]
        return tuple(name for name in dict.fromkeys(named) if name not in told)

    def _sources(self, seen: Observation | None, where: dict[str, Place], scope: Scope | None) -> Iterator[Source]:
        """Yield what the item rests on: both sides of a conflict at their spans, else the passages that bear on it."""
        if seen is None:
            return
        agreed = seen.agreement if isinstance(seen.agreement, Agreement) else None
        sides = [side for conflict in agreed.conflicts for side in conflict.sides] if agreed is not None else []
        for side in dict.fromkeys(sides):
            place = where.get(side.passage)
            quote = self._quote(f"{side.document}@{side.revision}", side.start, side.end, scope)
            title, section = ("", ()) if place is None else (place.title, place.section)
            yield Source(side.document, side.revision, title, section, side.passage, side.start, side.end, quote)
        if sides:
            return
        named = (agreed.evidence if agreed is not None else ()) or getattr(seen.coverage, "evidence", ())
        for passage in named or getattr(seen.relevance, "evidence", ())[:1]:
            if passage in where:
                place = where[passage]
                yield Source(place.document, place.revision, place.title, place.section, passage)

    def _quote(self, revision: str, start: int, end: int, scope: Scope | None) -> str | None:
        text = None if scope is None else self._corpus.text(revision, scope)
        return None if text is None else text[start:end] or None

    def _readable(self, source: Source, scope: Scope | None) -> bool:
        return scope is None or self._corpus.text(source.revision_id, scope) is not None

    def _may_know(self, at_stake: tuple[Source, ...], last: dict[str, Any], scope: Scope) -> bool:
        """Say whether somebody else than the asker may see an item: they may read all of what it rests on."""
        if at_stake:
            return all(self._readable(source, scope) for source in at_stake)
        asked = Contract.model_validate(last["Contract"]) if "Contract" in last else None
        if asked is None or not (asked.collections or asked.documents):
            return False
        named = [one for document in asked.documents for one in self._corpus.named(document, scope)]
        opens = all(self._corpus.opens(collection, scope) for collection in asked.collections)
        return opens and all(one.readable for one in named) and bool(named or asked.collections)


def _differs(seen: Observation | None) -> tuple[str, ...]:
    agreed = None if seen is None else seen.agreement
    conflicts = agreed.conflicts if isinstance(agreed, Agreement) else ()
    return tuple(dict.fromkeys(conflict.differs for conflict in conflicts))


def _words(outcome: Outcome | None, decision: Decision | None, last: dict[str, Any]) -> str | None:
    """Return what the decision is called in words, in the asker's language; the trace itself may hold only its digest."""
    if decision is None:
        return None
    choices = () if outcome is None else outcome.choices
    asked = last.get("Contract", {})
    language, past = asked.get("reply_in", "en"), asked.get("wanted", {}).get("historical", False)
    return sentence(decision.reason, missing=decision.missing, choices=choices, language=language, historical=past)
