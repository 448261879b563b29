"""On which key do two statements apply to different things: by the record, by the rows of a table, by headings or titles.

A key that the question leaves open has to be asked back; one that it fixes tells the two statements apart for good.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final, Literal, NamedTuple

from remit.answer.applies import DOCUMENT, SECTION, cells
from remit.answer.evidence import Evidence
from remit.contract.contract import Contract
from remit.contract.parameters import bound_value, qualifiers
from remit.contract.quantity import dates, quantities
from remit.contract.terms import content_terms, term_set

_FEW: Final = 3
"""Most words by which two titles or headings of one kind differ."""
_VARIANTS: Final = 0.8
"""Cosine of two sentences under different headings from which they say the same thing of different cases."""


class Key(NamedTuple):
    """A key on which two statements apply to different values; `fixed` says that the question says which is meant."""

    name: str
    values: tuple[str, ...]
    known_from: Literal["record", "table", "heading"]
    fixed: bool


def key_between(contract: Contract, one: Evidence, other: Evidence) -> Key | None:
    """Return a key that tells two statements apart: one that the question fixes before one that it leaves open."""
    found = [*_by_record(contract, one, other), *_by_row(contract, one, other), *_by_heading(contract, one, other)]
    return next((key for key in found if key.fixed), found[0] if found else None)


def _by_record(contract: Contract, one: Evidence, other: Evidence) -> Iterator[Key]:
    mine, theirs = dict(one.applies), dict(other.applies)
    own = {name.strip().casefold().replace(" ", "_") for name in cells(one.text)} if _in_table(one) else set()
    for key in sorted(mine.keys() & theirs.keys()):
        if set(mine[key]).isdisjoint(theirs[key]):
            values = (*mine[key], *theirs[key])
            fixed = bound_value(contract, key, values) is not None
            yield Key(key, values, "table" if key in own else "record", fixed)


def _by_row(contract: Contract, one: Evidence, other: Evidence) -> Iterator[Key]:
    """Yield the columns on which two rows of one table differ beside the answer's; what only measures is no key."""
    same = one.hit.passage.revision_id == other.hit.passage.revision_id
    if not (same and _in_table(one) and _in_table(other)) or one.found is None:
        return
    mine, theirs = cells(one.text), cells(other.text)
    for column in mine:
        value, rival = mine[column], theirs.get(column)
        if rival is None or value == rival or one.found.text in value or _measures(value) or _measures(rival):
            continue
        key = column.casefold().replace(" ", "_")
        fixed = contract.bound(key) is not None or _tells(contract, value, rival)
        yield Key(key, (value, rival), "table", fixed)


def _by_heading(contract: Contract, one: Evidence, other: Evidence) -> Iterator[Key]:
    """Yield the key that the titles or the first differing headings of two statements name."""
    variants = one.alike(other) >= _VARIANTS
    for name, mine, theirs in _headings(one, other):
        numbered, others = dict(qualifiers(f"the {mine}")), dict(qualifiers(f"the {theirs}"))
        for key in sorted(numbered.keys() & others.keys()):
            if numbered[key] != others[key]:
                said = dict(qualifiers(contract.question))
                fixed = key in said or contract.bound(key) is not None
                yield Key(key, (numbered[key].upper(), others[key].upper()), "heading", fixed)
                return
        if _of_one_kind(mine, theirs, titles=name == DOCUMENT):
            fixed = contract.bound(name) is not None or _tells(contract, mine, theirs)
            if fixed or variants:
                yield Key(name, (mine, theirs), "heading", fixed)


def _headings(one: Evidence, other: Evidence) -> Iterator[tuple[str, str, str]]:
    if one.hit.source.document != other.hit.source.document:
        yield DOCUMENT, one.hit.source.title, other.hit.source.title
        return
    levels = zip(one.hit.passage.section, other.hit.passage.section, strict=False)
    yield from (
        (SECTION, mine, theirs) for mine, theirs in [next(((a, b) for a, b in levels if a != b), ("", ""))] if mine
    )


def _of_one_kind(one: str, other: str, *, titles: bool) -> bool:
    """Say whether two headings differ in a few words; titles are of one kind only where they are the same around those words.

    "Leave for nurses" and "Leave for pilots" are for different people; "Wind limits" and "Order on wind" both hold.
    """
    mine, theirs = term_set(one), term_set(other)
    few = 0 < len(mine - theirs) <= _FEW and 0 < len(theirs - mine) <= _FEW
    return few and (not titles or _same_around(one.casefold().split(), other.casefold().split()))


def _same_around(one: list[str], other: list[str]) -> bool:
    """Say whether two lists of words begin or end alike, and have something of their own beside that."""
    before = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    rest, others = one[before:], other[before:]
    after = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(rest[::-1], others[::-1], strict=False)))
    return any(content_terms(" ".join((*one[:before], *one[len(one) - after :]))))


def _tells(contract: Contract, one: str, other: str) -> bool:
    """Say whether the question has a word of one of two values or headings, and none that only the other has."""
    said = {term.term for term in content_terms(contract.question, contract.language)}
    mine, theirs = term_set(one, contract.language), term_set(other, contract.language)
    return bool(said & (mine - theirs)) != bool(said & (theirs - mine))


def _measures(cell: str) -> bool:
    """Say whether a cell only gives an amount or a day."""
    spans = [(found.start, found.end) for found in quantities(cell)]
    spans += [(found.start, found.end) for found in dates(cell)]
    return any(end - start >= len(cell.strip()) - 1 for start, end in spans)


def _in_table(evidence: Evidence) -> bool:
    return evidence.hit.passage.kind == "table"
