"""The planner's prompt: RePAIR's, appendix E, in our words. The slot for the error says correct or incorrect and nothing else."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Final

from remit.answer.prompt import fence
from remit.contract.value import text_digest
from remit.llm.chat import Message
from remit.llm.tamed import tamed
from remit.repair.state import OffPolicy, OnPolicy

PROMPT: Final = "plan.txt"
MOST_SHOWN: Final = 700
"""Characters of a passage that a planner is shown."""

_HEADING: Final = re.compile(r"^\[(system|user|user off-policy)\]\n", re.MULTILINE)
_BLANK: Final = re.compile(r"\{([a-z]+)\}")


@lru_cache(maxsize=1)
def _text() -> str:
    return resources.files(__package__).joinpath(PROMPT).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def prompt_digest() -> str:
    """Return the digest of the prompt's file, for training and inference alike."""
    return text_digest(_text())


def messages(state: OnPolicy | OffPolicy, *, most: int | None = None) -> tuple[Message, ...]:
    """Return the conversation that asks for a plan; `most` passages are shown, all where it is None."""
    _, *pieces = _HEADING.split(_text())
    sections = dict(zip(pieces[::2], (piece.strip() for piece in pieces[1::2]), strict=True))
    off = isinstance(state, OffPolicy) and not state.correct
    blanks = _blanks(state, most)
    asked = _BLANK.sub(lambda blank: blanks.get(blank[1], blank[0]), sections["user off-policy" if off else "user"])
    return Message("system", sections["system"]), Message("user", asked)


def _blanks(state: OnPolicy | OffPolicy, most: int | None) -> dict[str, str]:
    """Return what is filled in, each once: what stands in it brings no blanks of its own, and no turns of a chat."""
    shown = [tamed(text[:MOST_SHOWN]) for text in state.documents[:most]]
    reasoning = (state.reasoning or "") if isinstance(state, OffPolicy) else ""
    mark = fence((*shown, state.question, state.response or "", reasoning))
    correct = state.correct if isinstance(state, OffPolicy) else state.looks_correct
    return {
        "question": " ".join(tamed(state.question).split()),
        "documents": "\n".join(f"doc_list[{n}] <<{mark}\n{text}\n{mark}>>" for n, text in enumerate(shown)) or "none",
        "response": " ".join(tamed(state.response or "").split()),
        "verdict": "correct" if correct else "incorrect",
        "reasoning": f"<<{mark}\n{tamed(reasoning)}\n{mark}>>",
    }
