"""What is seen of each candidate by itself and in its set: cosines, shared words, ranks, names, lengths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.rerank.links import Links
from remit.rerank.table import Table
from remit.rerank.words import spoken, terms_of

Array = NDArray[np.float64]

CANDIDATE: Final = (
    *("dense", "nearest", "second", "mean", "lead", "lexical", "lexical share", "fused gap", "dense gap"),
    *("nearest gap", "lexical gap", "cover", "cover best sentence", "cover gap", "title asked", "asked in title"),
    *("title in question", "pairs", "numbers", "1/rank fused", "1/rank dense", "1/rank lexical", "1/rank nearest"),
    *("1/rank cover", "alike to others", "alike at most", "named by relevant", "names relevant", "named by"),
    *("named by asked", "names asked", "shared with relevant", "length", "sentences", "digits", "capitals", "siblings"),
    *("relevant sibling", "place of nearest", "not found lexically", "relevance"),
)
"""One name a column of `candidate_features`."""

_DIGITS: Final = re.compile(r"\d+")
_CAPITAL: Final = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-zäöüß]\w+")


def candidate_features(table: Table, links: Links) -> Array:
    """Return one row a candidate, shape (n, len(CANDIDATE))."""
    if not table.hits:
        return np.zeros((0, len(CANDIDATE)))
    dense = np.array([hit.dense if hit.dense is not None else 0.0 for hit in table.hits])
    lexical = np.array([hit.lexical if hit.lexical is not None else 0.0 for hit in table.hits])
    near = np.array([_summary(rows) for rows in table.nearness])
    nearest, place = near[:, 0], near[:, 4]
    cover = table.carried @ table.weights
    whole = max(float(lexical.max()), 1e-9)
    relevance, asked_for = table.relevance, table.asked_for
    rarely = [_own(table, row) for row in range(len(table.hits))]
    columns = [
        *(dense, *near[:, :4].T, lexical / (lexical + 8.0), lexical / whole, _gap(table.fused), _gap(dense)),
        *(_gap(nearest), _gap(lexical / 8.0), cover, np.array([own.best for own in rarely]), _gap(cover)),
        *(np.array([own.title for own in rarely]), np.array([own.asked for own in rarely]), asked_for),
        *(np.array([own.pairs for own in rarely]), np.array([own.numbers for own in rarely])),
        *(_turns(scores) for scores in (table.fused, dense, lexical, nearest, cover)),
        *_linked(links, relevance, asked_for),
        *(np.array([np.log1p(len(words)) / 8.0 for words in table.words]),),
        *(np.array([np.log1p(len(rows)) / 4.0 for rows in table.sentences]),),
        *(np.array([own.digits for own in rarely]), np.array([own.capitals for own in rarely])),
        *(np.log1p(links.together.sum(axis=1)) / 3.0, (links.together * relevance).max(axis=1, initial=0.0)),
        *(place, (lexical <= 0).astype(np.float64), relevance),
    ]
    return np.stack(columns, axis=1)


class _Own(NamedTuple):
    best: float
    title: float
    asked: float
    pairs: float
    numbers: float
    digits: float
    capitals: float


def _own(table: Table, row: int) -> _Own:
    """Return what one row's words tell: of the title, of its sentence nearest to the question, of neighbouring words."""
    passage, title = table.hits[row].passage, table.titles[row]
    near = table.nearness[row]
    spans = passage.sentences
    said = passage.quote(spans[int(near.argmax())]) if len(near) and len(near) == len(spans) else passage.text[:400]
    language = table.hits[row].source.language
    held = terms_of(spoken(said), language) | title
    weights = dict(zip(table.asked, table.weights, strict=True))
    pairs = list(zip(table.question, table.question[1:], strict=False))
    numbers = [word for word in table.question if any(char.isdigit() for char in word)]
    new = [found for found in _DIGITS.findall(said) if found not in table.question]
    return _Own(
        best=sum(weight for term, weight in weights.items() if term in held),
        title=sum(1.0 for term in title if term in weights) / len(title) if title else 0.0,
        asked=sum(weight for term, weight in weights.items() if term in title),
        pairs=sum(f" {one} {other} " in table.phrases[row] for one, other in pairs) / max(1, len(pairs)),
        numbers=sum(f" {word} " in table.phrases[row] for word in numbers) / len(numbers) if numbers else 0.0,
        digits=min(len(new), 4) / 4.0,
        capitals=min(len(_CAPITAL.findall(said)), 8) / 8.0,
    )


def _linked(links: Links, relevance: Array, asked_for: Array) -> Sequence[Array]:
    """Return the columns that tell how a row hangs together with the others."""
    leading = np.argsort(-relevance, kind="stable")[:5]
    return (
        links.alike[:, leading].mean(axis=1),
        links.alike.max(axis=1, initial=0.0),
        (links.names * relevance[:, None]).max(axis=0, initial=0.0),
        (links.names * relevance[None, :]).max(axis=1, initial=0.0),
        np.log1p(links.names.sum(axis=0)) / 3.0,
        (links.names * asked_for[:, None]).max(axis=0, initial=0.0),
        (links.names * asked_for[None, :]).max(axis=1, initial=0.0),
        (links.shared * relevance[None, :]).max(axis=1, initial=0.0),
    )


def _summary(near: Array) -> tuple[float, float, float, float, float]:
    """Return the nearest sentence's cosine, the second's, the mean, the first sentence's, and where the nearest stands."""
    if not len(near):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    ordered = np.sort(near)[::-1]
    second = float(ordered[1]) if len(near) > 1 else 0.0
    return float(ordered[0]), second, float(near.mean()), float(near[0]), int(near.argmax()) / len(near)


def _gap(scores: Array) -> Array:
    """Return how far each score lies below the best, at most 0."""
    gap: Array = scores - scores.max()
    return gap


def _turns(scores: Array) -> Array:
    """Return 1/rank of each row, best first; equal scores share the rank of the first of them."""
    ordered = np.sort(-scores)
    return 1.0 / (1.0 + np.searchsorted(ordered, -scores, side="left").astype(np.float64))
