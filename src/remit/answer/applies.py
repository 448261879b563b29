"""What a sentence applies to: its revision's keys, and in a table those of its own row."""

from __future__ import annotations

from typing import Final

from remit.retrieve.retriever import Hit

_KEYS: Final = ("revision", "line", "region", "variant", "version", "model_year")
"""Endings of column names that say what a row is for, rather than what it gives."""


def applicability(hit: Hit, sentence: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each applicability key with its values; a table row's own cell wins over its revision's `applies_to`."""
    keys = dict(hit.source.applies_to)
    if hit.passage.kind == "table":
        for cell in sentence.rstrip(".").split(";"):
            name, separator, value = cell.partition(":")
            key = name.strip().casefold().replace(" ", "_")
            if separator and key.endswith(_KEYS):
                keys[key] = (value.strip(),)
    return tuple(sorted(keys.items()))
