"""What answered: the names and digests of everything that was configured, first in every trace."""

from __future__ import annotations

from pathlib import Path

from remit.contract.value import Value, text_digest


class Setup(Value):
    """The parts of one line. Two asks under equal setups, questions and snapshots can be compared."""

    remit: str
    settings: str
    point: str
    policy: str
    encoder: str
    retriever: str
    reranker: str
    answerer: str
    planner: str
    prompts: tuple[tuple[str, str], ...] = ()


def prompt_digests(package: Path) -> tuple[tuple[str, str], ...]:
    """Return path and digest of each prompt that ships with the package."""
    files = sorted(package.rglob("*.txt"))
    return tuple((str(file.relative_to(package)), text_digest(file.read_text(encoding="utf-8"))) for file in files)
