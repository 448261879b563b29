"""Search by the formula, one row at a time: slow, plain, and written without a look at how the engines do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt
from typing import Final

from remit.contract.terms import content_terms, terms
from remit.corpus.quantise import Quantised
from remit.corpus.store import Row

K1: Final = 1.5
B: Final = 0.75


def bm25(query: str, rows: Sequence[Row]) -> list[float]:
    """Return the BM25 score of each row over these rows alone (Lucene's variant); 0 where no term of the query stands.

    A row's words are its title, the headings above it and its text; a query's words are those that are no function
    words, or all where it has no others.
    """
    bags = [_bag(row) for row in rows]
    lengths = [bag.total() for bag in bags]
    average = sum(lengths) / len(rows) if rows else 0.0
    scores = []
    for row, bag, length in zip(rows, bags, lengths, strict=True):
        language = row.source.language
        total = 0.0
        for term in {found.term for found in content_terms(query, language) or terms(query, language)}:
            holding = sum(term in b for r, b in zip(rows, bags, strict=True) if r.source.language == language)
            rarity = log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
            total += rarity * bag[term] / (bag[term] + K1 * (1 - B + B * length / average)) if bag[term] else 0.0
        scores.append(total)
    return scores


def cosines(asked: Quantised, stored: Quantised) -> list[float]:
    """Return the cosine of the one row of `asked` with each stored row, from their integers."""
    query = [int(value) for value in asked.values[0]]
    norm = sqrt(sum(value * value for value in query))
    found = []
    for values in stored.values:
        row = [int(value) for value in values]
        own = sqrt(sum(value * value for value in row))
        dot = sum(a * b for a, b in zip(row, query, strict=True))
        found.append(dot / (own * norm) if own and norm else 0.0)
    return found


def _bag(row: Row) -> Counter[str]:
    text = "\n".join((row.source.title, *row.passage.section, row.passage.text))
    return Counter(found.term for found in terms(text, row.source.language))
