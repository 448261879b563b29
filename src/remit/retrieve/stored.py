"""Reading from the store what the index is made of, and the few rows that a search hands out."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from remit.access.scope import Scope
from remit.contract.terms import terms
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Span
from remit.corpus.quantise import from_bytes
from remit.corpus.sessions import Session
from remit.corpus.sql_read import AT_SNAPSHOT, COLUMNS, FROM_LIVE, to_stored
from remit.corpus.standing import standing
from remit.corpus.store import Row
from remit.errors import CorpusDamaged, NothingThere
from remit.retrieve.building import Run
from remit.retrieve.lexical import joined_fields, tongue
from remit.retrieve.view import Kept


class Said(NamedTuple):
    """Under which title and language a run is searched."""

    title: str
    language: str


class Asked(NamedTuple):
    """For whom and when rows are read: a scope, a date, and the number of a state of the store."""

    scope: Scope
    at: date
    number: int


class Written(NamedTuple):
    """A revision as it stands, with its text, which was found to be what was written; None: it is no longer kept."""

    source: Revision
    text: str | None


class Texts:
    """For one state of the store, revisions whose text was found to be what was written, and the texts found last."""

    def __init__(self, characters: int, revisions: int = 50_000) -> None:
        self._sources: Kept[Revision] = Kept(revisions)
        self._texts: Kept[str] = Kept(characters)

    def held(self, key: Hashable) -> Written | None:
        """Return what is kept of a revision, None where nothing is."""
        source = self._sources.held(key)
        return None if source is None else Written(source, self._texts.held(key))

    def keep(self, key: Hashable, source: Revision, text: str) -> Written:
        """Keep a revision with its text for a while."""
        self._texts.get(key, lambda: text, len)
        return Written(self._sources.get(key, lambda: source), text)

    def clear(self) -> None:
        """Keep nothing of what was kept so far."""
        self._sources.clear()
        self._texts.clear()


class Placed(NamedTuple):
    """A row and the key of the run it belongs to."""

    run: int
    row: Row


def dimension_of(connection: Session) -> int:
    """Return how many numbers the vectors of the store have; 1 where there is none."""
    row = connection.execute("SELECT dimension FROM encoder").fetchone()
    row = row or connection.execute("SELECT length(vector) FROM vector LIMIT 1").fetchone()
    return int(row[0]) if row else 1


def runs_of(connection: Session, keys: Iterable[int], said: Mapping[int, Said]) -> Iterator[Run]:
    """Yield the runs with these keys that are still there; `said` overrides their titles and languages.

    Raises:
        CorpusDamaged: a stored text is not what was written.
    """
    dimension = dimension_of(connection)
    one = """SELECT r.key, r.text, r.digest, r.document || '@' || r.revision, n.title, n.language
        FROM run n JOIN revision r ON r.key = n.revision_key WHERE n.key = ? AND r.text IS NOT NULL"""
    all_ = """SELECT p.key, p.section, p.start_at, p.end_at, v.vector, v.scale
        FROM passage p JOIN vector v ON v.passage_key = p.key WHERE p.revision_key = ? ORDER BY p.ordinal"""
    for key in keys:
        if (row := connection.execute(one, (key,)).fetchone()) is None:
            continue
        revision, text = row[0], _checked(*row[1:4])
        title, language = said.get(key, Said(*row[4:]))
        found = connection.execute(all_, (revision,)).fetchall()
        yield Run(
            key=key,
            language=tongue(language),
            passages=[passage for passage, *_ in found],
            terms=[passage_terms(title, section, text[start:end], language) for _, section, start, end, *_ in found],
            vectors=from_bytes(b"".join(v for *_, v, _ in found), _scales(s for *_, s in found), dimension),
        )


def rows_of(
    connection: Session,
    keys: Sequence[int],
    asked: Asked,
    starts: Mapping[str, date],
    kept: Texts,
) -> dict[int, Placed]:
    """Return passages by key with their revisions as they stand; `kept` is for one state of the store.

    Raises:
        NothingThere: one has gone, or lies outside the scope.
        CorpusDamaged: a stored text is not what was written.
    """
    query = """SELECT p.key, n.key, p.revision_key, p.id, p.ordinal, p.section, p.start_at, p.end_at, p.kind, p.sentences
        FROM passage p JOIN run n ON n.revision_key = p.revision_key WHERE p.key IN (SELECT value FROM json_each(:keys))"""
    found = connection.execute(query, {"keys": json.dumps(list(keys))}).fetchall()
    revisions = _written(connection, {row[2] for row in found}, asked, starts, kept)
    pieces = _pieces(connection, [row[0] for row in found if row[2] in revisions and revisions[row[2]].text is None])
    rows = {}
    for key, run, revision, id, ordinal, section, start, end, kind, sentences in found:
        if revision not in revisions:
            raise NothingThere("a passage has gone, or may no longer be read: search again")
        source, text = revisions[revision]
        passage = Passage(
            id=id,
            document=source.document,
            revision=source.revision,
            ordinal=ordinal,
            section=_listed(section),
            start=start,
            end=end,
            text=pieces[key] if text is None else text[start:end],
            sentences=tuple(Span(*span) for span in json.loads(sentences)),
            kind=kind,
        )
        rows[key] = Placed(run, Row(passage, source))
    if len(rows) != len(keys):
        raise NothingThere("a passage has gone: search again")
    return rows


def sources(connection: Session, keys: Iterable[int], asked: Asked, starts: Mapping[str, date]) -> dict[int, Revision]:
    """Return revisions by key as they stand, those inside the scope."""
    return {key: source for key, source, _ in _standing(connection, keys, asked, starts, "NULL")}


def _standing(
    connection: Session, keys: Iterable[int], asked: Asked, starts: Mapping[str, date], text: str
) -> Iterator[tuple[int, Revision, str]]:
    """Yield revisions with their keys as they stand, those inside the scope, and the column `text`.

    One query gives both, since SQLite has to read through a text to tell anything that stands behind it.
    """
    query = (
        f"""SELECT {COLUMNS}, {text} {FROM_LIVE} AND r.key IN (SELECT value FROM json_each(:keys)) AND {AT_SNAPSHOT}"""  # noqa: S608 - constants; every value is bound
    )
    rows = connection.execute(query, {"keys": json.dumps(sorted(keys)), "number": asked.number}).fetchall()
    for *columns, written in rows:
        key, revision = to_stored(columns)
        # The second lock on the same door: the index was asked with the scope already.
        if asked.scope.admits(revision.labels, revision.collection, revision.document):
            yield key, standing(revision, starts.get(revision.id), asked.at), written


def _written(
    connection: Session, keys: set[int], asked: Asked, starts: Mapping[str, date], kept: Texts
) -> dict[int, Written]:
    """Return revisions inside the scope by key, with their texts where these are kept, or had to be looked through."""
    shared = (asked.scope.digest, asked.at, asked.number)
    found = {key: one for key in keys if (one := kept.held((*shared, key))) is not None}
    if missing := keys - found.keys():
        for key, source, text in _standing(connection, missing, asked, starts, "r.text"):
            found[key] = kept.keep((*shared, key), source, _checked(text, source.digest, source.id))
    return found


def _pieces(connection: Session, keys: Sequence[int]) -> dict[int, str]:
    """Return the texts of passages of revisions that have been looked through: there is no need to read them whole."""
    if not keys:
        return {}
    query = """SELECT p.key, p.start_at, p.end_at, substr(r.text, p.start_at + 1, p.end_at - p.start_at), r.key
        FROM passage p JOIN revision r ON r.key = p.revision_key WHERE p.key IN (SELECT value FROM json_each(:keys))"""
    pieces = {}
    for key, start, end, piece, revision in connection.execute(query, {"keys": json.dumps(keys)}).fetchall():
        pieces[key] = piece
        if len(piece) != end - start:  # SQLite counts no further than a zero character
            [whole] = connection.execute("SELECT text FROM revision WHERE key = ?", (revision,)).fetchone()
            pieces[key] = whole[start:end]
    return pieces


def said_of(connection: Session, runs: Sequence[int], number: int) -> dict[int, Said]:
    """Return titles and languages of runs in the state of the store with that number."""
    query = f"""SELECT n.key, m.title, m.language FROM run n JOIN metadata m ON m.revision_key = n.revision_key
        WHERE n.key IN (SELECT value FROM json_each(:runs)) AND {AT_SNAPSHOT}"""  # noqa: S608 - constants; every value is bound
    rows = connection.execute(query, {"runs": json.dumps(list(runs)), "number": number})
    return {run: Said(title, language) for run, title, language in rows}


def ids_of(connection: Session, keys: Sequence[int]) -> list[str]:
    """Return the ids of passages, in the order of the keys.

    Raises:
        NothingThere: one has gone.
    """
    query = "SELECT key, id FROM passage WHERE key IN (SELECT value FROM json_each(:keys))"
    found = dict(connection.execute(query, {"keys": json.dumps(list(keys))}).fetchall())
    if len(found) != len(set(keys)):
        raise NothingThere("a passage has gone: search again")
    return [found[key] for key in keys]


def below_section(connection: Session, section: Sequence[str]) -> list[int]:
    """Return the keys of the passages whose heading path begins with `section`."""
    start = json.dumps(list(section), ensure_ascii=False)[:-1]
    query = "SELECT key FROM passage WHERE substr(section, 1, length(:s)) = :s AND substr(section, length(:s) + 1, 1) IN (']', ',')"
    return [key for (key,) in connection.execute(query, {"s": start})]


def passage_terms(title: str, section: str, text: str, language: str) -> list[str]:
    """Return the terms of a passage in their order; `section` is its heading path in JSON."""
    return [found.term for found in terms(joined_fields(title, json.loads(section), text), tongue(language))]


def _scales(scales: Iterable[float]) -> bytes:
    return np.fromiter(scales, dtype="<f4").tobytes()


def _listed(section: str) -> tuple[str, ...]:
    return () if section == "[]" else tuple(json.loads(section))


def _checked(text: str, digest: str, id: str) -> str:
    if text_digest(text) != digest:
        raise CorpusDamaged(
            f"the stored text of {id} is not what was written: delete that revision and ingest it again"
        )
    return text
