"""A prompt as a text file: turns of a conversation with blanks to fill, and words for each form of answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, cast, get_args

from remit.contract.contract import AnswerForm
from remit.contract.value import digest_of, text_digest
from remit.errors import InvalidInput
from remit.llm.chat import Message, Role
from remit.llm.tamed import tamed

_HEADING: Final = re.compile(r"^\[(system|user|assistant|form [a-z]+)\]\n", re.MULTILINE)
_BLANK: Final = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """The turns of a prompt file, its words for answer forms, and the digest of the file."""

    turns: tuple[Message, ...]
    forms: dict[str, str]
    digest: str

    def filled(
        self, passages: tuple[str, ...], question: str, form: AnswerForm, *, statement: str = ""
    ) -> tuple[Message, ...]:
        """Return the messages for a question. What is filled in is filled in once: it brings no blanks of its own."""
        shown = tuple(tamed(text) for text in passages)
        mark = fence((*shown, question, statement))
        blanks = {
            "passages": "\n".join(f"[{n}] <<{mark}\n{text}\n{mark}>>" for n, text in enumerate(shown, start=1)),
            "question": " ".join(tamed(question).split()),
            "statement": " ".join(tamed(statement).split()),
            "form": self.forms.get(form, ""),
            "fence": mark,
        }
        return tuple(
            Message(turn.role, _BLANK.sub(lambda blank: blanks.get(blank[1], blank[0]), turn.text))
            for turn in self.turns
        )


@lru_cache(maxsize=8)
def load(name: str) -> Prompt:
    """Return the prompt of that file name beside this module.

    Raises:
        InvalidInput: the file has no last turn of the user, or lacks a form.
    """
    return read(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def read(text: str) -> Prompt:
    """Return the prompt that `text` holds.

    Raises:
        InvalidInput: as `load`.
    """
    _, *pieces = _HEADING.split(text)
    sections = [(heading, body.strip()) for heading, body in zip(pieces[::2], pieces[1::2], strict=True)]
    turns = tuple(Message(cast("Role", name), body) for name, body in sections if not name.startswith("form "))
    forms = {name.removeprefix("form "): body for name, body in sections if name.startswith("form ")}
    if not turns or turns[-1].role != "user" or (forms and set(forms) != set(get_args(AnswerForm))):
        raise InvalidInput("a prompt file needs a last [user] turn, and words for every form of answer or for none")
    return Prompt(turns, forms, text_digest(text))


def fence(texts: tuple[str, ...]) -> str:
    """Return a mark that none of the texts contains, the same for the same texts."""
    for attempt in range(1 << 16):
        mark = digest_of([attempt, *texts])[-8:]
        if not any(mark in text for text in texts):
            return mark
    raise InvalidInput("no mark is free to fence the passages with: a passage lists them all")
