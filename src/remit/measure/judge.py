"""LLM-eval (DynamicRAG, 3.2.3): a chat model grades an answer by five criteria of twenty points; read strictly, scaled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple, cast

from remit.contract.value import text_digest
from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Role
from remit.llm.tamed import tamed

PROMPT: Final = "judge.txt"
CRITERIA: Final = ("correctness", "completeness", "relevance", "clarity", "concision")
POINTS: Final = 20
"""Most points of a criterion."""

_HEADING: Final = re.compile(r"^\[(system|user)\]\n", re.MULTILINE)
_BLANK: Final = re.compile(r"\{(question|golden|answer)\}")
_LINE: Final = re.compile(
    r"\s*[-*]?\s*\**([a-z]+)\**\s*:\s*\**\s*([0-9]{1,2})\s*(?:/\s*20)?\**\s*\.?\s*", re.IGNORECASE
)
_REPLY_TOKENS: Final = 80


class Verdict(NamedTuple):
    """Points by criterion, and their share of all there are, in [0, 1]."""

    points: tuple[int, ...]
    score: float


class NoVerdict(NamedTuple):
    """Why a grade could not be taken; it is left out, and never counts as 0."""

    reason: str


def read_verdict(text: str) -> Verdict | NoVerdict:
    """Return the verdict that a reply states: each criterion on a line of its own, once, with 0 to 20 points.

    Empty lines are passed over; any other line makes the reply unreadable.
    """
    found: dict[str, int] = {}
    for line in filter(str.strip, text.splitlines()):
        read = _LINE.fullmatch(line)
        name = read[1].casefold() if read else ""
        if read is None or name not in CRITERIA:
            return NoVerdict(f"a line is no grade: {line.strip()[:60]}")
        if name in found:
            return NoVerdict(f"{name} is graded twice")
        if int(read[2]) > POINTS:
            return NoVerdict(f"{name} has {read[2]} points of {POINTS}")
        found[name] = int(read[2])
    if missing := [name for name in CRITERIA if name not in found]:
        return NoVerdict(f"{missing[0]} is not graded")
    points = tuple(found[name] for name in CRITERIA)
    return Verdict(points, sum(points) / (POINTS * len(CRITERIA)))


class ChatGrader:
    """Grades answers with a chat model at temperature 0; `name` says which model and prompt."""

    def __init__(self, chat: Chat) -> None:
        """Take the model, with its cache and its bill."""
        self._chat = chat
        self.name = f"grade/1 {chat.name} {prompt_digest()[7:19]}"

    def grade(self, question: str, golden: Sequence[str], answer: str, patience: Patience) -> Verdict | NoVerdict:
        """Return the verdict on an answer; a model that fails or says something else gives none, with the reason."""
        try:
            reply = self._chat.reply(
                messages_of(question, golden, answer), max_tokens=_REPLY_TOKENS, temperature=0.0, patience=patience
            )
        except ProviderFailed as error:
            return NoVerdict(str(error))
        return NoVerdict("the reply was cut off") if reply.stop == "length" else read_verdict(reply.text)


def messages_of(question: str, golden: Sequence[str], answer: str) -> tuple[Message, ...]:
    """Return the messages that ask for a grade; what is filled in brings no blanks of its own."""
    blanks = {
        "question": " ".join(tamed(question).split()),
        "golden": " | ".join(" ".join(tamed(one).split()) for one in golden),
        "answer": " ".join(tamed(answer).split()) or "(none)",
    }
    return tuple(Message(turn.role, _BLANK.sub(lambda blank: blanks[blank[1]], turn.text)) for turn in _turns())


def prompt_digest() -> str:
    """Return the digest of the prompt's file."""
    return text_digest(_text())


def _text() -> str:
    return resources.files(__package__).joinpath(PROMPT).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _turns() -> tuple[Message, ...]:
    _, *pieces = _HEADING.split(_text())
    return tuple(
        Message(cast("Role", role), body.strip()) for role, body in zip(pieces[::2], pieces[1::2], strict=True)
    )
