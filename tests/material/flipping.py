"""A store in which one byte is flipped: what its readers then see, beside what they saw before."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from shelf import EMBED, NOW, TODAY, filled, new, scope_of

from remit.contract.catalogue import Catalogue, Collection
from remit.contract.contract import RevisionWanted
from remit.corpus.browse import Browser
from remit.corpus.mending import mend
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.verify import verify
from remit.errors import RemitError
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Search
from remit.retrieve.upkeep import Sizes

READERS = {
    name: scope_of(*labels.split()) for name, labels in [("staff", "public staff"), ("all", "public staff board")]
}
PUBLIC = {"public": scope_of("public")}
QUERIES = ("pump seal months", "valve torque", "zebra")
LONG_AGO = date(2021, 6, 1)
PAGE = 4096
AMENDED = (1, 6)
_WORDS = (
    "pump",
    "seal",
    "valve",
    "torque",
    "grease",
    "months",
    "bearing",
    "motor",
    "filter",
    "shift",
    "gauge",
    "alarm",
)


def revisions(documents: int):
    """Return revisions of every kind: labels, dates, states, what replaces what, keys they hold for, languages."""
    chance, made = Random(7), []  # noqa: S311 - chance, not secrecy
    for number in range(documents):
        name = f"D{number:02}"
        labels = [("public",), ("staff",), ("board",), ("staff", "board"), ()][number % 5]
        for revision in range(1, 2 + number % 3):
            lines = [" ".join(chance.choices(_WORDS, k=9)) + "." for _ in range(2 + number % 4)]
            begun = date(2020, 1, 1) + timedelta(days=400 * revision + number)
            made.append(
                new(
                    name,
                    str(revision),
                    "\n".join(lines),
                    labels=labels,
                    title=f"{name} {chance.choice(_WORDS)}",
                    collection=("books", "notes", "plans")[number % 3],
                    status=("current", None, "superseded", "draft", "withdrawn")[0 if number % 4 else number % 5],
                    valid_from=None if number % 7 == 0 else begun,
                    supersedes=(f"{name}@{revision - 1}",) if revision > 1 else (),
                    authority=("informative", "authoritative")[number % 2],
                    applies_to=(("model", (f"M{number}",)),) if number % 4 == 0 else (),
                    language="de" if number % 6 == 0 else "en",
                )
            )
    return made


def amended(one):
    """Return the same revision for other readers, under another title."""
    changed = {"labels": frozenset({"board"}), "title": "Amended"}
    return one._replace(revision=one.revision.model_copy(update=changed))


def standing(documents: int = 25):
    """Return by id the revisions that a store holds in the end."""
    several = revisions(documents)
    last = {one.revision.id: one for one in (*several, *(amended(several[at]) for at in AMENDED))}
    return {id: one for id, one in last.items() if not id.startswith("D03@") and id != "D08@2"}


def made(folder: Path, documents: int = 25) -> None:
    """Make a store with deletions, amendments, a segment and what is in none yet."""
    several = revisions(documents)
    with filled(folder, *several[:-4]) as corpus, Index(folder, corpus.connections) as index:
        catalogue = (
            Collection(name="books", title="Books", discoverable=True),
            Collection(name="plans", title="Plans"),
        )
        corpus.declare(Catalogue(collections=catalogue))
        index.keep_up(Sizes(batch=60, smallest=1))
        for one in several[-4:]:
            corpus.put(one, now=NOW)
        for at in AMENDED:
            corpus.put(amended(several[at]), now=NOW)
        corpus.delete("D03", now=NOW)
        corpus.delete("D08", now=NOW, revision="2")
        corpus.connections.shorten_log()
    for left in folder.glob("store.db-*"):
        left.unlink()


def seen(folder: Path) -> dict[str, object]:
    """Return all that each reader gets from every way of reading a store, as comparable values."""
    found: dict[str, object] = {}
    with SqliteCorpus.open(folder) as corpus, Index(folder, corpus.connections) as index:
        snapshot, retriever = corpus.snapshot(), HybridRetriever(corpus, EMBED, index=index)
        found["*"] = (corpus.catalogue(), snapshot.digest)
        for who, scope in {**READERS, **PUBLIC}.items():
            rows = [corpus.readable(scope, at=at, named=None, snapshot=snapshot) for at in (TODAY, LONG_AGO)]
            found[f"{who} rows"] = rows
            ids = [row.passage.id for row in rows[0].rows]
            found[f"{who} vectors"] = [v.tobytes() for v in corpus.vectors(ids, scope)[1]]
            for at in (TODAY, LONG_AGO):
                hits = [
                    retriever.search(Search(query, 12, RevisionWanted(at=at)), scope, snapshot) for query in QUERIES
                ]
                found[f"{who} hits {at}"] = [(h.hits, h.set_aside, h.readable, h.visible) for h in hits]
            browser = Browser(corpus)
            found[f"{who} documents"] = browser.documents(scope)
            found[f"{who} shown"] = [browser.passage(id, scope) for id in ids[:5]]
            found[f"{who} named"] = [corpus.named(f"d{n:02}", scope) for n in range(0, 25, 3)]
            found[f"{who} opens"] = [corpus.opens(name, scope) for name in ("books", "notes", "plans")]
            found[f"{who} revisions"] = [corpus.revisions(f"D{n:02}", scope, snapshot=snapshot) for n in range(25)]
    return found


def opened_to(found: dict[str, object], who: str) -> set[tuple[str, str]]:
    """Return the passages that a reader got in any way, with their texts."""
    readable = [row for one in found[f"{who} rows"] for row in (*one.rows, *(row for row, _ in one.set_aside))]
    hits = [hit for name in found if name.startswith(f"{who} hits") for one in found[name] for hit in one[0]]
    shown = [row for row in found[f"{who} shown"] if row is not None]
    return {(one.passage.id, one.passage.text) for one in (*readable, *hits, *shown)}


@dataclass(frozen=True)
class Flip:
    """One byte in the place of another."""

    at: int
    value: int

    def into(self, file: Path) -> None:
        """Put it there."""
        with file.open("r+b") as opened:
            opened.seek(self.at)
            opened.write(bytes([self.value]))


def flips(content: bytes, count: int, seed: int) -> Iterator[Flip]:
    """Yield flips of one bit or of a whole byte, page after page, at random places of each."""
    chance, pages = Random(seed), len(content) // PAGE  # noqa: S311 - chance, not secrecy
    for number in range(count):
        at = number % pages * PAGE + chance.randrange(PAGE)
        value = content[at] ^ (1 << chance.randrange(8)) if chance.random() < 0.5 else chance.randrange(256)
        yield Flip(at, value if value != content[at] else value ^ 1)


class Became(NamedTuple):
    """What a flip did: `same`, `error` (`how` says which) or `other`; whether the whole look finds it, and mending."""

    kind: str
    how: str
    found: bool
    mended: str = ""


def tried(store: Path, into: Path, flip: Flip, before: dict[str, object], *, mending: bool = False) -> Became:
    """Return what a flip in a copy of a store does to its readers, and whether they are led outside their scopes.

    Raises:
        AssertionError: a reader got a passage that was not theirs.
        Exception: an error that is none of ours got out.
    """
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    shutil.copyfile(store / "store.db", into / "store.db")
    (into / "segments").symlink_to(store / "segments")
    flip.into(into / "store.db")
    try:
        after = seen(into)
        kind, how = ("same", "") if after == before else ("other", _difference(before, after))
    except RemitError as error:
        after, kind, how = {}, "error", f"{type(error).__name__}: {error}".replace(str(into), "STORE")
    for who in (*READERS, *PUBLIC) if after else ():
        assert opened_to(after, who) <= opened_to(before, who), f"{flip}: {who} got what is not theirs"
    found = _found(into)
    return Became(kind, how, found, _mended(store, into, before) if mending and found else "")


def _difference(before: dict[str, object], after: dict[str, object]) -> str:
    return next((name for name in before if before[name] != after.get(name)), "")


def _found(folder: Path) -> bool:
    try:
        with SqliteCorpus.open(folder) as corpus:
            return bool(verify(corpus.connections).flaws)
    except RemitError:
        return True


def _mended(store: Path, folder: Path, before: dict[str, object]) -> str:
    """Return what mending, and ingesting again what it deleted, comes to: `as before`, `beyond` or `other: where`."""
    (folder / "segments").unlink()
    shutil.copytree(store / "segments", folder / "segments")
    try:
        with SqliteCorpus.open(folder) as corpus, Index(folder, corpus.connections) as index:
            mend(corpus.connections, now=NOW)
            corpus.use_encoder(EMBED.name, EMBED.dimension)
            for one in standing().values():
                corpus.put(one, now=NOW)
            index.keep_up()
            if flaws := verify(corpus.connections).flaws:
                return f"still: {flaws[0].what}"
        after = seen(folder)
    except RemitError as error:
        return f"beyond: {type(error).__name__}"
    return "as before" if _ids(before) == _ids(after) else "other"


def _ids(found: dict[str, object]) -> list[object]:
    return [sorted(opened_to(found, who)) for who in (*READERS, *PUBLIC)]
