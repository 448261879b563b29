"""A question to the questions it rests on: the port, and a decomposer that goes by the form of the sentence."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, Protocol

from remit.contract.budget import Budget
from remit.llm.cancel import Patience
from remit.repair.hops import BLANK, hop_of, makers_of
from remit.repair.reach import Queries, Reach


class Decomposer(Protocol):
    """Splits a query. `name` identifies the method in traces."""

    name: str

    def decompose(self, query: str, reach: Reach, budget: Budget, patience: Patience) -> Queries:
        """Return two or more questions, in the order to answer them; none where the query is one question."""


class Parts(NamedTuple):
    """The questions in one. In a `bridge`, the answer to the first stands in the second where that has ``#1``."""

    kind: Literal["bridge", "apart"]
    texts: tuple[str, ...]


_ASKS = r"(?:how|what|which|who|whose|whom|when|where|why|is|are|was|were|do|does|did|must|may|can|should|has|have)"
_VERB = (
    r"(?:is|are|was|were|has|have|had|do|does|did|must|may|can|should|need|needs|take|takes|get|gets|use|uses|run|runs"
    r"|require|requires|contain|contains|when|before|after)"
)
_LONGEST: Final = 500
_TWO_QUESTIONS: Final = re.compile(rf"^(?P<a>.+?),?\s+and\s+(?P<b>{_ASKS}\b.+)$", re.IGNORECASE)
_LINKED: Final = re.compile(
    r"\b(?:the|that)\s+(?P<noun>[\w-]+(?:\s+[\w-]+){0,2}?)\s+"
    r"(?P<clause>(?:that|which|who|named|mentioned|described|listed|reported|involved|used|found|from)\s+.+?)"
    rf"(?=\s+{_VERB}\b|[,?.]|$)",
    re.IGNORECASE,
)
_COMPARED: Final = re.compile(
    r"(?P<head>.*\b(?:differ|difference|compare|compared|higher|lower|larger|smaller|longer|shorter|older|newer|more|less)\b"
    r".*?(?:\bbetween\b|[,:]))\s*(?P<a>[^,]+?)\s+(?:and|or|than)\s+(?P<b>[^,]+)$",
    re.IGNORECASE,
)
_TWO_THINGS: Final = re.compile(
    r"^(?P<head>(?:what|which|who|when|where)\s+(?:is|are|was|were)\s+)(?P<a>[^,]+?)\s+and\s+(?P<b>[^,]+?)"
    r"(?P<tail>\s+(?:of|for|on|in|at|to|with)\s+.+)?$",
    re.IGNORECASE,
)


def parts_of(question: str) -> Parts | None:
    """Return the questions that an English question rests on, or None where its form shows but one.

    >>> parts_of("Who signs the sheet and how long is it kept?").texts
    ('Who signs the sheet?', 'how long is it kept?')
    """
    text = " ".join(question.split()).rstrip(" ?.")
    if len(text) > _LONGEST:
        return None
    makers = makers_of(text)
    if makers:
        return Parts("apart", makers)
    hop = hop_of(text)
    if hop is not None:
        return Parts("bridge", tuple(hop))
    return _two_questions(text) or _compared(text) or _linked(text) or _two_things(text)


def _two_questions(text: str) -> Parts | None:
    found = _TWO_QUESTIONS.match(text)
    return _parts("apart", found["a"], found["b"]) if found else None


def _compared(text: str) -> Parts | None:
    found = _COMPARED.match(text)
    if found is None:
        return None
    head = re.sub(r"\s*(?:\bbetween\b|[,:])\s*$", "", found["head"])
    return _parts("apart", f"{head}: {found['a']}", f"{head}: {found['b']}")


def _linked(text: str) -> Parts | None:
    found = _LINKED.search(text)
    if found is None:
        return None
    # A question that holds a blank of its own is asked without one.
    named = "" if BLANK.search(text) else "#1"
    kept = text[: found.start()] + named if named else text[: found.start("clause")]
    rest = " ".join(f"{kept}{text[found.end('clause') :]}".split())
    return _parts("bridge", f"Which {found['noun']} {found['clause']}", rest)


def _two_things(text: str) -> Parts | None:
    found = _TWO_THINGS.match(text)
    if found is None:
        return None
    tail = found["tail"] or ""
    own = tail if not re.search(r"\s(?:of|for|on|in|at|to|with)\s", found["a"]) else ""
    return _parts("apart", f"{found['head']}{found['a']}{own}", f"{found['head']}{found['b']}{tail}")


def _parts(kind: Literal["bridge", "apart"], *texts: str) -> Parts:
    return Parts(kind, tuple(f"{text.strip(' ,')}?" for text in texts))


class ClauseDecomposer:
    """Splits joined questions, comparisons and relative clauses of English questions; calls no model."""

    name = "clauses/2"

    def decompose(self, query: str, reach: Reach, budget: Budget, patience: Patience) -> Queries:
        """Return the questions in `query`; none in another language, or where there is but one."""
        parts = parts_of(query) if reach.language == "en" else None
        if parts is None:
            return Queries(())
        return Queries(parts.texts, blanks=parts.kind == "bridge" and any(map(BLANK.search, parts.texts)))
