"""The prompt of a listwise choice: passages numbered from 1 in the order given, the same in training and at inference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple, cast

from remit.contract.value import text_digest
from remit.errors import InvalidInput
from remit.llm.chat import Message, Role
from remit.llm.metered import estimate
from remit.llm.tamed import tamed
from remit.retrieve.retriever import Hit

PROMPT: Final = "listwise.txt"
FEWEST_WORDS: Final = 40
"""A passage is cut to no fewer words to make it fit."""

_HEADING: Final = re.compile(r"^\[(system|user|assistant)\]\n", re.MULTILINE)
_BLANK: Final = re.compile(r"\{(passages|question)\}")
_CUTS: Final = (400, 200, 120, 80, 60, FEWEST_WORDS)


class ListPrompt(NamedTuple):
    """The turns of the prompt's file, and its digest."""

    turns: tuple[Message, ...]
    digest: str


class Fitted(NamedTuple):
    """A prompt that fits: its messages show the first `shown` passages, each cut after `words` words."""

    messages: tuple[Message, ...]
    shown: int
    words: int


@lru_cache(maxsize=1)
def prompt() -> ListPrompt:
    """Return the prompt that ships beside this file.

    Raises:
        InvalidInput: the file has no last turn of the user.
    """
    text = resources.files(__package__).joinpath(PROMPT).read_text(encoding="utf-8")
    _, *pieces = _HEADING.split(text)
    turns = tuple(
        Message(cast("Role", role), body.strip()) for role, body in zip(pieces[::2], pieces[1::2], strict=True)
    )
    if not turns or turns[-1].role != "user":
        raise InvalidInput(f"{PROMPT} needs a last [user] turn")
    return ListPrompt(turns, text_digest(text))


def messages_of(question: str, hits: Sequence[Hit], words: int = _CUTS[0]) -> tuple[Message, ...]:
    """Return the messages that ask for a choice among passages; what is filled in brings no blanks of its own."""
    blanks = {
        "passages": "\n".join(numbered(number, hit, words) for number, hit in enumerate(hits, start=1)),
        "question": " ".join(tamed(question).split()),
    }
    return tuple(Message(turn.role, _BLANK.sub(lambda blank: blanks[blank[1]], turn.text)) for turn in prompt().turns)


def numbered(number: int, hit: Hit, words: int) -> str:
    """Return a passage as one line that begins with its number."""
    topic = " / ".join((hit.source.title, *hit.passage.section))
    said = tamed(hit.passage.text).split()
    content = " ".join(said[:words]) + (" ..." if len(said) > words else "")
    return f"{number}. Topic: {' '.join(tamed(topic).split())} Content: {content}"


def fitted(question: str, hits: Sequence[Hit], tokens: int) -> Fitted | None:
    """Return the prompt with as many of the passages, and then as much of each, as fit into so many tokens.

    None where not even one passage fits.
    """
    for words in _CUTS:
        messages = messages_of(question, hits, words)
        if estimate(messages) <= tokens:
            return Fitted(messages, len(hits), words)
    for shown in range(len(hits) - 1, 0, -1):
        messages = messages_of(question, hits[:shown], FEWEST_WORDS)
        if estimate(messages) <= tokens:
            return Fitted(messages, shown, FEWEST_WORDS)
    return None
