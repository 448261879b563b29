"""What to check before a language model is trained: examples that are cut off teach nothing, or the wrong thing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol, cast

from remit.errors import InvalidInput

MOST_CUT: Final = 0.01
"""The share of examples that may be cut off before a training is refused."""
COMPLETIONS: Final = ("completion", "chosen", "rejected")


class Tokenizer(Protocol):
    """As much of a Hugging Face tokenizer as is needed."""

    eos_token: str | None
    chat_template: Any

    def __call__(self, text: str, *, add_special_tokens: bool) -> Mapping[str, list[int]]:
        """Return the ids of a text."""

    def apply_chat_template(self, messages: list[dict[str, str]], **how: Any) -> Any:
        """Return messages as the model reads them."""


class Cut(NamedTuple):
    """How many examples there are, and which would lose their end: line numbers, counted from 1."""

    examples: int
    cut: tuple[int, ...]
    longest: int

    @property
    def share(self) -> float:
        """Return the share of examples that are cut."""
        return len(self.cut) / self.examples if self.examples else 0.0


def messages_of(prompt: str) -> list[dict[str, str]]:
    """Return the messages of a prompt: a JSON list of `role` and `content`, or else one message of the user."""
    if prompt.startswith("[{"):
        try:
            found = json.loads(prompt)
        except ValueError:
            found = None
        if isinstance(found, list) and all(
            isinstance(one, dict) and one.keys() == {"role", "content"} for one in found
        ):
            return cast("list[dict[str, str]]", found)
    return [{"role": "user", "content": prompt}]


def read_prompt(prompt: str, tokenizer: Tokenizer) -> str:
    """Return a prompt as the model reads it at inference: through the chat template where there is one."""
    if not tokenizer.chat_template:
        return prompt
    return cast("str", tokenizer.apply_chat_template(messages_of(prompt), tokenize=False, add_generation_prompt=True))


def cut_off(
    rows: Iterable[Mapping[str, str]], tokenizer: Tokenizer, *, length: int, prompt_length: int | None = None
) -> Cut:
    """Return which examples are longer than `length` tokens, or have a prompt longer than `prompt_length`."""
    cut, longest, count = [], 0, 0
    for count, row in enumerate(rows, 1):
        prompt = read_prompt(row["prompt"], tokenizer)
        asked = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
        ends = [row[name] + (tokenizer.eos_token or "") for name in COMPLETIONS if name in row]
        whole = max(len(tokenizer(prompt + end, add_special_tokens=False)["input_ids"]) for end in ends)
        longest = max(longest, whole)
        if whole > length or (prompt_length is not None and asked > prompt_length):
            cut.append(count)
    return Cut(count, tuple(cut), longest)


def refuse_cut(found: Cut, *, length: int) -> None:
    """Go on where next to nothing is cut.

    Raises:
        InvalidInput: there is nothing to train on, or more than 1 % of the examples would be cut.
    """
    if not found.examples:
        raise InvalidInput("there are no examples to train on; collect rollouts first")
    if found.share > MOST_CUT:
        some = ", ".join(map(str, found.cut[:5]))
        raise InvalidInput(
            f"{len(found.cut)} of {found.examples} examples ({found.share:.1%}) are longer than {length} tokens and would lose "
            f"their end (lines {some}); the longest has {found.longest}. Raise length, or send fewer passages."
        )
