"""The prompts of published systems as text files beside them: sections of turns with blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, cast

from remit.answer.prompt import fence
from remit.contract.value import text_digest
from remit.errors import InvalidInput
from remit.llm.chat import Message, Role
from remit.llm.tamed import tamed
from remit.retrieve.retriever import Hit

_HEADING: Final = re.compile(r"^\[(system|user|assistant)(?: ([a-z-]+))?\]\n", re.MULTILINE)
_BLANK: Final = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """Conversations by name, and the digest of the file. Turns without a name open each of them."""

    shared: tuple[Message, ...]
    sections: dict[str, tuple[Message, ...]]
    digest: str

    def filled(self, section: str, hits: Sequence[Hit] = (), **blanks: str) -> tuple[Message, ...]:
        """Return the messages of a section. What is filled in brings no blanks and no turns of its own.

        Raises:
            ValueError: a blank of the section is not filled: the model would see the placeholder.
        """
        shown = tuple(tamed(shown_as(hit)) for hit in hits)
        mark = fence((*shown, *blanks.values()))
        values = {name: tamed(text).strip() for name, text in blanks.items()}
        values["passages"] = "\n".join(f"[{n}] <<{mark}\n{text}\n{mark}>>" for n, text in enumerate(shown, 1)) or "none"
        turns = (*self.shared, *self.sections[section])
        for turn in turns:
            if unfilled := set(_BLANK.findall(turn.text)) - values.keys():
                raise ValueError(f"nothing was given for {', '.join(sorted(unfilled))}")
        return tuple(Message(turn.role, _BLANK.sub(lambda blank: values[blank[1]], turn.text)) for turn in turns)


@lru_cache(maxsize=32)
def load(name: str) -> Prompt:
    """Return the prompt of that file name beside this module.

    Raises:
        InvalidInput: the file has no section that ends in a turn of the user.
    """
    return read(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def read(text: str) -> Prompt:
    """Return the prompt that `text` holds: ``[system]`` and other unnamed turns, then ``[user NAME]`` and what follows it.

    Raises:
        InvalidInput: as `load`.
    """
    _, *pieces = _HEADING.split(text)
    shared: list[Message] = []
    sections: dict[str, list[Message]] = {}
    for role, name, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        turn = Message(cast("Role", role), body.strip())
        if name is None and role != "user":
            shared.append(turn)
        else:
            sections.setdefault(name or "user", []).append(turn)
    if not sections or any(turns[-1].role != "user" for turns in sections.values()):
        raise InvalidInput("a prompt file needs sections that end in a [user] turn")
    return Prompt(tuple(shared), {name: tuple(turns) for name, turns in sections.items()}, text_digest(text))


def shown_as(hit: Hit) -> str:
    """Return a passage as prompts show it: where it stands, then its text."""
    return "\n".join((" / ".join((hit.source.title, *hit.passage.section)), hit.passage.text))
