"""What a sentence applies to: its revision's keys, in a table those of its own row, and what its headings name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remit.contract.terms import term_set
from remit.retrieve.retriever import Hit

SECTION: Final = "section"
DOCUMENT: Final = "document"
"""Keys under which headings and titles are asked back, where they have no better name."""

_KEYS: Final = ("revision", "line", "region", "variant", "version", "model_year")
"""Endings of column names that say what a row is for, rather than what it gives."""


def applicability(hit: Hit, sentence: str, asked: Iterable[str] = ()) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each applicability key with its values; a table row's own cell wins over its revision's `applies_to`.

    `asked` are keys that the asker gave a value for: any column of that name counts, and headings as sections.
    """
    keys = dict(hit.source.applies_to)
    wanted = {name.casefold().replace("_", " ") for name in asked}
    if SECTION in wanted:
        keys[SECTION] = hit.passage.section
    if DOCUMENT in wanted:
        keys[DOCUMENT] = (hit.source.title, hit.source.document)
    if hit.passage.kind == "table":
        for name, value in cells(sentence).items():
            key = name.casefold().replace(" ", "_")
            if key.endswith(_KEYS) or any(key == one.replace(" ", "_") for one in wanted):
                keys[key] = (value,)
    return tuple(sorted(keys.items()))


def applies_to(hit: Hit, term: str) -> bool:
    """Say whether a source's record has it apply to what is named: the vessel "Amsel" of a rule that does not repeat it."""
    values = (value for _, values in hit.source.applies_to for value in values)
    return any(term in term_set(value, hit.source.language) for value in values)


def cells(row: str) -> dict[str, str]:
    """Return the cells of a table row as it is stored, by column: ``line: 2; tension: 3.2 kN.``."""
    pairs = (cell.partition(":") for cell in row.rstrip(".").split(";"))
    return {name.strip(): value.strip() for name, separator, value in pairs if separator and value.strip()}
