"""What the span scorer sees of a token beside the encoder's state: words shared with the question, shape, place.

None of it comes from the rules that read questions or find answers: those may change, and frozen weights would then see
something else.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remit.answer.span_scorer_port import PairStates
from remit.contract.contract import Contract
from remit.contract.quantity import dates
from remit.contract.terms import content_terms, term_set

_ASKING: Final = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        "who|whom|whose|wer|qui",
        "where|wo|où",
        "when|wann|quand",
        "how (?:many|much|long|old)",
        "which",
        "what",
        "why",
    )
)
NAMES: Final = (
    *("second", "shared", "named", "capital", "capitals", "digit", "date", "begins", "place", "punctuation", "opening"),
    *("who", "where", "when", "how many", "which", "what", "why"),
)
"""One name a column of `features`."""

_FIRST_OF_QUESTION: Final = len(NAMES) - len(_ASKING)


def features(contract: Contract, sentence: str, title: str, pair: PairStates) -> NDArray[np.float32]:
    """Return the features of every token of the question and the sentence read together, shape (tokens, features)."""
    table = np.zeros((len(pair.places), len(NAMES)), dtype=np.float32)
    asked, said = term_set(contract.question, contract.language), term_set(sentence, contract.language)
    question, answer = pair.places[: pair.second], pair.places[pair.second :]
    _mark(table[: pair.second, 1], question, _shared(contract.question, said, contract.language))
    body = table[pair.second :]
    body[:, 0] = 1.0
    _mark(body[:, 1], answer, _shared(sentence, asked, contract.language))
    _mark(body[:, 2], answer, _shared(sentence, term_set(title), contract.language))
    _mark(body[:, 3], answer, [found.span() for found in re.finditer(r"\b[^\W\d_a-zäöüß]\w*", sentence)])
    _mark(body[:, 4], answer, [found.span() for found in re.finditer(r"\b[^\W\d_a-zäöüß]{2,}\b", sentence)])
    _mark(body[:, 5], answer, [found.span() for found in re.finditer(r"\d+", sentence)])
    _mark(body[:, 6], answer, [(found.start, found.end) for found in dates(sentence)])
    for row, (start, end) in enumerate(answer):
        body[row, 7] = float(not sentence[max(0, start - 1) : start].isalnum())
        body[row, 8] = start / max(1, len(sentence))
        body[row, 9] = float(not any(char.isalnum() for char in sentence[start:end]))
        body[row, 10] = float(start == 0)
    table[:, _FIRST_OF_QUESTION:] = [asks.search(contract.claim) is not None for asks in _ASKING]
    return table


def _shared(text: str, others: frozenset[str], language: str) -> list[tuple[int, int]]:
    return [(term.start, term.end) for term in content_terms(text, language) if term.term in others]


def _mark(column: NDArray[np.float32], places: tuple[tuple[int, int], ...], spans: list[tuple[int, int]]) -> None:
    """Set a column to 1 for the tokens that touch one of the spans."""
    for row, (start, end) in enumerate(places):
        if any(start < right and left < end for left, right in spans):
            column[row] = 1.0
