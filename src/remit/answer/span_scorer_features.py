"""What the span scorer sees of a token beside the encoder's state: words shared with the question, shape, place, and bridges.

A bridge is a name that leads from one window to another: the title of the one, said in the other. None of it comes from the
rules that read questions or find answers: those may change, and frozen weights would then see something else.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.answer.span_scorer_port import PairStates
from remit.answer.titles import plain_title
from remit.contract.contract import Contract
from remit.contract.quantity import dates
from remit.contract.terms import content_terms, term_set
from remit.corpus.document import Span

_ASKING: Final = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        "who|whom|whose|wer|qui",
        "where|wo|où|place|city|town|country|nationality",
        "when|wann|quand|date|year",
        "how (?:many|much|long|old)",
        "which",
        "what",
        "why",
        "or|oder|ou",
        "both|same|beide|gleiche",
        "first|earlier|older|later|younger|more|most|last|recently",
    )
)
NAMES: Final = (
    *("second", "shared", "named", "capital", "capitals", "digit", "date", "begins", "place", "punctuation", "opening"),
    *(
        "leads on",
        "title asked",
        "title said elsewhere",
        "said near the question",
        "links",
        "share",
        "share with title",
    ),
    *("cosine", "best cosine", "first window", "rank", "first sentence", "title words asked"),
    *("who", "where", "when", "how many", "which", "what", "why", "or", "both", "first"),
)
"""One name a column of `features`."""

_FIRST_OF_QUESTION: Final = len(NAMES) - len(_ASKING)
_SHORTEST: Final = 4


class Window(NamedTuple):
    """A stretch of a passage to read at once: its text, the heading it stands under, and its sentences.

    `sentences` are offsets into the text, `cosines` those of question and sentence, one a sentence.
    """

    text: str
    title: str
    sentences: tuple[Span, ...]
    cosines: tuple[float, ...]


def features(contract: Contract, windows: list[Window], at: int, pair: PairStates) -> NDArray[np.float32]:
    """Return the features of every token of the question and of window `at` read together, shape (tokens, features)."""
    table = np.zeros((len(pair.places), len(NAMES)), dtype=np.float32)
    own = windows[at]
    asked, said = term_set(contract.question, contract.language), term_set(own.text, contract.language)
    question, answer = pair.places[: pair.second], pair.places[pair.second :]
    _mark(table[: pair.second, 1], question, _shared(contract.question, said, contract.language))
    body = table[pair.second :]
    body[:, 0] = 1.0
    _mark(body[:, 1], answer, _shared(own.text, asked, contract.language))
    _mark(body[:, 2], answer, _shared(own.text, term_set(own.title), contract.language))
    _mark(body[:, 3], answer, [found.span() for found in re.finditer(r"\b[^\W\d_a-zäöüß]\w*", own.text)])
    _mark(body[:, 4], answer, [found.span() for found in re.finditer(r"\b[^\W\d_a-zäöüß]{2,}\b", own.text)])
    _mark(body[:, 5], answer, [found.span() for found in re.finditer(r"\d+", own.text)])
    _mark(body[:, 6], answer, [(found.start, found.end) for found in dates(own.text)])
    for row, (start, end) in enumerate(answer):
        body[row, 7] = float(not own.text[max(0, start - 1) : start].isalnum())
        body[row, 8] = start / max(1, len(own.text))
        body[row, 9] = float(not any(char.isalnum() for char in own.text[start:end]))
    _bridges(body, contract, windows, at, answer)
    _sentences(body, asked, own, answer, contract.language)
    table[:, 20] = float(at == 0)
    table[:, 21] = 1.0 / (1 + at)
    table[:, _FIRST_OF_QUESTION:] = [asks.search(contract.claim) is not None for asks in _ASKING]
    return table


def _bridges(
    body: NDArray[np.float32],
    contract: Contract,
    windows: list[Window],
    at: int,
    answer: tuple[tuple[int, int], ...],
) -> None:
    """Fill in what ties this window to the question and to the others by the titles they stand under."""
    own, question = windows[at], contract.question.casefold()
    title, links = plain_title(own.title), 0.0
    for number, other in enumerate(windows):
        theirs = plain_title(other.title)
        if number == at or theirs == title:
            continue
        if len(theirs) >= _SHORTEST:
            places = [found.span() for found in re.finditer(rf"(?<!\w){re.escape(theirs)}(?!\w)", own.text.casefold())]
            _mark(body[:, 11], answer, places)
        if _says(other.text.casefold(), title):
            body[:, 13] = 1.0
            links += 1.0
            body[:, 14] = np.maximum(body[:, 14], max(other.cosines, default=0.0))
            if theirs in question:
                body[:, 14] = 1.0
    body[:, 12] = float(_says(question, title))
    body[:, 15] = min(links, 3.0) / 3
    words = term_set(title, contract.language)
    body[:, 23] = len(words & term_set(contract.question, contract.language)) / max(1, len(words))


def _says(text: str, title: str) -> bool:
    return len(title) >= _SHORTEST and re.search(rf"(?<!\w){re.escape(title)}(?!\w)", text) is not None


def _sentences(
    body: NDArray[np.float32],
    asked: frozenset[str],
    own: Window,
    answer: tuple[tuple[int, int], ...],
    language: str,
) -> None:
    """Fill in what holds of a token's whole sentence."""
    named, most = term_set(own.title, language), max(own.cosines, default=0.0)
    for number, (span, cosine) in enumerate(zip(own.sentences, own.cosines, strict=True)):
        said = term_set(own.text[span.start : span.end], language)
        share = len(asked & said) / max(1, len(asked))
        with_title = len(asked & (said | named)) / max(1, len(asked))
        for row, (start, end) in enumerate(answer):
            if start < span.end and span.start < end:
                body[row, 10] = float(start == span.start)
                body[row, 16:20] = share, with_title, cosine, float(cosine == most)
                body[row, 22] = float(number == 0)


def _shared(text: str, others: frozenset[str], language: str) -> list[tuple[int, int]]:
    return [(term.start, term.end) for term in content_terms(text, language) if term.term in others]


def _mark(column: NDArray[np.float32], places: tuple[tuple[int, int], ...], spans: list[tuple[int, int]]) -> None:
    """Set a column to 1 for the tokens that touch one of the spans."""
    for row, (start, end) in enumerate(places):
        if any(start < right and left < end for left, right in spans):
            column[row] = 1.0
