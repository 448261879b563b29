"""Text of documents made fit for a prompt: nothing of it is a control token of a chat template."""

from __future__ import annotations

import re
from typing import Final

_OPENING: Final = re.compile(r"<(?=\S)|\[(?=[A-Z/])")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def tamed(text: str) -> str:
    """Return text in which nothing is a control token of a chat template, such as ``<|im_end|>`` or ``[INST]``.

    A space after the bracket is enough; quotations are found again without it.
    """
    return _OPENING.sub(lambda bracket: f"{bracket[0]} ", _CONTROL.sub(" ", text))
