"""One ingest under way: what it has taken in, what it refused, and what it will warn of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import numpy as np

from remit.contract.value import digest_of
from remit.corpus.composed import ELSEWHERE
from remit.corpus.declared import declared
from remit.corpus.document import Passage, Revision
from remit.corpus.ledger import Became, Known
from remit.corpus.prepare import Draft, Prepared, is_automatic, prepare
from remit.corpus.store import NewRevision, WritableCorpus
from remit.errors import Fault, InvalidInput
from remit.llm.embed import Embed, Vectors

BRING_BACK: Final = "to have its text in force again, give it a new `revision`"
"""What to do about a revision that only deleted ones replace."""


class Taking:
    """`into` is where to store (None: dry run), `known` where to look (None: no store)."""

    def __init__(self, into: WritableCorpus | None, known: WritableCorpus | None, embed: Embed, now: datetime) -> None:
        self.into, self.known, self.embed, self.now = into, known, embed, now
        self.rejected: list[Fault] = []
        self.warnings: list[Fault] = []
        self.documents: set[str] = set()
        self.revisions = self.passages = self.unchanged = 0
        self.became: list[Became] = []
        self.before_writing: Callable[[], None] = lambda: None
        self._claims: dict[str, str] = {}
        self._targets: list[tuple[str, int | None, str]] = []
        self._elsewhere: list[Fault] = []

    def take(self, draft: Draft | InvalidInput, file: str) -> tuple[str | None, str]:
        """Return the revision that a document became and what that changed; one that cannot be used is "rejected"."""
        try:
            if isinstance(draft, InvalidInput):
                raise draft
            self._claim(draft)
            known = self.known.stored(draft.document) if self.known is not None else ()
            prepared = prepare(draft, known, self.now)
            effect = self._store(prepared, known, draft)
        except InvalidInput as error:
            line = None if isinstance(draft, InvalidInput) else draft.reading.line
            self.rejected += error.faults or (Fault(file, line, None, str(error)),)
            return None, "rejected"
        self._count(prepared, effect, draft)
        return prepared.revision.id, effect

    def skip(self, known: Known, place: str) -> bool:
        """Count a file that is as it was, and say so; False where another file gives one of its documents."""
        names = {f"{one.document}@{one.revision}" for one in known.became}
        names |= {one.document for one in known.became if one.automatic}
        if any(self._claims.get(name, place) != place for name in names):
            return False
        self._claims |= dict.fromkeys(names, place)
        self.documents |= {one.document for one in known.became}
        self.unchanged += len(known.became)
        self._targets += ((place, None, target) for target in known.targets)
        return True

    def look_back(self) -> None:
        """Warn of what only shows once all files are read: targets that are not there, revisions that stay replaced."""
        self._look_for_targets()
        self._look_for_replaced()
        self.tell_elsewhere()

    def tell_elsewhere(self) -> None:
        """Warn once of all pages that have styles in other files: that is true of nearly every page of the web."""
        if self._elsewhere:
            more = len(self._elsewhere) - 1
            self.warnings.append(
                replace(self._elsewhere[0], error=ELSEWHERE + (f"; so it is of {more} more" if more else ""))
            )

    def _look_for_targets(self) -> None:
        """Warn of every `supersedes` that names a revision which is not there."""
        for file, line, target in self._targets:
            document, _, _ = target.rpartition("@")
            there = {r.id for r in self.known.stored(document)} if self.known is not None else set()
            if target not in there | self._claims.keys():
                self.warnings.append(Fault(file, line, "supersedes", f"{target} is not in the store: check the name"))

    def _look_for_replaced(self) -> None:
        """Warn of every revision given here that stays out of force though what replaced it was deleted."""
        gone = self.into.replaced_by_deleted() if self.into is not None else {}
        for id, by in gone.items():
            if (place := self._claims.get(id)) is not None:
                told = f"{id} stays replaced by {by}, which was deleted: {BRING_BACK}"
                self.warnings.append(Fault(place, None, "revision", told))

    def _claim(self, draft: Draft) -> None:
        # Two files for one revision would otherwise follow each other: whichever came last would stand.
        name = draft.document if draft.stated.revision is None else f"{draft.document}@{draft.stated.revision}"
        if (other := self._claims.setdefault(name, draft.place)) != draft.place:
            raise draft.fault(f"{name} is already given by {other}: give it another name", "document")

    def _store(self, prepared: Prepared, known: Sequence[Revision], draft: Draft) -> str:
        revision, text = prepared.revision, prepared.text
        same = next((r for r in known if r.id == revision.id), None)
        if same is not None and same.digest != revision.digest:
            raise draft.fault(
                f"revision {revision.revision} of {revision.document} is already there with other text: give it a new revision",
                "revision",
            )
        if same is not None and declared(same) == declared(revision):
            return "unchanged"
        if self.into is None:
            return "amended" if same else "new"
        if same is not None and same.title == revision.title:
            new = NewRevision(revision, text, (), np.zeros((0, self.embed.dimension), dtype=np.float32), ())
        else:
            new = encoded(prepared, self.embed)
        self.before_writing()
        return self.into.put(new, now=self.now).effect

    def _count(self, prepared: Prepared, effect: str, draft: Draft) -> None:
        revision, line = prepared.revision, draft.reading.line
        self.documents.add(revision.document)
        self._claims.setdefault(revision.id, draft.place)
        self.warnings += (one for one in prepared.warnings if one.error != ELSEWHERE)
        self._elsewhere += (one for one in prepared.warnings if one.error == ELSEWHERE)
        self._targets += ((draft.source.name, line, target) for target in revision.supersedes)
        state = digest_of(declared(revision))
        self.became.append(Became(revision.document, revision.revision, state, is_automatic(revision)))
        if effect == "unchanged":
            self.unchanged += 1
            return
        self.revisions += 1
        self.passages += len(prepared.passages) if effect == "new" else 0


def encoded(prepared: Prepared, embed: Embed) -> NewRevision:
    """Return a revision with its vectors: passages together with title and heading path, sentences by themselves."""
    revision, text, passages, _ = prepared
    vectors = vectors_of(revision.title, passages, embed)
    return NewRevision(revision, text, passages, *vectors)


def vectors_of(title: str, passages: Sequence[Passage], embed: Embed) -> tuple[Vectors, tuple[Vectors, ...]]:
    """Return for passages of one revision their vectors, and for each of them those of its sentences."""
    whole = embed.embed([embedding_text(title, passage) for passage in passages])
    words = [[" ".join(passage.quote(span).split()) for span in passage.sentences] for passage in passages]
    distinct = {sentence: place for place, sentence in enumerate(dict.fromkeys(s for found in words for s in found))}
    vectors = embed.embed(list(distinct))
    return whole, tuple(_taken(vectors, [distinct[s] for s in found]) for found in words)


def embedding_text(title: str, passage: Passage) -> str:
    """Return the text a passage is encoded as: ``Title > Section > Subsection``, then its own text."""
    path = passage.section[1:] if passage.section[:1] == (title,) else passage.section
    return " > ".join((title, *path)) + "\n" + passage.text


def _taken(vectors: Vectors, places: list[int]) -> Vectors:
    taken: Vectors = vectors[np.array(places, dtype=np.intp)]
    return taken
