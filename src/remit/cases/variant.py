"""A copy of a store with the changes that cases ask for, made beside the original, which is never written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Final

from remit.cases.material import Changes, Document
from remit.cases.transform import ARCHIVE, VAULT
from remit.contract.catalogue import Catalogue
from remit.corpus.control import merged
from remit.corpus.document import Revision
from remit.corpus.ingest import Report, Step, ingest
from remit.corpus.sql import SqlCorpus
from remit.corpus.sqlite import SqliteCorpus
from remit.errors import InvalidInput
from remit.llm.embed import Embed

STORE: Final = "store"
LINES: Final = "changes.jsonl"
_NOT_COPIED: Final = ("journal.db*", "models.db*")


def holding(corpus: SqlCorpus, *, at: date) -> dict[str, Document]:
    """Return each document's revision that holds at a date, with its text. For the operator: it asks no scope."""
    found: dict[str, Document] = {}
    for revision, text in corpus.everything():
        if _holds(revision, at):
            found[revision.document] = Document(revision, text)
    return found


def make_variant(
    source: Path,
    folder: Path,
    changes: Changes,
    embed: Embed,
    *,
    now: datetime,
    step: Callable[[Step], None] | None = None,
) -> Report:
    """Return what was stored in a changed copy of the store, made in `folder`, with the changes as a file beside it.

    Raises:
        InvalidInput: there is something in the way, or a change could not be stored.
    """
    target = folder / STORE
    if target.exists():
        raise InvalidInput(f"{target} is already there: give another --out, or take it away")
    folder.mkdir(parents=True, exist_ok=True)
    copying = folder / f"{STORE}.part"
    shutil.rmtree(copying, ignore_errors=True)
    with SqliteCorpus.open(source) as corpus:
        corpus.copy_to(copying)
    for extra in source.iterdir():
        if extra.name == "segments":
            shutil.copytree(extra, copying / extra.name)
        elif extra.name == "remit.toml":
            shutil.copy2(extra, copying / extra.name)
    lines = folder / LINES
    lines.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in changes.lines), encoding="utf-8")
    with SqliteCorpus.open(copying) as corpus:
        corpus.declare(_with_ours(corpus.catalogue()))
        for document in changes.delete:
            corpus.delete(document, now=now)
        report = ingest([lines], corpus, embed, now=now, step=step) if changes.lines else Report()
    if report.rejected:
        raise InvalidInput(f"{lines}: {report.rejected[0]}", report.rejected)
    copying.rename(target)
    return report


def _with_ours(catalogue: Catalogue) -> Catalogue:
    return merged(catalogue, (ARCHIVE, VAULT))


def _holds(revision: Revision, at: date) -> bool:
    started = revision.valid_from is None or revision.valid_from <= at
    ended = revision.valid_to is not None and revision.valid_to <= at
    return started and not ended and revision.status not in {"draft", "withdrawn", "superseded"}
