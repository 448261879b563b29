"""What every format is read into: questions with their golden answers, and the texts they are asked of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

_ID: Final = 12


class Text(NamedTuple):
    """A passage of a set's corpus, as published."""

    id: str
    title: str
    text: str

    @classmethod
    def of(cls, title: str, text: str) -> Text:
        """Return a text whose id comes from what it says, for formats that give passages none."""
        return cls(content_id(title, text), title, text)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as a set publishes it.

    `gold` and `candidates` are ids of texts; `grades` the graded judgements of retrieval sets. `groups` names what it hangs
    together with (an article, a template, a sub-question): two questions that share one belong on one side of a split.
    `answerable` is False where the set says that its texts hold no answer. `more` keeps what only this format has.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    kind: str = "question"
    answerable: bool = True
    more: Mapping[str, Any] = field(default_factory=dict)


class Loaded(NamedTuple):
    """The questions of a file and the texts that came with them, each once, in the order of the file."""

    questions: tuple[Question, ...]
    texts: tuple[Text, ...] = ()


def content_id(title: str, text: str) -> str:
    """Return an id that is the same for the same passage in any file.

    >>> content_id("Oslo", "Oslo is a city.") == content_id("Oslo", "Oslo is a city.")
    True
    """
    return hashlib.sha256(f"{title}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:_ID]


def distinct(texts: Iterable[Text]) -> tuple[Text, ...]:
    """Return the texts, each id once, the first of them."""
    return tuple({text.id: text for text in reversed(list(texts))}.values())[::-1]


def answers_of(*values: str) -> tuple[str, ...]:
    """Return answers as published, without blanks and repetitions."""
    return tuple(dict.fromkeys(value for value in values if value.strip()))
