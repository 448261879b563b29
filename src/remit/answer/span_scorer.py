"""The span scorer: which words of a quoted sentence answer the question. Trained once, frozen, computed in numpy.

A small transformer reads the default encoder's states of question and sentence together with a few features a token, and
scores every span that begins and ends at a word, and that there is none. docs/adr/0015 says how it was chosen.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.answer.span_scorer_features import features
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
_OPEN: Final = re.compile(
    r"\b(?:not (?:yet )?(?:been |known|named|decided|agreed)|unknown|undecided|open question"
    r"|(?:to|will) be (?:confirmed|decided|named|agreed)|noch nicht|pas encore)\b",
    re.IGNORECASE,
)
_EPSILON: Final = 1e-5

Array = NDArray[np.float32]


class Scored(NamedTuple):
    """The best span of a sentence, as offsets into it, its probability, and that of there being no answer."""

    start: int
    end: int
    chance: float
    none: float


class SpanScorer:
    """Scores the spans of one sentence for one question."""

    name = "spans/1"

    def __init__(self, encoder: ReadsPairs, weights: Path | None = None) -> None:
        """Take the encoder that reads question and sentence, and weights other than the ones shipped."""
        self._encoder = encoder
        self._weights = weights

    def best(self, contract: Contract, sentence: str, title: str) -> Scored | None:
        """Return the likeliest span; None where the sentence has no word to begin and end at."""
        pair = self._encoder.read_pair(contract.question, sentence)
        places = pair.places[pair.second :]
        allowed = _allowed(sentence, places)
        if not allowed.any():
            return None
        chances = _chances(_read(self._weights), pair, features(contract, sentence, title, pair), allowed)
        first, last = divmod(int(chances.spans.argmax()), len(places))
        return Scored(places[first][0], places[last][1], float(chances.spans[first, last]), chances.none)


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
            return measured or _OPEN.search(sentence) is not None
        case _:
            return found is not None or _OPEN.search(sentence) is not None


def _asks_for_words(contract: Contract) -> bool:
    """Say whether a few words can be the answer: who, where, or what of a thing that the question names."""
    if _PLACE_OR_PERSON.search(contract.claim):
        return True
    named = any(fact.kind == "focus" and not fact.optional for fact in contract.facts)
    return named and _THING.search(contract.claim) is not None


def reads(encoder: object) -> ReadsPairs | None:
    """Return the encoder where it is the one that the weights were trained on, else None."""
    return encoder if isinstance(encoder, ReadsPairs) and encoder.name.startswith(TRAINED_ON) else None


@lru_cache(maxsize=2)
def _read(path: Path | None) -> dict[str, Array]:
    with (path or resources.files(__package__).joinpath(WEIGHTS)).open("rb") as file, np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


class _Chances(NamedTuple):
    """Probabilities of every pair of first and last token, and of no answer; together they are 1."""

    spans: NDArray[np.float64]
    none: float


def _chances(weights: dict[str, Array], pair: PairStates, seen: Array, allowed: NDArray[np.bool_]) -> _Chances:
    """Return the mean of what each of the trained models says."""
    own, models = _Part(weights), 0
    spans, none = np.zeros(allowed.shape), 0.0
    while f"{models}.none" in weights:
        scores, against = _scores(own.below(f"{models}."), pair, seen)
        masked = np.where(allowed, scores.astype(np.float64), -np.inf)
        top = max(float(masked.max()), against)
        raised, against = np.exp(masked - top), float(np.exp(against - top))
        total = float(raised.sum()) + against
        spans, none, models = spans + raised / total, none + against / total, models + 1
    return _Chances(spans / models, none / models)


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
    none, x = float(_linear(own, "no_span", x[:1])[0, 0]), x[1 + pair.second :]
    start, end = _linear(own, "start", x), _linear(own, "end", x)
    spans = start @ end.T / np.float32(np.sqrt(start.shape[1]))
    spans = spans + _linear(own, "start_bias", x) + _linear(own, "end_bias", x).T
    tokens = np.arange(len(x))
    far = np.clip(tokens[None, :] - tokens[:, None], 0, LONGEST - 1)
    return _Scores(spans + own["length"][far], none)


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


def _allowed(sentence: str, places: tuple[tuple[int, int], ...]) -> NDArray[np.bool_]:
    """Return which pairs of tokens may be first and last: ends of words, in order, at most `LONGEST` tokens."""
    starts = [_opens(sentence, start, end) for start, end in places]
    ends = [_closes(sentence, start, end) for start, end in places]
    pairs = np.outer(starts, ends).astype(bool)
    return np.asarray(np.triu(pairs) & ~np.triu(np.ones_like(pairs), LONGEST))


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
