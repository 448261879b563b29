"""Files into the corpus: the good ones are stored, each in one transaction; the others are told apart with their faults."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from remit.contract.value import Value, digest_of
from remit.corpus.control import Control, merged
from remit.corpus.document import Snapshot
from remit.corpus.folders import Source, find_files
from remit.corpus.ledger import Entry, Job, Known, Ledger, Remembering
from remit.corpus.prepare import read_drafts
from remit.corpus.reading import File, reading, workers_for
from remit.corpus.reading_worker import digest_of_file, last_change, stamp_of
from remit.corpus.stated import Stated
from remit.corpus.store import WritableCorpus
from remit.corpus.taking import Taking, embedding_text, encoded
from remit.errors import Fault
from remit.llm.embed import Embed

__all__ = ["Report", "Step", "embedding_text", "encoded", "ingest"]

FORM = 2
"""To be raised when files are read in another way than before: then they are all read again."""

_ENTRIES_A_NOTE = 64
_SETTLED_SECONDS = 2.0


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
    """One document is done: it is committed (or `effect` is "unchanged" or "rejected"). `done` and `total` count files."""

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

    `fill` says what files and path rules leave out; `step` is told after each document, once it is on disk. A dry run
    stores and encodes nothing and takes a `corpus` of None where there is no store yet. An ingest that was interrupted
    goes on where it was: a file that is as it was, and whose revisions still stand, is not read again.

    Raises:
        InvalidInput: a folder's own `remit.toml` is wrong.
        MissingPrerequisite: the store was encoded by another encoder.
    """
    found = find_files(paths, control)
    run = Taking(None if dry_run else corpus, corpus, embed, now)
    run.rejected += found.faults
    if run.into is not None:
        run.into.use_encoder(embed.name, embed.dimension)
        before = run.into.catalogue()
        if (after := merged(before, found.control.catalogue.collections)) != before:
            run.into.declare(after)
    memory = _Memory(_ledger(run.into), [str(path.resolve()) for path in paths], len(found.sources), fill, now)
    run.before_writing = memory.begin
    tell = step or (lambda _: None)
    try:
        for done, source in enumerate(_each(run, memory, found.sources, fill, tell), 1):
            memory.done(source, done)
    finally:
        memory.write()
    run.look_back()
    memory.finish()
    return Report(
        documents=len(run.documents),
        revisions=run.revisions,
        passages=run.passages,
        unchanged=run.unchanged,
        rejected=tuple(run.rejected),
        warnings=tuple(run.warnings),
        snapshot=run.known.snapshot() if run.known is not None else None,
        dry_run=dry_run,
    )


def _ledger(corpus: object) -> Ledger | None:
    return corpus.ledger if isinstance(corpus, Remembering) else None


def _each(
    run: Taking, memory: _Memory, sources: Sequence[Source], fill: Stated, tell: Callable[[Step], None]
) -> Iterator[Entry | None]:
    """Yield for each file, once all of it is stored, what to remember of it; None: nothing new, or nothing certain."""
    skipped = memory.unchanged(sources)
    todo = [source for source in sources if source.path not in skipped]
    with reading(todo, fill, workers_for(todo)) as files:
        for done, source in enumerate(sources, 1):
            known = skipped.get(source.path)
            if known is not None and run.skip(known, source.name):
                first = known.became[0]
                tell(Step(done, len(sources), source.name, f"{first.document}@{first.revision}", "unchanged"))
                yield None
                continue
            # A file that was skipped too soon (another one claims its document) is read here after all.
            file = next(files) if known is None else File(source, None)
            yield _taken(run, file, fill, memory, lambda *did, at=done: tell(Step(at, len(sources), *did)))


def _taken(
    run: Taking, file: File, fill: Stated, memory: _Memory, tell: Callable[[str, str | None, str], None]
) -> Entry | None:
    source, read = file
    stamp, digest = (read.stamp, read.digest) if read is not None else (stamp_of(source.path), None)
    doubts = len(run.rejected) + len(run.warnings)
    run.became.clear()
    for draft in read.drafts if read is not None else read_drafts(source, fill):
        revision, effect = run.take(draft, source.name)
        tell(source.name, revision, effect)
    if read is None:
        digest = digest_of_file(source.path) if stamp == stamp_of(source.path) else None
    if stamp is None or digest is None or len(run.rejected) + len(run.warnings) > doubts:
        return None  # what is doubtful is read, and told, each time
    return Entry(memory.id(source), memory.settled(source, stamp), digest, tuple(run.became))


class _Memory:
    """What is known of files from earlier ingests, and what this one learns."""

    def __init__(self, ledger: Ledger | None, paths: list[str], total: int, fill: Stated, now: datetime) -> None:
        self._ledger, self._now = ledger, now
        self._fill = digest_of([FORM, fill.model_dump(mode="json")])
        self._rules: dict[int, str] = {}
        self._entries: list[Entry] = []
        self._done = 0
        self._paths, self._total = paths, total
        self._job: Job | None = None

    def begin(self) -> None:
        """Note that something is about to be stored; what stores nothing leaves no trace."""
        if self._ledger is not None and self._job is None:
            self._job = self._ledger.begin(self._paths, self._total, self._now)

    def id(self, source: Source) -> str:
        """Return what a file is remembered by: its place, and the rules that fill what it leaves out."""
        control = source.control
        if id(control) not in self._rules:
            self._rules[id(control)] = digest_of(control.model_dump(mode="json"))
        place = os.fsencode(source.path.absolute()) + b"\0" + os.fsencode(source.relative)
        return hashlib.sha256(f"{self._rules[id(control)]}{self._fill}".encode() + place).hexdigest()

    def unchanged(self, sources: Sequence[Source]) -> dict[Path, Known]:
        """Return the files that are what they were, with what they became."""
        if self._ledger is None:
            return {}
        ids = {source.path: self.id(source) for source in sources}
        found = self._ledger.known(ids.values())
        known = ((source, found.get(ids[source.path])) for source in sources)
        return {source.path: one for source, one in known if one is not None and self._same(source, one)}

    def _same(self, source: Source, known: Known) -> bool:
        """Say whether a file is what it was: by size and times, or else by its content."""
        if not known.became:
            return False
        stamp = stamp_of(source.path)
        if stamp is None or stamp == known.stamp:
            return bool(stamp)
        if digest_of_file(source.path) != known.digest:
            return False
        self._entries.append(Entry(self.id(source), self.settled(source, stamp), known.digest, known.became))
        return True

    def settled(self, source: Source, stamp: str) -> str:
        """Return the stamp of a file, or none where it changed so lately that a next change might not show in it."""
        return stamp if last_change(source.path) < self._now.timestamp() - _SETTLED_SECONDS else ""

    def done(self, entry: Entry | None, done: int) -> None:
        """Note that a file is done; this is written now and then: what is lost in a crash is only read again."""
        self._done = done
        self._entries += [entry] if entry is not None else []
        if len(self._entries) >= _ENTRIES_A_NOTE:
            self.write()

    def write(self) -> None:
        """Write what was learned."""
        if self._ledger is not None and (self._entries or self._job is not None):
            self._ledger.note(self._job, self._done, self._entries)
            self._entries = []

    def finish(self) -> None:
        """Write that the ingest came to its end."""
        if self._ledger is not None and self._job is not None:
            self._ledger.note(self._job, self._done, (), finished=self._now)
