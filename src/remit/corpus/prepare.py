"""One file to one revision: what it says, completed and named, and its passages. Nothing is encoded or stored here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision
from remit.corpus.folders import Source
from remit.corpus.readers import Reading, fault, read_each
from remit.corpus.split import Split, split, to_passages
from remit.corpus.stated import Stated, checked
from remit.errors import Fault, InvalidInput

DEFAULT_COLLECTION = "default"
_AUTOMATIC = re.compile(r"[0-9a-f]{12}(-\d+)?")


class Draft(NamedTuple):
    """A document of a file that was read and split, before it is known which revisions the document has."""

    source: Source
    reading: Reading
    stated: Stated
    document: str
    parts: Split

    @property
    def place(self) -> str:
        """Return where the document stands: the file, and the line of JSONL."""
        name, line = self.source.name, self.reading.line
        return name if line is None else f"{name}:{line}"

    def fault(self, error: str, field: str | None = None) -> InvalidInput:
        """Return the error for one thing wrong with the document."""
        return fault(self.source.name, self.reading.line, error, field)


class Prepared(NamedTuple):
    """A revision ready to be encoded and stored."""

    revision: Revision
    text: str
    passages: tuple[Passage, ...]
    warnings: tuple[Fault, ...]


def read_draft(source: Source, fill: Stated) -> Draft:
    """Return what the first document of a file says, completed by path rules and by `fill`.

    Raises:
        InvalidInput: it cannot be used.
    """
    first = next(read_drafts(source, fill))
    if isinstance(first, InvalidInput):
        raise first
    return first


def read_drafts(source: Source, fill: Stated) -> Iterator[Draft | InvalidInput]:
    """Yield what each document of a file says, completed by path rules and by `fill`, or what is wrong with it."""
    try:
        for reading in read_each(source.path, source.name, source.control.max_megabytes):
            try:
                yield reading if isinstance(reading, InvalidInput) else _draft(source, reading, fill)
            except InvalidInput as error:
                yield error
    except InvalidInput as error:
        yield error


def _draft(source: Source, reading: Reading, fill: Stated) -> Draft:
    stated = source.control.fill(reading.stated, source.relative).filled(fill)
    if stated.valid_from and stated.valid_to and stated.valid_to < stated.valid_from:
        raise fault(
            source.name, reading.line, f"{stated.valid_to} is before valid_from {stated.valid_from}", "valid_to"
        )
    document = stated.document or _default_document(source)
    language = stated.language or _language(reading.language)
    parts = split(reading.text, reading.layout, reading.rows, reading.outline, language=language)
    return Draft(source, reading, stated, document, parts)


def prepare(draft: Draft, known: Sequence[Revision], now: datetime) -> Prepared:
    """Return the revision a file holds, given the live revisions of its document, oldest record first.

    Raises:
        InvalidInput: there is no text under its headings, or it would supersede itself.
    """
    source, reading, stated, document, parts = draft
    digest = text_digest(reading.text)
    automatic = stated.revision is None
    if automatic:
        stated = _named_automatically(stated, document, digest, known, now.date())
    revision_name = str(stated.revision)
    passages = to_passages(document, revision_name, reading.text, parts.pieces)
    if not passages:
        raise draft.fault("has headings and no text under them: nothing can be answered from it")
    revision = Revision(
        document=document,
        revision=revision_name,
        title=stated.title or parts.title or PurePosixPath(source.relative).stem,
        collection=stated.collection or DEFAULT_COLLECTION,
        labels=stated.labels or frozenset(),
        status=stated.status,
        valid_from=stated.valid_from,
        valid_to=stated.valid_to,
        supersedes=stated.supersedes or (),
        authority=stated.authority or "informative",
        applies_to=stated.applies_to or (),
        language=stated.language or _language(reading.language),
        source=source.relative,
        digest=digest,
        recorded_at=now,
    )
    if revision.id in revision.supersedes:
        raise draft.fault(f"{revision.id} supersedes itself: name the revision it replaces", "supersedes")
    warnings = reading.warnings + tuple(_doubts(revision, draft, known, now.date(), automatic=automatic))
    return Prepared(revision, reading.text, passages, warnings)


def _language(carried: str | None) -> str:
    """Return the language a file carries by itself, where that is one: it is no access data, and often carelessly set."""
    try:
        return "en" if carried is None else str(checked("language", carried))
    except ValueError:
        return "en"


def _default_document(source: Source) -> str:
    name = PurePosixPath(source.relative).with_suffix("").as_posix()
    try:
        return str(checked("document", name.replace("@", "-").replace("#", "-")))
    except ValueError as error:
        raise fault(
            source.name, None, f"its path makes no document id ({error}): give it a `document`", "document"
        ) from error


def _named_automatically(stated: Stated, document: str, digest: str, known: Sequence[Revision], today: date) -> Stated:
    # A file without `revision`: each text it had is a revision of its own, and the newest one replaces the one before.
    name = digest.removeprefix("sha256:")[:12]
    earlier = [r for r in known if is_automatic(r)]
    newest = earlier[-1] if earlier else None
    own = stated.supersedes or ()
    if newest is None:
        return stated.model_copy(update={"revision": name})
    if newest.digest == digest:
        replaced = tuple(id for id in newest.supersedes if _names_automatic(id, document))
        start = newest.valid_from if replaced and stated.valid_from is None else stated.valid_from
        name = newest.revision
    else:
        # A text that comes back (an edit undone) is new all the same: its earlier revision has been replaced.
        before = sum(r.digest == digest for r in earlier)
        name = f"{name}-{before + 1}" if before else name
        replaced, start = (newest.id,), stated.valid_from or today
    supersedes = tuple(dict.fromkeys((*own, *replaced))) or stated.supersedes
    return stated.model_copy(update={"revision": name, "supersedes": supersedes, "valid_from": start})


def is_automatic(revision: Revision) -> bool:
    """Say whether a revision was named after its text because its file names none."""
    start = revision.digest.removeprefix("sha256:")[:12]
    return revision.revision.startswith(start) and _AUTOMATIC.fullmatch(revision.revision) is not None


def _names_automatic(id: str, document: str) -> bool:
    return id.startswith(f"{document}@") and _AUTOMATIC.fullmatch(id.removeprefix(f"{document}@")) is not None


def _doubts(
    revision: Revision, draft: Draft, known: Sequence[Revision], today: date, *, automatic: bool
) -> list[Fault]:
    doubts: list[tuple[str, str]] = []
    if not revision.labels:
        doubts.append(("labels", "has no labels, so nobody may read it: add labels, or pass --labels"))
    if revision.status == "superseded" and revision.valid_to is not None and revision.valid_to > today:
        doubts.append(("status", f"is superseded but valid until {revision.valid_to}: it counts as valid until then"))
    left = [r for r in known if is_automatic(r) and r.id not in revision.supersedes]
    if left and not automatic:
        doubts.append(("revision", f"{left[-1].id} stays valid beside it: name it in supersedes, or delete it"))
    return [Fault(draft.source.name, draft.reading.line, field, error) for field, error in doubts]
