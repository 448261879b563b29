"""Which reranker settings name: the section ``[rerank]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal, get_args

from remit.contract.value import Value
from remit.corpus.toml_file import Check, TomlFile, any_number, number, text, whole

RerankKind = Literal["cutoff", "encoder", "score", "listwise", "lm"]
ScorerKind = Literal["maxsim", "pairs", "cross-encoder"]
MOST: Final = 15

_KEYS: Final[dict[str, frozenset[str]]] = {
    "cutoff": frozenset({"most", "share"}),
    "encoder": frozenset({"weights", "temperature"}),
    "score": frozenset({"most", "scorer", "threshold", "model"}),
    "listwise": frozenset({"most", "temperature"}),
    "lm": frozenset({"most", "temperature", "model"}),
}


class RerankChoice(Value):
    """Which policy chooses passages, and what it is given. `weights` is a file, `model` a folder or a cached name.

    A `temperature` of 0 chooses the same each time; `threshold` is a score of the scorer's own scale.
    """

    policy: RerankKind = "encoder"
    most: int | None = None
    share: float = 0.0
    weights: Path | None = None
    temperature: float = 0.0
    scorer: ScorerKind = "maxsim"
    threshold: float | None = None
    model: str | None = None


def rerank_choice(file: TomlFile, folder: Path, *, chat: bool) -> RerankChoice:
    """Return what the section ``[rerank]`` says; paths are relative to `folder`, `chat` says that there is a chat model."""
    checks: dict[str, Check] = {
        "policy": _policy,
        "most": _most,
        "share": number,
        "weights": text,
        "temperature": number,
        "scorer": _scorer,
        "threshold": any_number,
        "model": text,
    }
    said: dict[str, Any] = file.section(("rerank",), checks)
    policy = said.get("policy", RerankChoice().policy)
    for key in sorted(set(said) - _KEYS[policy] - {"policy"}):
        file.wrong(("rerank", key), f"policy {policy} knows no {key}")
    if policy == "listwise" and not chat:
        file.wrong(("rerank",), "policy listwise needs a chat model: set [chat]")
    if (policy == "lm" or said.get("scorer") == "cross-encoder") and "model" not in said:
        file.wrong(("rerank",), "a local model needs model = ..., its folder or its name in the local cache")
    if "weights" in said:
        said["weights"] = folder / said["weights"]
    if "model" in said and (folder / said["model"]).is_dir():
        said["model"] = str(folder / said["model"])
    return RerankChoice(**{key: value for key, value in said.items() if key in _KEYS[policy] | {"policy"}})


def _policy(raw: object) -> str:
    if raw not in get_args(RerankKind):
        raise ValueError('want "cutoff", "encoder", "score", "listwise" or "lm"')
    return str(raw)


def _scorer(raw: object) -> str:
    if raw not in get_args(ScorerKind):
        raise ValueError('want "maxsim", "pairs" or "cross-encoder"')
    return str(raw)


def _most(raw: object) -> int:
    most: int = whole(raw)
    if most > MOST:
        raise ValueError(f"want a number from 0 to {MOST}")
    return most
