"""Which questions weights learned from: their keys lie beside the weights, so that a policy is not measured on them unawares."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from importlib import resources
from pathlib import Path, PurePath
from typing import Final

QUESTIONS: Final = "questions.txt"
_DIGITS: Final = 16


def question_key(text: str) -> str:
    """Return the key of a question: 16 hex digits, the same whatever its case and spacing."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return hashlib.sha256(" ".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def keys_of(questions: Iterable[str]) -> str:
    """Return the file of keys: one a line, in order."""
    return "".join(f"{key}\n" for key in sorted({question_key(text) for text in questions}))


def learned_from(path: Path | None, package: str, name: str) -> frozenset[str]:
    """Return the keys beside weights: in their folder, or where `path` is None beside those that a package ships as `name`.

    None are there for weights that do not say what they learned from.
    """
    if path is None:
        kept = resources.files(package).joinpath(f"{PurePath(name).stem}.{QUESTIONS}")
        return frozenset(kept.read_text("utf-8").split()) if kept.is_file() else frozenset()
    file = (path if path.is_dir() else path.parent) / QUESTIONS
    return frozenset(file.read_text("utf-8").split()) if file.is_file() else frozenset()
