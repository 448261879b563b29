"""Which sentence encoder a store's vectors come from, as `remit.toml` says.

::

    [encoder]   kind = "minilm" | "static" | "sentence-transformers" | "openai", model, path, url, api_key_env, dimension,
                lexical_weight
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import SecretStr

from remit.contract.value import Value
from remit.corpus.toml_file import Check, TomlFile, number, positive, text

EncoderKind = Literal["minilm", "static", "sentence-transformers", "openai"]

LEXICAL_WEIGHTS: Final[Mapping[str, float]] = {"minilm": 0.15, "static": 0.8}
"""What the lexical leg weighs beside an encoder's cosines, chosen on training questions: docs/adr/0013-encoders.md."""

_KINDS: Final = '"minilm", "static", "sentence-transformers" or "openai"'
_KEYS: Final = {
    "minilm": frozenset[str](),
    "static": frozenset[str](),
    "sentence-transformers": frozenset({"model", "path"}),
    "openai": frozenset({"url", "model", "dimension", "api_key_env"}),
}


class EncoderChoice(Value):
    """Which encoder to use. `key` is never shown: not printed, logged or written."""

    kind: EncoderKind = "minilm"
    model: str | None = None
    path: Path | None = None
    url: str | None = None
    dimension: int | None = None
    key: SecretStr | None = None
    lexical_weight: float | None = None

    @property
    def adapter(self) -> str:
        """Return the name of the adapter."""
        return "openai-embeddings" if self.kind == "openai" else self.kind

    @property
    def arguments(self) -> dict[str, Any]:
        """Return what the adapter is made with."""
        if self.kind == "openai":
            key = None if self.key is None else self.key.get_secret_value()
            return {"url": self.url, "model": self.model, "dimension": self.dimension, "key": key}
        return {"model": self.path or self.model} if self.kind == "sentence-transformers" else {}

    @property
    def weight(self) -> float:
        """Return what the lexical leg weighs: as said, or as chosen for this encoder, or as for the default one."""
        if self.lexical_weight is not None:
            return self.lexical_weight
        return LEXICAL_WEIGHTS.get(self.kind, LEXICAL_WEIGHTS["minilm"])


def encoder_choice(file: TomlFile, folder: Path, environ: Mapping[str, str], url: Check) -> EncoderChoice:
    """Return what the section ``[encoder]`` says; paths are relative to `folder`, `url` reads an address."""
    checks: dict[str, Check] = {
        "kind": _kind,
        "model": text,
        "path": text,
        "url": url,
        "dimension": positive,
        "api_key_env": text,
        "lexical_weight": number,
    }
    said: dict[str, Any] = file.section(("encoder",), checks)
    kind = said.get("kind", "minilm")
    for key in sorted(set(said) - _KEYS[kind] - {"kind", "lexical_weight"}):
        file.wrong(("encoder", key), f"kind {kind} knows no {key}")
    if kind == "openai":
        for key in ("url", "model", "dimension"):
            if key not in said:
                file.wrong(("encoder",), f"kind {kind} needs {key} = ...")
    if kind == "sentence-transformers" and ("model" in said) == ("path" in said):
        file.wrong(("encoder",), f"kind {kind} needs path = ... or model = ..., one of them")
    name = said.pop("api_key_env", None)
    secret = environ.get(name) if name else None
    if "path" in said:
        said["path"] = folder / said["path"]
    return EncoderChoice(**said, key=SecretStr(secret) if secret else None)


def _kind(raw: object) -> str:
    if raw not in get_args(EncoderKind):
        raise ValueError(f"want {_KINDS}")
    return str(raw)
