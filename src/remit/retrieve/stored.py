"""Reading from the store what the index is made of, and the few rows that a search hands out."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from remit.access.scope import Scope
from remit.contract.terms import terms
from remit.corpus.document import Revision
from remit.corpus.quantise import from_bytes
from remit.corpus.sealing import PASSAGE, PASSAGE_WIDTH, SAID, SAID_WIDTH, VECTOR, changed, passage_seal
from remit.corpus.sessions import Session
from remit.corpus.sql_rows import (
    AT_SNAPSHOT,
    FROM_LIVE,
    checked_text,
    encoder_width,
    newest,
    passage_of,
    said_of,
    sound_passage,
    sound_vector,
    whole,
)
from remit.corpus.standing import standing
from remit.corpus.store import Row
from remit.errors import CorpusDamaged, NothingThere, RemitError
from remit.retrieve.building import Run
from remit.retrieve.lexical import joined_fields, tongue
from remit.retrieve.view import Kept


class Said(NamedTuple):
    """Under which title and language a run is searched."""

    title: str
    language: str


class Asked(NamedTuple):
    """For whom and when rows are read: a scope, a date, the number of a state of the store, and of the newest one then."""

    scope: Scope
    at: date
    number: int
    state: int


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
    if (named := encoder_width(connection)) is not None:
        return named
    row = connection.execute("SELECT length(vector) FROM vector LIMIT 1").fetchone()
    return int(row[0]) if row else 1


def runs_of(connection: Session, keys: Iterable[int], said: Mapping[int, Said]) -> Iterator[Run]:
    """Yield the runs with these keys that are still there; `said` overrides their titles and languages.

    Raises:
        CorpusDamaged: a stored text is not what was written.
    """
    dimension = dimension_of(connection)
    one = """SELECT r.key, r.text, r.digest, r.document || '@' || r.revision
        FROM run n JOIN revision r ON r.key = n.revision_key WHERE n.key = ? AND r.text IS NOT NULL"""
    all_ = f"""SELECT {PASSAGE}, {VECTOR}
        FROM passage p LEFT JOIN vector v ON v.passage_key = p.key WHERE p.revision_key = ? ORDER BY p.ordinal"""  # noqa: S608 - constants
    for key in keys:
        if (row := connection.execute(one, (key,)).fetchone()) is None:
            continue
        revision, id, text = row[0], row[3], checked_text(*row[1:4])
        if (spoken := said.get(key)) is None:
            spoken = Said(*connection.execute("SELECT title, language FROM run WHERE key = ?", (key,)).fetchone())
        title, language = spoken
        found = connection.execute(all_, (revision,)).fetchall()
        passages = whole((sound_passage(row[:PASSAGE_WIDTH], id) for row in found), id)
        vectors = [sound_vector(row[PASSAGE_WIDTH:], id, dimension) for row in found]
        yield Run(
            key=key,
            language=tongue(language),
            passages=[row.key for row in passages],
            terms=[passage_terms(title, row.section, text[row.start : row.end], language) for row in passages],
            vectors=from_bytes(b"".join(v[1] for v in vectors), _scales(v[2] for v in vectors), dimension),
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
    query = f"""SELECT {PASSAGE}, n.key
        FROM passage p JOIN run n ON n.revision_key = p.revision_key WHERE p.key IN (SELECT value FROM json_each(:keys))"""  # noqa: S608 - our own constants
    found = connection.execute(query, {"keys": json.dumps(list(keys))}).fetchall()
    revisions = _written(connection, {row[1] for row in found}, asked, starts, kept)
    pieces = _pieces(connection, [row[0] for row in found if row[1] in revisions and revisions[row[1]].text is None])
    rows = {}
    for columns in found:
        if columns[1] not in revisions:
            raise gone(connection, asked)
        source, text = revisions[columns[1]]
        key, start, end, seal, run = columns[0], columns[5], columns[6], columns[10], columns[11]
        if seal != passage_seal(columns):
            raise changed(source.id)
        words = pieces[key] if text is None else text[start:end]
        rows[key] = Placed(run, Row(passage_of(columns, source, words), source))
    if len(rows) != len(keys):
        raise gone(connection, asked)
    return rows


def gone(connection: Session, asked: Asked) -> RemitError:
    """Return the error for a passage that is not there: deleted meanwhile, or lost where nothing was written meanwhile."""
    if newest(connection).number != asked.state:
        return NothingThere("a passage has gone, or may no longer be read: search again")
    return CorpusDamaged(
        "a passage that is indexed is not in the record: `remit verify --mend` makes anew what is derived from it, and names "
        "what has to be ingested again"
    )


def sources(connection: Session, keys: Iterable[int], asked: Asked, starts: Mapping[str, date]) -> dict[int, Revision]:
    """Return revisions by key as they stand, those inside the scope."""
    return {key: source for key, source, _ in _standing(connection, keys, asked, starts, "NULL")}


def _standing(
    connection: Session, keys: Iterable[int], asked: Asked, starts: Mapping[str, date], text: str
) -> Iterator[tuple[int, Revision, str]]:
    """Yield revisions with their keys as they stand, those inside the scope, and the column `text`.

    One query gives both, since SQLite has to read through a text to tell anything that stands behind it.
    """
    query = f"""SELECT {SAID}, r.digest, {text} {FROM_LIVE} AND r.key IN (SELECT value FROM json_each(:keys)) AND {AT_SNAPSHOT}"""  # noqa: S608 - constants; every value is bound
    rows = connection.execute(query, {"keys": json.dumps(sorted(keys)), "number": asked.number}).fetchall()
    for row in rows:
        key, revision = said_of(row[:SAID_WIDTH], row[SAID_WIDTH])
        # The second lock on the same door: the index was asked with the scope already.
        if asked.scope.admits(revision.labels, revision.collection, revision.document):
            yield key, standing(revision, starts.get(revision.id), asked.at), row[-1]


def _written(
    connection: Session, keys: set[int], asked: Asked, starts: Mapping[str, date], kept: Texts
) -> dict[int, Written]:
    """Return revisions inside the scope by key, with their texts where these are kept, or had to be looked through."""
    shared = (asked.scope.digest, asked.at, asked.number)
    found = {key: one for key in keys if (one := kept.held((*shared, key))) is not None}
    if missing := keys - found.keys():
        for key, source, text in _standing(connection, missing, asked, starts, "r.text"):
            found[key] = kept.keep((*shared, key), source, checked_text(text, source.digest, source.id))
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


def runs_said(connection: Session, runs: Sequence[int], number: int) -> dict[int, Said]:
    """Return titles and languages of runs in the state of the store with that number."""
    query = f"""SELECT n.key, m.title, m.language FROM run n JOIN metadata m ON m.revision_key = n.revision_key
        WHERE n.key IN (SELECT value FROM json_each(:runs)) AND {AT_SNAPSHOT}"""  # noqa: S608 - constants; every value is bound
    rows = connection.execute(query, {"runs": json.dumps(list(runs)), "number": number})
    return {run: Said(title, language) for run, title, language in rows}


def ids_of(connection: Session, keys: Sequence[int], asked: Asked) -> list[str]:
    """Return the ids of passages, in the order of the keys.

    Raises:
        NothingThere: one has gone.
        CorpusDamaged: one is not what was written.
    """
    query = f"SELECT {PASSAGE} FROM passage p WHERE p.key IN (SELECT value FROM json_each(:keys))"  # noqa: S608 - constants
    rows = connection.execute(query, {"keys": json.dumps(list(keys))}).fetchall()
    found = {row[0]: sound_passage(row, row[2].rpartition("#")[0]).id for row in rows}
    if len(found) != len(set(keys)):
        raise gone(connection, asked)
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
