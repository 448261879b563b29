"""The span scorer: which sentence answers the question, and which of its words. Trained once, frozen, computed in numpy.

A small transformer reads the default encoder's states of question and window together with a few features a token, and
scores every span of one sentence that begins and ends at a word, and that there is none. The spans of all windows share one
normalisation: window, sentence and words are one choice. docs/adr/0015 says how it was chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.answer.denials import LEFT_OPEN
from remit.answer.span_scorer_features import Window, features
from remit.answer.span_scorer_port import PairStates, ReadsPairs
from remit.contract.contract import Contract
from remit.contract.terms import codes

WEIGHTS: Final = "span_scorer.npz"
"""The file of weights, beside this one."""
TRAINED_ON: Final = "all-MiniLM-L6-v2/int8"
"""The encoder whose states the weights read; another's mean something else."""

LONGEST: Final = 24
_OPENS: Final = frozenset("\"“($£€#'\u2018`")
_MARKS: Final = frozenset(".,:/")
_CLOSES: Final = frozenset("\"”)%!?'\u2019.")
_REASON: Final = ("reason",)
_PLACE_OR_PERSON: Final = re.compile(r"\b(?:who|whom|whose|where|wer|wen|wem|wo|qui|où)\b", re.IGNORECASE)
_THING: Final = re.compile(r"\b(?:what|which|welche[rsnm]?|quels?|quelles?)\b", re.IGNORECASE)
_EPSILON: Final = 1e-5

Array = NDArray[np.float32]


class Scored(NamedTuple):
    """The best span of one sentence, as offsets into it, and its chance; `whole` is that of all spans of the sentence."""

    window: int
    sentence: int
    start: int
    end: int
    chance: float
    whole: float


class Reading(NamedTuple):
    """Of each sentence that has a word to begin and end at, its best span; likeliest sentence first. `none` is the rest."""

    scored: tuple[Scored, ...]
    none: float


class SpanScorer:
    """Scores the spans of all sentences of a few windows for one question."""

    name = "spans/2"

    def __init__(self, encoder: ReadsPairs, weights: Path | None = None) -> None:
        """Take the encoder that reads question and window, and weights other than the ones shipped."""
        self._encoder = encoder
        self._weights = weights

    def read(self, contract: Contract, windows: list[Window]) -> Reading:
        """Return the best span of each sentence. Chances of all spans of all windows and of none together are 1."""
        own, scores, nones, allowed = _Part(_read(self._weights)).below("0."), [], [], []
        pairs = [self._encoder.read_pair(contract.question, window.text) for window in windows]
        for at, (window, pair) in enumerate(zip(windows, pairs, strict=True)):
            found = _scores(own, pair, features(contract, windows, at, pair))
            may = _allowed(window, pair.places[pair.second :])
            scores.append(np.where(may, found.spans.astype(np.float64), -np.inf))
            nones.append(found.none)
            allowed.append(may)
        if not nones:
            return Reading((), 1.0)
        against = float(np.mean(nones))
        top = max([against, *(float(one.max()) for one in scores if one.size)])
        chances, none = [np.exp(one - top) for one in scores], float(np.exp(against - top))
        total = none + sum(float(one.sum()) for one in chances)
        scored = [
            each
            for at, (window, pair) in enumerate(zip(windows, pairs, strict=True))
            for each in _by_sentence(at, window, pair.places[pair.second :], chances[at] / total)
        ]
        return Reading(tuple(sorted(scored, key=lambda each: -each.whole)), none / total)


def _by_sentence(
    at: int, window: Window, places: tuple[tuple[int, int], ...], chances: NDArray[np.float64]
) -> Iterator[Scored]:
    """Yield the best span of each sentence of a window that has one."""
    of = _sentence_of(window, places)
    for number, span in enumerate(window.sentences):
        rows = [row for row, sentence in enumerate(of) if sentence == number]
        if not rows:
            continue
        block = chances[rows[0] : rows[-1] + 1, rows[0] : rows[-1] + 1]
        if float(block.max()) <= 0.0:
            continue
        first, last = divmod(int(block.argmax()), block.shape[1])
        start, end = places[rows[0] + first][0] - span.start, places[rows[0] + last][1] - span.start
        yield Scored(at, number, start, end, float(block[first, last]), float(block.sum()))


def certain(contract: Contract, sentence: str, found: str | None) -> bool:
    """Say whether what the rules made of a sentence stands, whatever the scorer may think.

    So it is where the form itself tells: a number, a date, a code, yes or no, the items of a list; where a measure is asked for
    and the sentence has none; where it leaves open what is asked; and where no short answer is asked for.
    """
    match contract.form:
        case "boolean" | "list":
            return True
        case "text" if found not in {None, sentence}:
            return True
        case "text":
            return _REASON in {fact.dimensions for fact in contract.facts} or not _asks_for_words(contract)
        case "name" if found is not None:
            return found.isdigit() or bool(codes(found))
        case "number" if found is None:
            measured = any(set(fact.dimensions) - {"count", "number"} for fact in contract.facts)
            return measured or LEFT_OPEN.search(sentence) is not None
        case _:
            return found is not None or LEFT_OPEN.search(sentence) is not None


def _asks_for_words(contract: Contract) -> bool:
    """Say whether a few words can be the answer: who, where, or what of a thing that the question names."""
    if _PLACE_OR_PERSON.search(contract.claim):
        return True
    named = any(fact.kind == "focus" and not fact.optional and fact.role != "part" for fact in contract.facts)
    return named and _THING.search(contract.claim) is not None


def reads(encoder: object) -> ReadsPairs | None:
    """Return the encoder where it is the one that the weights were trained on, else None."""
    return encoder if isinstance(encoder, ReadsPairs) and encoder.name.startswith(TRAINED_ON) else None


@lru_cache(maxsize=2)
def _read(path: Path | None) -> dict[str, Array]:
    with (path or resources.files(__package__).joinpath(WEIGHTS)).open("rb") as file, np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


class _Scores(NamedTuple):
    spans: Array
    none: float


def _scores(own: _Part, pair: PairStates, seen: Array) -> _Scores:
    """Return one model's score of every pair of first and last token of the sentence, and that of no answer."""
    x = _norm(own, "norm_in", _linear(own, "states", pair.states) + _linear(own, "features", seen))
    x = np.concatenate([own["none"][None], x])
    layer = 0
    while own.has(f"layers.{layer}.qkv.weight"):
        x = _layer(own.below(f"layers.{layer}."), x)
        layer += 1
    none, window = float(_linear(own, "no_span", x[:1])[0, 0]), float(_linear(own, "window", x[:1])[0, 0])
    x = x[1 + pair.second :]
    start, end = _linear(own, "start", x), _linear(own, "end", x)
    spans = start @ end.T / np.float32(np.sqrt(start.shape[1]))
    spans = spans + _linear(own, "start_bias", x) + _linear(own, "end_bias", x).T
    tokens = np.arange(len(x))
    far = np.clip(tokens[None, :] - tokens[:, None], 0, LONGEST - 1)
    return _Scores(spans + own["length"][far] + np.float32(window), none)


class _Part:
    """The weights whose names begin alike."""

    def __init__(self, weights: dict[str, Array], prefix: str = "") -> None:
        self._weights, self._prefix = weights, prefix

    def __getitem__(self, name: str) -> Array:
        return self._weights[self._prefix + name]

    def has(self, name: str) -> bool:
        return self._prefix + name in self._weights

    def below(self, prefix: str) -> _Part:
        return _Part(self._weights, self._prefix + prefix)


def _layer(own: _Part, x: Array) -> Array:
    """Return one post-norm transformer layer of its input, shape (tokens, width)."""
    tokens, width = x.shape
    heads = int(own["heads"])
    q, k, v = _linear(own, "qkv", x).reshape(tokens, 3, heads, width // heads).transpose(1, 2, 0, 3)
    scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(width // heads))
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ v
    x = _norm(own, "norm1", x + _linear(own, "out", mixed.transpose(1, 0, 2).reshape(tokens, width)))
    return _norm(own, "norm2", x + _linear(own, "down", np.maximum(_linear(own, "up", x), 0)))


def _linear(own: _Part, name: str, x: Array) -> Array:
    return np.asarray(x @ own[f"{name}.weight"].T + own[f"{name}.bias"], dtype=np.float32)


def _norm(own: _Part, name: str, x: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
    return np.asarray(centred / scale * own[f"{name}.weight"] + own[f"{name}.bias"], dtype=np.float32)


def _allowed(window: Window, places: tuple[tuple[int, int], ...]) -> NDArray[np.bool_]:
    """Return which pairs of tokens may be first and last: ends of words of one sentence, at most `LONGEST` tokens."""
    starts = [_opens(window.text, start, end) for start, end in places]
    ends = [_closes(window.text, start, end) for start, end in places]
    of = np.array(_sentence_of(window, places), dtype=np.int64)
    pairs = np.outer(starts, ends).astype(bool) & (of[:, None] == of[None, :]) & (of[:, None] >= 0)
    return np.asarray(np.triu(pairs) & ~np.triu(np.ones_like(pairs), LONGEST))


def _sentence_of(window: Window, places: tuple[tuple[int, int], ...]) -> list[int]:
    """Return for each token the number of the sentence that it lies in, -1 for none."""
    return [
        next((n for n, span in enumerate(window.sentences) if span.start <= start and end <= span.end), -1)
        for start, end in places
    ]


def _opens(sentence: str, start: int, end: int) -> bool:
    written = sentence[start:end]
    return not _inside(sentence, start) and (written[:1].isalnum() or written in _OPENS)


def _closes(sentence: str, start: int, end: int) -> bool:
    written = sentence[start:end]
    return not _inside(sentence, end) and (written[-1:].isalnum() or written in _CLOSES)


def _inside(sentence: str, place: int) -> bool:
    """Say whether a place lies inside a word or a number: 0.8 is not 8."""
    left, right = sentence[max(0, place - 2) : place], sentence[place : place + 2]
    if left[-1:].isalnum() and right[:1].isalnum():
        return True
    return (left[-1:] in _MARKS and left[:1].isdigit() and right[:1].isdigit()) or (
        right[:1] in _MARKS and left[-1:].isdigit() and right[1:].isdigit()
    )
