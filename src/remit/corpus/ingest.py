"""Files into the corpus: the good ones are stored, each in one transaction; the others are told apart with their faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from remit.contract.value import Value
from remit.corpus.control import Control, merged
from remit.corpus.declared import declared
from remit.corpus.document import Passage, Revision, Snapshot
from remit.corpus.folders import Source, find_files
from remit.corpus.prepare import Draft, Prepared, prepare, read_draft
from remit.corpus.readers import fault
from remit.corpus.stated import Stated
from remit.corpus.store import NewRevision, WritableCorpus
from remit.errors import Fault, InvalidInput
from remit.llm.embed import Embed, Vectors


class Report(Value):
    """What an ingest did. `revisions` and `passages` count what was stored (or, in a dry run, would be).

    `documents` counts the documents of all files that could be used, unchanged ones included.
    """

    documents: int = 0
    revisions: int = 0
    passages: int = 0
    unchanged: int = 0
    rejected: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    snapshot: Snapshot | None = None
    dry_run: bool = False


class Step(NamedTuple):
    """One file is done: it is committed (or `effect` is "unchanged" or "rejected")."""

    done: int
    total: int
    file: str
    revision: str | None
    effect: str


def ingest(
    paths: Sequence[Path],
    corpus: WritableCorpus | None,
    embed: Embed,
    *,
    now: datetime,
    control: Control = Control(),  # noqa: B008 - frozen
    fill: Stated = Stated(),  # noqa: B008 - frozen
    step: Callable[[Step], None] | None = None,
    dry_run: bool = False,
) -> Report:
    """Read every file below `paths` and store those that can be used.

    `fill` says what files and path rules leave out; `step` is told after each file, once it is on disk. A dry run
    stores and encodes nothing and takes a `corpus` of None where there is no store yet.

    Raises:
        InvalidInput: a folder's own `remit.toml` is wrong.
        MissingPrerequisite: the store was encoded by another encoder.
    """
    found = find_files(paths, control)
    run = _Run(None if dry_run else corpus, corpus, embed, now, fill)
    run.rejected += found.faults
    if run.into is not None:
        run.into.use_encoder(embed.name, embed.dimension)
        before = run.into.catalogue()
        if (after := merged(before, found.control.catalogue.collections)) != before:
            run.into.declare(after)
    for done, source in enumerate(found.sources, 1):
        revision, effect = run.take(source)
        if step is not None:
            step(Step(done, len(found.sources), source.name, revision, effect))
    run.look_for_targets()
    return run.report(dry_run=dry_run)


class _Run:
    """One ingest under way: `into` is where to store (None: dry run), `known` where to look (None: no store)."""

    def __init__(
        self, into: WritableCorpus | None, known: WritableCorpus | None, embed: Embed, now: datetime, fill: Stated
    ) -> None:
        self.into, self.known, self.embed, self.now, self.fill = into, known, embed, now, fill
        self.rejected: list[Fault] = []
        self.warnings: list[Fault] = []
        self.documents: set[str] = set()
        self.revisions = self.passages = self.unchanged = 0
        self.claims: dict[str, str] = {}
        self.targets: list[tuple[str, str]] = []

    def take(self, source: Source) -> tuple[str | None, str]:
        """Return the revision a file became and what that changed; a file that cannot be used is "rejected"."""
        try:
            draft = read_draft(source, self.fill)
            self._claim(draft)
            known = self.known.stored(draft.document) if self.known is not None else ()
            prepared = prepare(draft, known, self.now)
            effect = self._store(prepared, known, source.name)
        except InvalidInput as error:
            self.rejected += error.faults or (Fault(source.name, None, None, str(error)),)
            return None, "rejected"
        self._count(prepared, effect, source.name)
        return prepared.revision.id, effect

    def look_for_targets(self) -> None:
        """Warn of every `supersedes` that names a revision which is not there."""
        for file, target in self.targets:
            document, _, _ = target.rpartition("@")
            there = {r.id for r in self.known.stored(document)} if self.known is not None else set()
            if target not in there | self.claims.keys():
                self.warnings.append(Fault(file, None, "supersedes", f"{target} is not in the store: check the name"))

    def report(self, *, dry_run: bool) -> Report:
        """Return what was done so far."""
        return Report(
            documents=len(self.documents),
            revisions=self.revisions,
            passages=self.passages,
            unchanged=self.unchanged,
            rejected=tuple(self.rejected),
            warnings=tuple(self.warnings),
            snapshot=self.known.snapshot() if self.known is not None else None,
            dry_run=dry_run,
        )

    def _claim(self, draft: Draft) -> None:
        # Two files for one revision would otherwise follow each other: whichever came last would stand.
        name = draft.document if draft.stated.revision is None else f"{draft.document}@{draft.stated.revision}"
        if (other := self.claims.setdefault(name, draft.source.name)) != draft.source.name:
            raise fault(
                draft.source.name, None, f"{name} is already given by {other}: give it another name", "document"
            )

    def _store(self, prepared: Prepared, known: Sequence[Revision], file: str) -> str:
        revision, text = prepared.revision, prepared.text
        same = next((r for r in known if r.id == revision.id), None)
        if same is not None and same.digest != revision.digest:
            raise fault(
                file,
                None,
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
        return self.into.put(new, now=self.now).effect

    def _count(self, prepared: Prepared, effect: str, file: str) -> None:
        revision = prepared.revision
        self.documents.add(revision.document)
        self.claims.setdefault(revision.id, file)
        self.warnings += prepared.warnings
        self.targets += ((file, target) for target in revision.supersedes)
        if effect == "unchanged":
            self.unchanged += 1
            return
        self.revisions += 1
        self.passages += len(prepared.passages) if effect == "new" else 0


def encoded(prepared: Prepared, embed: Embed) -> NewRevision:
    """Return a revision with its vectors: passages together with title and heading path, sentences by themselves."""
    revision, text, passages, _ = prepared
    whole = embed.embed([embedding_text(revision.title, passage) for passage in passages])
    words = [[" ".join(passage.quote(span).split()) for span in passage.sentences] for passage in passages]
    distinct = {sentence: place for place, sentence in enumerate(dict.fromkeys(s for found in words for s in found))}
    vectors = embed.embed(list(distinct))
    return NewRevision(revision, text, passages, whole, tuple(_taken(vectors, [distinct[s] for s in f]) for f in words))


def embedding_text(title: str, passage: Passage) -> str:
    """Return the text a passage is encoded as: ``Title > Section > Subsection``, then its own text."""
    path = passage.section[1:] if passage.section[:1] == (title,) else passage.section
    return " > ".join((title, *path)) + "\n" + passage.text


def _taken(vectors: Vectors, places: list[int]) -> Vectors:
    taken: Vectors = vectors[np.array(places, dtype=np.intp)]
    return taken
