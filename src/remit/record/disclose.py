"""What of a trace its asker may see: nothing of what their scope does not open today, nothing an outcome keeps closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from remit.access.scope import Scope
from remit.corpus.document import Snapshot
from remit.corpus.store import Corpus
from remit.errors import NothingThere
from remit.record.journal import Journal, Recorded
from remit.record.trace import Entry

MASK: Final = "[not readable]"
CLOSED_SHOWS: Final = frozenset({"Setup", "Outcome"})
"""What an asker sees of a trace whose outcome is closed. Not the contract: it says which codes name a document."""

SAYS: Final = ("answer", "message", "text", "why")
"""Fields of a claim, a draft or an outcome that carry, or digest, words of the passages it cites."""


QUOTES: Final = ("verified", "failed")
"""Digests of quotations in a citation check; they do not say of which revision, so none is shown beside a hidden one."""


SNAPSHOT: Final = Snapshot.model_fields.keys()
"""Fields of a snapshot. Its number counts writes, hidden ones included, and is not shown; its digest has to be."""


class Named(NamedTuple):
    """What recorded data names of the corpus: a revision, and a passage of it where it says so."""

    document: str
    revision: str
    passage: str | None

    @property
    def key(self) -> str:
        """Return ``document@revision``."""
        return f"{self.document}@{self.revision}"


def read(journal: Journal, trace: str, *, scope: Scope | None, corpus: Corpus) -> Recorded:
    """Return a trace: all of it for the operator (no scope), for an asker their own, as far as they may read today.

    Raises:
        NothingThere: no such trace, or somebody else's: the two are not told apart.
    """
    recorded = journal.read(trace)
    if scope is None:
        return recorded
    if recorded.asker != scope.principal:
        raise NothingThere(f"trace {trace}: no such trace in this store")
    entries = recorded.entries if not _closed(recorded.entries) else tuple(_shown(recorded.entries))
    hidden = _hidden(entries, scope, corpus)
    return recorded._replace(entries=tuple(Entry(kind=e.kind, data=_masked(e.data, hidden)) for e in entries))


def _closed(entries: tuple[Entry, ...]) -> bool:
    """Say whether the asker's faces keep the reasons back. Without an outcome (killed, or in flight) they do."""
    outcomes = [entry.data for entry in entries if entry.kind == "Outcome"]
    return not outcomes or outcomes[-1].get("closed") is not False


def _shown(entries: tuple[Entry, ...]) -> Iterator[Entry]:
    for entry in entries:
        if entry.kind == "Outcome":
            yield Entry(kind=entry.kind, data={**entry.data, "decision": entry.data["shown"]})
        elif entry.kind in CLOSED_SHOWS:
            yield entry


class _Hidden(NamedTuple):
    revisions: frozenset[str]
    words: tuple[str, ...]
    labels: frozenset[str]
    """What the reader holds: of other groups' labels on a document they are told nothing."""


def _hidden(entries: tuple[Entry, ...], scope: Scope, corpus: Corpus) -> _Hidden:
    """Return which revisions the trace names and the scope does not open now, with every word that gives one away."""
    named = {found for entry in entries for found in _named(entry.data)}
    readable = {key: corpus.text(key, scope) is not None for key in {one.key for one in named}}
    open_documents = {one.document for one in named if readable[one.key]}
    words: set[str] = set()
    for one in named:
        if not readable[one.key]:
            words |= {one.key, *filter(None, (one.passage,))}
            words |= set() if one.document in open_documents else {one.document}
    longest_first = tuple(sorted(words, key=lambda word: (-len(word), word)))
    return _Hidden(frozenset(key for key, is_open in readable.items() if not is_open), longest_first, scope.labels)


def _named(data: Any) -> Iterator[Named]:
    """Yield each revision and passage that recorded data names as such."""
    if isinstance(data, list):
        for part in data:
            yield from _named(part)
    elif isinstance(data, dict):
        one = _one(data)
        if one is not None:
            yield one
        yield from _replaced(data)
        for part in data.values():
            yield from _named(part)


def _replaced(data: dict[str, Any]) -> Iterator[Named]:
    """Yield the revisions that a revision says it replaces: its readers need not be theirs."""
    for id in data.get("supersedes") or ():
        document, at, revision = str(id).rpartition("@")
        if at:
            yield Named(document, revision, None)


def _one(data: dict[str, Any]) -> Named | None:
    """Return what one dictionary names: a passage, a revision, a citation, or a row that was set aside."""
    document, revision = data.get("document"), data.get("revision")
    passage = data.get("passage", data.get("id"))
    if document is None and isinstance(revision, str) and "@" in revision:
        document, _, revision = revision.rpartition("@")
    if not isinstance(document, str) or not isinstance(revision, str):
        return None
    return Named(document, revision, passage if isinstance(passage, str) else None)


def _masked(data: Any, hidden: _Hidden) -> Any:
    """Return recorded data without what is hidden: whole values of a hidden revision, and its names in any text."""
    match data:
        case dict():
            one = _one(data)
            if one is not None and one.key in hidden.revisions:
                return {"masked": MASK}
            rests_on_hidden = any(found.key in hidden.revisions for found in _named(_grounds(data)))
            silent = SAYS if rests_on_hidden else ()
            silent = (*silent, "number") if data.keys() == SNAPSHOT else silent
            if "labels" in data and "collection" in data:
                data = {**data, "labels": [label for label in data["labels"] if label in hidden.labels]}
            silent = (*silent, *QUOTES) if data.get("kind") == "citations" and hidden.revisions else silent
            return {key: MASK if key in silent else _masked(part, hidden) for key, part in data.items()}
        case list():
            return [_masked(part, hidden) for part in data]
        case str():
            for word in hidden.words:
                data = data.replace(word, MASK)
            return data
        case _:
            return data


def _grounds(data: dict[str, Any]) -> list[Any]:
    """Return the citations that a claim, a draft or an outcome rests on."""
    return [data.get("citations"), data.get("claims")]
