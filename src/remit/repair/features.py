"""What the `encoder` policy sees: a state, a prefix and a move as numbers. Nothing here depends on an encoder's dimension.

Of the observation only the estimate is seen, as in the paper: question, passages, response, and whether it looks correct.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.terms import content_terms, term_set
from remit.observe.observation import Estimate
from remit.repair.arguments import Arguments
from remit.repair.grammar import Move, Prefix
from remit.repair.ops import Retrieval
from remit.repair.planner import State

Array = NDArray[np.float32]

VERSION: Final = 1
_OPENINGS: Final = (
    "who",
    "when",
    "where",
    "which",
    "what",
    "how",
    "is are was were did does do has have",
    "in on for to",
)
_FORMS: Final = ("number", "date", "name", "boolean", "list", "text")
_KINDS: Final = ("bridge", "apart")
_COMPARES: Final = re.compile(
    r"\b(?:older|younger|earlier|later|first|last|more|less|larger|smaller|higher|lower|longer|shorter|both|same|or)\b"
)
_DESCRIBES: Final = re.compile(r"\b(?:that|which|who|whose|where)\b")
_SHOWN: Final = 5
_WHATS: Final = ("search", "decompose", "ask", "rewrite", "refine", "answer", "leave")
_ABOUTS: Final = (
    *("question", "name", "link", "draft", "rewritten", "asked", "section", "revision", "collection"),
    *(f"part {n}" for n in range(4)),
    *("bridge", "apart", "clarify", "expand", "summarize", "explain"),
)
_QUERIES: Final = ("question", "rewritten", "last part")
_SOURCES: Final = (
    *("refined", "all, last search first", "all, first search first", "all, in use first", "found", "last found"),
    *("in use", "passage 0", "passage 1", "passage 2", "passage 0 first", "passage 1 first", "passage 2 first"),
)
_TOPKS: Final = (2, 5, 10, 20)


STATE_SIZE: Final = 61
MOVE_SIZE: Final = 92


class Seen(NamedTuple):
    """The correctness that a planner is told: the estimate at inference; off-policy the label and the drafter's reasons.

    `margins` are the weights of the drafter's best spans (r0), heaviest first; empty where there is no trace of them.
    """

    correct: bool
    margins: tuple[float, ...] = ()


def seen_of(state: State) -> Seen:
    """Return what is known at inference: the binary estimate, and nothing of how it came about."""
    estimate = state.seen.estimate
    return Seen(isinstance(estimate, Estimate) and estimate.looks_correct)


def state_features(state: State, said: Arguments, seen: Seen) -> Array:
    """Return the features of a state, shape (d,): question, passages, response, correctness."""
    values = [*_question(state, said), *_passages(state), *_response(state), *_correctness(seen)]
    return np.array(values, dtype=np.float32)


def move_features(move: Move, past: Sequence[float], state: State) -> Array:
    """Return the features of a move, shape (m,); `past` is the `history` of the prefix it follows."""
    query, _, source = move.about.partition(" from ") if move.what == "answer" else ("", "", "")
    values = [
        *_one_of(move.what, _WHATS),
        *_one_of("" if move.what == "answer" else move.about, _ABOUTS),
        *_one_of(query, _QUERIES),
        *_one_of(source, _SOURCES),
        float(query == "question again"),
        *(float(move.topk >= k) for k in _TOPKS),
        *_argument(move, state),
        *past,
    ]
    return np.array(values, dtype=np.float32)


def _argument(move: Move, state: State) -> list[float]:
    """Return what is known of the words that a move brings along: a name of the question, or one to follow."""
    link = move.link
    named = move.operation.query if move.about == "name" and isinstance(move.operation, Retrieval) else ""
    folded = named.casefold() if isinstance(named, str) else ""
    titles = [hit.source.title.casefold() for hit in state.ranking.hits] if folded else []
    at = next((place for place, title in enumerate(titles) if folded in title or title in folded), None)
    values = [float(bool(folded)), float(at is not None), 1.0 / (1 + at) if at is not None else 0.0]
    if link is None:
        return [*values, *([0.0] * 11)]
    return [
        *values,
        1.0,
        link.shared,
        link.passage / 5,
        float(link.passage == 0),
        min(link.sentence, 5) / 5,
        min(link.seen, 4) / 4,
        float(link.titled),
        float(link.quoted),
        float(" " in link.text),
        float(link.led),
        float(link.near),
    ]


def history(so_far: Prefix) -> list[float]:
    """Return the features of a prefix: how long it is, what is in it and what came last."""
    count = len(so_far.moves)
    whats = [move.what for move in so_far.moves]
    last = so_far.moves[-1] if count else None
    return [
        count / 7,
        float(count == 0),
        *(min(whats.count(what), 3) / 3 for what in _WHATS[:5]),
        *_one_of("" if last is None else last.what, _WHATS[:5]),
        *_one_of("" if last is None else last.about, _ABOUTS),
    ]


def _question(state: State, said: Arguments) -> list[float]:
    question = state.contract.claim
    opening = (question.split() or [""])[0].casefold()
    return [
        *(float(opening in group.split()) for group in _OPENINGS),
        *_one_of(state.contract.form, _FORMS),
        *_one_of(said.parts.kind if said.parts else "", _KINDS),
        float(bool(_COMPARES.search(question))),
        float(bool(_DESCRIBES.search(question))),
        min(len(question.split()), 40) / 40,
        len(said.names) / 4,
        len(said.links) / 8,
    ]


def _passages(state: State) -> list[float]:
    """Return how the ranking looks: its scores, and how much of the question stands in its passages."""
    hits, language = state.ranking.hits, state.contract.language
    scores = [hit.score for hit in hits[:_SHOWN]]
    top = scores[0] if scores else 0.0
    falls = [(top - score) / abs(top) if top else 0.0 for score in scores[1:]]
    dense = [hit.dense if hit.dense is not None else 0.0 for hit in hits[:_SHOWN]]
    wanted = {term.term for term in content_terms(state.contract.claim, language)}
    held = [term_set(f"{hit.source.title} {hit.passage.text}", hit.source.language) for hit in hits[:_SHOWN]]
    titled = [term_set(hit.source.title, hit.source.language) for hit in hits[:_SHOWN]]
    together = frozenset[str]().union(*held)
    in_titles = frozenset[str]().union(*titled)
    return [
        min(len(hits), 15) / 15,
        *_padded(falls, _SHOWN - 1),
        *_padded(dense, _SHOWN),
        *_padded([_share(wanted, one) for one in held], _SHOWN),
        _share(wanted, together),
        _share(wanted, in_titles),
        *_padded([float(bool(title) and title <= wanted | {""}) for title in titled], _SHOWN),
    ]


def _response(state: State) -> list[float]:
    draft, contract = state.draft, state.contract
    answer = draft.answer or ""
    words = term_set(answer, contract.language)
    wanted = {term.term for term in content_terms(contract.claim, contract.language)}
    quote = " ".join(citation.quote for citation in draft.citations)
    said = term_set(quote, contract.language)
    ranks = [n for n, hit in enumerate(state.ranking.hits) for c in draft.citations if c.passage == hit.passage.id]
    return [
        float(draft.answer is not None),
        draft.confidence,
        min(len(answer.split()), 30) / 30,
        float(len(answer.split()) > 6),  # noqa: PLR2004 -- more than a name or a date
        float(any(char.isdigit() for char in answer)),
        float(answer[:1].isupper()),
        _share(set(words), frozenset(wanted)),
        _share(wanted, said),
        min(ranks, default=15) / 15,
        min(len(draft.claims), 3) / 3,
        float(draft.cost.model_calls > 0),
        float(answer.casefold() in {"yes", "no"}),
    ]


def _correctness(seen: Seen) -> list[float]:
    margins = list(seen.margins[:3])
    return [
        float(seen.correct),
        float(bool(margins)),
        *_padded(margins, 3),
        margins[0] - margins[1] if len(margins) > 1 else 0.0,
    ]


def _share(wanted: set[str], held: frozenset[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _padded(values: Sequence[float], size: int) -> list[float]:
    return [*values[:size], *([0.0] * (size - len(values)))]


@cache
def _one_of(value: str, known: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(float(value == one) for one in known)
