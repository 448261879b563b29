"""Stretches of passages that the span scorer reads at once, most promising first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from remit.answer.span_scorer_features import Window
from remit.corpus.document import Passage, Span
from remit.retrieve.retriever import Hit

CHARACTERS: Final = 700
"""How long a window may be: with a question it stays below the encoder's 256 tokens in most languages."""


class Placed(NamedTuple):
    """A window, the passage it lies in, and how like its best sentence is to the question."""

    window: Window
    hit: Hit
    spans: tuple[Span, ...]
    best: float


def windows(hit: Hit, cosines: Sequence[float]) -> list[Placed]:
    """Return a passage's sentences in runs of at most `CHARACTERS`; a sentence longer than that is one by itself."""
    runs: list[list[int]] = []
    for number, span in enumerate(hit.passage.sentences):
        if runs and span.end - hit.passage.sentences[runs[-1][0]].start <= CHARACTERS:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [_placed(hit, hit.passage, run, cosines) for run in runs]


def _placed(hit: Hit, passage: Passage, run: list[int], cosines: Sequence[float]) -> Placed:
    spans = tuple(passage.sentences[number] for number in run)
    start, own = spans[0].start, tuple(float(cosines[number]) for number in run)
    window = Window(
        passage.quote(Span(start, spans[-1].end)),
        hit.source.title,
        tuple(Span(span.start - start, span.end - start) for span in spans),
        own,
    )
    return Placed(window, hit, spans, max(own))
