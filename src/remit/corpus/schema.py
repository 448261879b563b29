"""The tables of `store.db`, as migrations; `migrating` applies them once, in order."""

from __future__ import annotations

APPLICATION_ID = 0x52454D54
"""Marks a SQLite file as a Remit store ("REMT"), so that another program's database is never written to."""

_M001 = """
CREATE TABLE snapshot (
    number INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,
    at TEXT NOT NULL,
    what TEXT NOT NULL
) STRICT;

-- One digest for every 256th of the revision ids, so that a write hashes a small part of the corpus, not all of it.
CREATE TABLE bucket (
    number INTEGER PRIMARY KEY,
    digest TEXT NOT NULL
) STRICT;

CREATE TABLE encoder (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;

CREATE TABLE collection (
    name TEXT PRIMARY KEY,
    declared TEXT NOT NULL
) STRICT;

-- A deleted revision stays as a tombstone: text NULL, removed_in set. `state` is its part of the snapshot digest.
CREATE TABLE revision (
    key INTEGER PRIMARY KEY,
    document TEXT NOT NULL,
    revision TEXT NOT NULL,
    text TEXT,
    digest TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    state TEXT,
    created_in INTEGER NOT NULL,
    removed_in INTEGER
) STRICT;
CREATE UNIQUE INDEX live_revision ON revision (document, revision) WHERE removed_in IS NULL;
CREATE INDEX revision_by_id ON revision (document, revision);
CREATE INDEX revision_by_bucket ON revision (bucket);

-- What is said about a revision. Amending it closes one row (removed_in) and opens the next.
CREATE TABLE metadata (
    key INTEGER PRIMARY KEY,
    revision_key INTEGER NOT NULL REFERENCES revision (key),
    title TEXT NOT NULL,
    collection TEXT NOT NULL,
    status TEXT CHECK (status IN ('draft', 'current', 'superseded', 'withdrawn')),
    valid_from TEXT,
    valid_to TEXT,
    authority TEXT NOT NULL CHECK (authority IN ('authoritative', 'informative')),
    applies_to TEXT NOT NULL,
    language TEXT NOT NULL,
    source TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    created_in INTEGER NOT NULL,
    removed_in INTEGER
) STRICT;
CREATE INDEX metadata_by_revision ON metadata (revision_key);

CREATE TABLE label (
    metadata_key INTEGER NOT NULL REFERENCES metadata (key),
    label TEXT NOT NULL CHECK (trim(label) <> '' AND label <> '*'),
    PRIMARY KEY (metadata_key, label)
) STRICT, WITHOUT ROWID;

CREATE TABLE supersession (
    metadata_key INTEGER NOT NULL REFERENCES metadata (key),
    position INTEGER NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (metadata_key, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX supersession_by_target ON supersession (target);

CREATE TABLE passage (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    revision_key INTEGER NOT NULL REFERENCES revision (key),
    ordinal INTEGER NOT NULL,
    section TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    end_at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('prose', 'table')),
    sentences TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX passage_by_revision ON passage (revision_key, ordinal);

-- Apart from the passages, so that reading those does not drag the vectors along. Scales are float32 values.
CREATE TABLE vector (
    passage_key INTEGER PRIMARY KEY REFERENCES passage (key),
    vector BLOB NOT NULL,
    scale REAL NOT NULL,
    sentence_vectors BLOB NOT NULL,
    sentence_scales BLOB NOT NULL
) STRICT;
"""

# A run is one filling of a revision with passages, under one title and language: what the index is made of. It gets a new
# key, never used before, whenever any of that changes, so that what is derived from a run can never go stale. The
# triggers see to it whoever writes.
_M002 = """
CREATE TABLE run (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    revision_key INTEGER NOT NULL UNIQUE REFERENCES revision (key),
    title TEXT NOT NULL,
    language TEXT NOT NULL
) STRICT;

INSERT INTO run (revision_key, title, language)
    SELECT m.revision_key, m.title, m.language FROM metadata m
    WHERE m.removed_in IS NULL AND EXISTS (SELECT 1 FROM passage p WHERE p.revision_key = m.revision_key);

CREATE TRIGGER run_begins AFTER INSERT ON passage
WHEN NOT EXISTS (SELECT 1 FROM run WHERE revision_key = NEW.revision_key)
BEGIN
    INSERT INTO run (revision_key, title, language)
        SELECT revision_key, title, language FROM metadata
        WHERE revision_key = NEW.revision_key AND removed_in IS NULL;
END;

CREATE TRIGGER run_ends AFTER DELETE ON passage
BEGIN
    DELETE FROM run WHERE revision_key = OLD.revision_key;
END;

CREATE TRIGGER run_changes AFTER INSERT ON metadata
WHEN EXISTS (
    SELECT 1 FROM run
    WHERE revision_key = NEW.revision_key AND (title <> NEW.title OR language <> NEW.language)
)
BEGIN
    DELETE FROM run WHERE revision_key = NEW.revision_key;
    INSERT INTO run (revision_key, title, language) VALUES (NEW.revision_key, NEW.title, NEW.language);
END;

-- Files below segments/, by their digest. They are derived: a row may be dropped at any time.
CREATE TABLE segment (
    digest TEXT PRIMARY KEY,
    passages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

# What an ingest remembers, so that the next one goes on from there, and vectors of another encoder until they are complete.
_M003 = """
CREATE TABLE job (
    key INTEGER PRIMARY KEY,
    paths TEXT NOT NULL,
    started TEXT NOT NULL,
    total INTEGER NOT NULL,
    done INTEGER NOT NULL,
    finished TEXT
) STRICT;

-- A file that was read without a doubt, by a digest of its path and of the rules it was read under.
CREATE TABLE file (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    stamp TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT;

CREATE TABLE file_revision (
    file_key INTEGER NOT NULL REFERENCES file (key) ON DELETE CASCADE,
    document TEXT NOT NULL,
    revision TEXT NOT NULL,
    state TEXT NOT NULL,
    automatic INTEGER NOT NULL,
    PRIMARY KEY (file_key, document, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE next_encoder (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;

CREATE TABLE next_vector (
    passage_key INTEGER PRIMARY KEY REFERENCES passage (key) ON DELETE CASCADE,
    vector BLOB NOT NULL,
    scale REAL NOT NULL,
    sentence_vectors BLOB NOT NULL,
    sentence_scales BLOB NOT NULL
) STRICT;
"""

# Runs hold vectors: with another encoder all of them are others. And whoever may read little finds it by the label,
# without looking at all that they may not.
_M004 = """
CREATE TRIGGER runs_encoded_anew AFTER UPDATE ON encoder
BEGIN
    UPDATE run SET key = key + (SELECT seq FROM sqlite_sequence WHERE name = 'run');
    UPDATE sqlite_sequence SET seq = (SELECT max(key) FROM run) WHERE name = 'run' AND EXISTS (SELECT 1 FROM run);
END;

CREATE TRIGGER runs_encoded AFTER INSERT ON encoder
BEGIN
    UPDATE run SET key = key + (SELECT seq FROM sqlite_sequence WHERE name = 'run');
    UPDATE sqlite_sequence SET seq = (SELECT max(key) FROM run) WHERE name = 'run' AND EXISTS (SELECT 1 FROM run);
END;

CREATE INDEX label_by_label ON label (label, metadata_key);
"""

# Sums by which a row is known to be what was written (`sealing`), and how many passages a revision has. `migrate` writes
# those of the rows that are there.
_M005 = """
ALTER TABLE metadata ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
ALTER TABLE metadata ADD COLUMN revision_seal INTEGER NOT NULL DEFAULT -1;
ALTER TABLE passage ADD COLUMN total INTEGER NOT NULL DEFAULT 0;
ALTER TABLE passage ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
ALTER TABLE passage ADD COLUMN vector_seal INTEGER NOT NULL DEFAULT -1;
ALTER TABLE next_vector ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
ALTER TABLE collection ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
"""

MIGRATIONS = (_M001, _M002, _M003, _M004, _M005)
"""Append only: a released migration is never edited. m001 is MIGRATIONS[0]."""
SEALED_SINCE = 5
