"""Whether a judge of entailment looks at drafts, and which, as `remit.toml` says.

::

    [support]   kind = "none" | "cross-encoder" | "chat", model, path, threshold, threads
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal, get_args

from remit.contract.value import Value
from remit.corpus.toml_file import Check, TomlFile, any_number, positive, text

SupportKind = Literal["none", "cross-encoder", "chat"]

_KEYS: Final = {
    "none": frozenset[str](),
    "cross-encoder": frozenset({"model", "path", "threshold", "threads"}),
    "chat": frozenset[str](),
}
_KINDS: Final = '"none", "cross-encoder" or "chat"'


class SupportChoice(Value):
    """Which judge to use. A cross-encoder has a `threshold` of its own; a chat judge is the model of ``[chat]``."""

    kind: SupportKind = "none"
    model: str | None = None
    path: Path | None = None
    threshold: float = 0.5
    threads: int = 1


def support_choice(file: TomlFile, folder: Path, *, chat: bool) -> SupportChoice:
    """Return what the section ``[support]`` says; paths are relative to `folder`, `chat` says that a chat model is configured."""
    checks: dict[str, Check] = {
        "kind": _kind,
        "model": text,
        "path": text,
        "threshold": any_number,
        "threads": positive,
    }
    said: dict[str, Any] = file.section(("support",), checks)
    kind = said.get("kind", "none")
    for key in sorted(set(said) - _KEYS[kind] - {"kind"}):
        file.wrong(("support", key), f"kind {kind} knows no {key}")
    if kind == "cross-encoder" and ("model" in said) == ("path" in said):
        file.wrong(("support",), "kind cross-encoder needs path = ... or model = ..., one of them")
    if kind == "chat" and not chat:
        file.wrong(("support",), "kind chat needs a chat model: set [chat]")
    if "path" in said:
        said["path"] = folder / said["path"]
    return SupportChoice(**{key: value for key, value in said.items() if key in _KEYS[kind] | {"kind"}})


def _kind(raw: object) -> str:
    if raw not in get_args(SupportKind):
        raise ValueError(f"want {_KINDS}")
    return str(raw)
