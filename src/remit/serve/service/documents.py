"""Documents for a caller: looking at what they may read, and writing what they may write, object by object."""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np

from remit.access.scope import Scope
from remit.corpus.browse import Browser
from remit.corpus.document import Revision
from remit.corpus.folders import Source
from remit.corpus.prepare import Draft, prepare, read_drafts
from remit.corpus.readers import SUFFIXES, fault
from remit.corpus.reading import reading, workers_for
from remit.corpus.stated import Stated, stated
from remit.corpus.store import NewRevision, Row
from remit.corpus.taking import Taking
from remit.engine import Remit
from remit.errors import AccessFailed, Fault, InvalidInput, MissingPrerequisite, NothingThere
from remit.serve.identity.caller import Caller

_MOST_FAULTS: Final = 100
AMENDABLE: Final = ("labels", "collection", "status", "valid_from", "valid_to", "supersedes", "authority", "applies_to")
"""What can be said anew of a revision whose text stays as it is."""


class Shown(NamedTuple):
    """A document as one caller sees it: the revisions that they may read, in order of validity."""

    document: str
    revisions: tuple[Revision, ...]


class Listed(NamedTuple):
    """A page of documents; `after` is where the next one begins, None at the end."""

    documents: tuple[Shown, ...]
    after: str | None


class Stored(NamedTuple):
    """What became of one document that was sent: its revision, and `new`, `amended` or `unchanged`."""

    revision: str
    effect: str


class Taken(NamedTuple):
    """What became of a file that was sent, and what is doubtful about it."""

    stored: tuple[Stored, ...]
    warnings: tuple[Fault, ...]
    snapshot: str


class Documents:
    """One store's documents. Writers take turns; readers are never held up."""

    def __init__(self, remit: Remit, browser: Browser) -> None:
        self._remit, self._browser = remit, browser
        self._turn = Lock()

    def listed(self, caller: Caller, *, after: str = "", limit: int = 50) -> Listed:
        """Return the documents that the caller may read, by id."""
        scope = self._remit.scope(caller.principal)
        page = self._browser.documents(scope, after=after, limit=limit)
        shown = tuple(self._told(self._shown(document, scope), caller, scope) for document in page.documents)
        return Listed(shown, page.documents[-1] if page.more else None)

    def one(self, caller: Caller, document: str) -> Shown:
        """Return a document.

        Raises:
            NothingThere: none that the caller may read.
        """
        scope = self._remit.scope(caller.principal)
        shown = self._shown(document, scope)
        if not shown.revisions:
            raise NothingThere("no such document that you may read")
        return self._told(shown, caller, scope)

    def text(self, caller: Caller, revision: str) -> str:
        """Return the text of ``document@revision``.

        Raises:
            NothingThere: none that the caller may read.
        """
        text = self._remit.corpus.text(revision, self._remit.scope(caller.principal))
        if text is None:
            raise NothingThere("no such revision that you may read")
        return text

    def passage(self, caller: Caller, id: str) -> Row:
        """Return a passage with the revision it belongs to.

        Raises:
            NothingThere: none that the caller may read.
        """
        found = self._browser.passage(id, self._remit.scope(caller.principal))
        if found is None:
            raise NothingThere("no such passage that you may read")
        return found

    def passage_in(self, scope: Scope, id: str) -> Row | None:
        """Return a passage with its revision, or None where the scope opens none of that id."""
        return self._browser.passage(id, scope)

    def put(self, caller: Caller, *, name: str, content: bytes, said: Stated) -> Taken:
        """Store the documents of a file; none where one of them cannot be used. `said` counts before what the file says.

        Raises:
            InvalidInput: it cannot be used; with a fault for each reason.
            AccessFailed: the caller may not write one of them.
        """
        remit = self._remit
        with self._turn, _file(content, _suffix(name)) as path:
            source = Source(path, name, name, remit.settings.control)
            drafts = [_over(said, draft) for draft in _usable(_read(source))]
            for draft in drafts:
                self._check(caller, prepare(draft, remit.corpus.stored(draft.document), remit.now()).revision)
            encoder = remit.parts.encoder
            remit.corpus.use_encoder(encoder.name, encoder.dimension)
            # A trial first, so that a fault of the last document is found before the first is stored.
            _taken(Taking(None, remit.corpus, encoder, remit.now()), drafts, name)
            taking = Taking(remit.corpus, remit.corpus, encoder, remit.now())
            stored = _taken(taking, drafts, name)
            taking.tell_elsewhere()
        remit.parts.retriever.caught_up(None)
        return Taken(stored, tuple(taking.warnings), remit.snapshot().digest)

    def amend(self, caller: Caller, revision: str, changes: Mapping[str, Any]) -> Stored:
        """Say something else of a revision whose text stays: labels, status, dates and so on.

        Raises:
            NothingThere: no such revision that the caller may read.
            InvalidInput: a field cannot be changed, or its value is wrong.
            AccessFailed: the caller may not write it, as it is or as it would be.
        """
        if wrong := [name for name in changes if name not in AMENDABLE]:
            raise InvalidInput(f"{wrong[0]}: cannot be changed without a new revision; can be: {', '.join(AMENDABLE)}")
        with self._turn:
            remit = self._remit
            changed = self._changed(caller, revision, changes)
            text, width = self.text(caller, revision), remit.parts.encoder.dimension
            new = NewRevision(changed, text, (), np.zeros((0, width), dtype=np.float32), ())
            put = remit.corpus.put(new, now=remit.now())
        return Stored(put.revision, put.effect)

    def check_amend(self, caller: Caller, revision: str, changes: Mapping[str, Any]) -> None:
        """Go on where the caller may make these changes.

        Raises:
            NothingThere: no such revision that the caller may read.
            AccessFailed: they may not write it, as it is or as it would be.
        """
        self._changed(caller, revision, changes)

    def _changed(self, caller: Caller, revision: str, changes: Mapping[str, Any]) -> Revision:
        self.text(caller, revision)
        known = next(one for one in self._remit.corpus.stored(revision.rpartition("@")[0]) if one.id == revision)
        said = stated(**changes)
        fields = {name: getattr(said, name) for name in changes if getattr(said, name) is not None}
        cleared = dict.fromkeys(_cleared(changes))
        changed = Revision.model_validate(known.model_dump() | fields | cleared | {"recorded_at": self._remit.now()})
        self._check(caller, changed)
        return changed

    def delete(self, caller: Caller, document: str, *, revision: str | None = None) -> int:
        """Hide a document, or one revision of it, from every later request; return how many revisions that were.

        Raises:
            NothingThere: none that the caller may read.
            AccessFailed: the caller may not write it.
        """
        with self._turn:
            shown = self.one(caller, document)
            if revision is not None and all(one.revision != revision for one in shown.revisions):
                raise NothingThere("no such revision that you may read")
            self._check_standing(caller, document, only=revision)
            return self._remit.delete(document, revision=revision)

    def _shown(self, document: str, scope: Scope) -> Shown:
        corpus = self._remit.corpus
        return Shown(document, corpus.revisions(document, scope, snapshot=corpus.snapshot()))

    def _told(self, shown: Shown, caller: Caller, scope: Scope) -> Shown:
        """Return a document without what its revisions say of others: labels the caller does not hold, hidden documents."""
        return Shown(shown.document, tuple(self._told_of(one, caller, scope) for one in shown.revisions))

    def _told_of(self, one: Revision, caller: Caller, scope: Scope) -> Revision:
        labels = one.labels if caller.may_write(one.collection) else one.labels & scope.labels
        replaced = tuple(id for id in one.supersedes if self._remit.corpus.text(id, scope) is not None)
        return one.model_copy(update={"labels": labels, "supersedes": replaced})

    def _check(self, caller: Caller, revision: Revision) -> None:
        """Go on where the caller may store a revision: by its collection and labels, and those of what it touches."""
        scope = self._remit.scope(caller.principal)
        if not caller.may_write(revision.collection):
            raise AccessFailed(f"you may not write documents of the collection {revision.collection}")
        if not revision.labels:
            raise InvalidInput("labels: say who may read it; without labels nobody could, you included")
        if not revision.labels <= scope.labels:
            raise AccessFailed("you may not write for readers of a label that you do not hold")
        self._check_standing(caller, revision.document)
        for target in revision.supersedes:
            document = target.rpartition("@")[0]
            if document == revision.document:
                continue
            if all(one.id != target for one in self._shown(document, scope).revisions):
                raise AccessFailed(f"supersedes {target}: no such revision that you may replace")
            self._check_standing(caller, document)

    def _check_standing(self, caller: Caller, document: str, *, only: str | None = None) -> None:
        """Go on where the caller may write what is there of a document: all of it, the part they cannot read included."""
        scope = self._remit.scope(caller.principal)
        for one in self._remit.corpus.stored(document):
            if only is not None and one.revision != only:
                continue
            if not (scope.admits(one.labels, one.collection, one.document) and caller.may_write(one.collection)):
                raise AccessFailed("you may not write this document")


def content_of(text: str | None, encoded: str | None) -> bytes:
    """Return the bytes of a file that was sent as text or in base64.

    Raises:
        InvalidInput: both or neither were sent, or the base64 is none.
    """
    if (text is None) == (encoded is None):
        raise InvalidInput("send the document as `text` or, where it is no text, as `base64`: one of the two")
    if text is not None:
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(str(encoded), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("base64: this is no base64") from error


@contextmanager
def _file(content: bytes, suffix: str) -> Iterator[Path]:
    """Lend a file that holds a content, for readers that want one."""
    with ExitStack() as made:
        try:
            path = Path(made.enter_context(tempfile.TemporaryDirectory(prefix="remit-"))) / f"document{suffix}"
            path.write_bytes(content)
        except OSError as error:
            raise MissingPrerequisite(
                f"cannot write into {tempfile.gettempdir()} ({error.strerror}): free some space; nothing was changed"
            ) from error
        yield path


def _suffix(name: str) -> str:
    """Return the suffix of a file's name where it is one that is read: nothing else of the name reaches the disk."""
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise fault(name, None, f"files of kind {suffix!a} are not read: want {', '.join(SUFFIXES)}", "name")
    return suffix


def _read(source: Source) -> Sequence[Draft | InvalidInput]:
    """Return the documents of a file; where its form is a dangerous one it is read in a process of its own."""
    with reading([source], Stated(), workers_for([source])) as files:
        _, read = next(files)
    return tuple(read_drafts(source, Stated())) if read is None else read.drafts


def _taken(taking: Taking, drafts: Sequence[Draft], name: str) -> tuple[Stored, ...]:
    done = [taking.take(draft, name) for draft in drafts]
    if taking.rejected:
        raise InvalidInput(str(taking.rejected[0]), tuple(taking.rejected))
    return tuple(Stored(str(revision), effect) for revision, effect in done)


def _usable(read: Sequence[Draft | InvalidInput]) -> list[Draft]:
    """Return the documents of a file, or raise what is wrong with any of them."""
    wrong = [one for one in read if isinstance(one, InvalidInput)]
    if wrong:
        raise InvalidInput(str(wrong[0]), tuple(fault for one in wrong for fault in one.faults)[:_MOST_FAULTS])
    return [one for one in read if isinstance(one, Draft)]


def _over(said: Stated, draft: Draft) -> Draft:
    return draft._replace(stated=said.filled(draft.stated), document=said.document or draft.document)


def _cleared(changes: Mapping[str, Any]) -> list[str]:
    """Return the fields that are to say nothing any more."""
    return [name for name, value in changes.items() if value is None and name in {"status", "valid_from", "valid_to"}]
