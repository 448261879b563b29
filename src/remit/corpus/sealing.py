"""Sums by which a stored row is known to be what was written: a byte that has changed never makes another valid row.

A CRC-32 finds every change inside four bytes in a row, and any other but for one in four thousand million. It guards
against what disks and memory do, not against somebody who may write the file: they can write the sums as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final
from zlib import crc32

from remit.errors import CorpusDamaged

UNSEALED: Final = -1
"""What stands where no sum has been written; no sum is negative."""

SAID: Final = """m.key, m.revision_key, r.document, r.revision, m.title, m.collection, m.status, m.valid_from, m.valid_to,
    m.authority, m.applies_to, m.language, m.source, m.recorded_at, m.created_in, m.removed_in,
    (SELECT json_group_array(label) FROM label WHERE metadata_key = m.key),
    (SELECT json_group_array(target) FROM (SELECT target FROM supersession WHERE metadata_key = m.key ORDER BY position) AS told),
    m.seal"""
"""What is said about a revision (`m`, with its labels and what it replaces), whose revision it is (`r`), and its sum."""
HELD: Final = """r.key, r.document, r.revision, r.digest, r.recorded_at, r.bucket, r.state, r.created_in, r.removed_in,
    m.revision_seal"""
"""A revision but for its text, which has its own digest, and its sum."""
PASSAGE: Final = """p.key, p.revision_key, p.id, p.ordinal, p.section, p.start_at, p.end_at, p.kind, p.sentences, p.total,
    p.seal"""
"""A passage, how many passages its revision has, and its sum."""
VECTOR: Final = "p.key, v.vector, v.scale, v.sentence_vectors, v.sentence_scales, p.vector_seal"
"""The vectors of a passage and its sentences, and their sum."""

_NO_SUM: Final = -2
"""The sum of what has become of another kind: no row has it."""
SAID_WIDTH: Final = 19
PASSAGE_WIDTH: Final = 11
_LABELS: Final = 16
_TARGETS: Final = 17


def _form(width: int) -> str:
    """Return how columns stand in the text that is summed; a form costs half of what joining them does."""
    return "\x1f".join(["%s"] * width)


_SAID_FORM: Final = _form(SAID_WIDTH - 1)
_HELD_FORM: Final = _form(9)
_PASSAGE_FORM: Final = _form(PASSAGE_WIDTH - 1)


def said_seal(row: Sequence[Any]) -> int:
    """Return the sum of a row of SAID."""
    targets = row[_TARGETS]
    told = targets if targets == "[]" else "\x1e".join(map(str, json.loads(targets)))
    return _sum(_SAID_FORM % (*row[:_LABELS], _in_order(row[_LABELS]), told))


def held_seal(row: Sequence[Any]) -> int:
    """Return the sum of a row of HELD."""
    return _sum(_HELD_FORM % tuple(row[:-1]))


def passage_seal(row: Sequence[Any]) -> int:
    """Return the sum of a row of PASSAGE."""
    return crc32((_PASSAGE_FORM % tuple(row[:10])).encode("utf-8", "surrogateescape"))


def vector_seal(row: Sequence[Any]) -> int:
    """Return the sum of a row of VECTOR."""
    key, vector, scale, sentences, scales, _ = row
    if not (isinstance(vector, bytes) and isinstance(sentences, bytes) and isinstance(scales, bytes)):
        return _NO_SUM
    return crc32(f"{key}\x1f{scale!r}".encode(), crc32(scales, crc32(sentences, crc32(vector))))


def collection_seal(name: str, declared: str) -> int:
    """Return the sum of a collection as it was declared."""
    return _sum(_form(2) % (name, declared))


def changed(revision: object) -> CorpusDamaged:
    """Return the error for a revision of which something stored is not what was written."""
    return CorpusDamaged(
        f"what is stored of {revision} is not what was written: delete that revision (`remit delete`, or `remit verify "
        "--mend` for all such) and ingest it again, or restore a backup"
    )


def listed(text: str) -> Sequence[Any]:
    """Return a list that is stored as JSON; most are empty."""
    return () if text == "[]" else json.loads(text)


@lru_cache(maxsize=4096)
def _in_order(labels: str) -> str:
    return "\x1e".join(sorted(map(str, listed(labels))))


def _sum(content: str) -> int:
    return crc32(content.encode("utf-8", "surrogateescape"))
