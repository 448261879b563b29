"""What answered: the names and digests of everything that was configured, first in every trace."""

from __future__ import annotations

from pathlib import Path

from remit.contract.value import Value, text_digest
from remit.decide.point import OperatingPoint
from remit.errors import InvalidInput


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


def read_point(file: Path | None) -> OperatingPoint:
    """Return the operating point that a file holds; the default one where none is named.

    Raises:
        InvalidInput: there is no such file, or it holds none.
    """
    if file is None:
        return OperatingPoint()
    try:
        return OperatingPoint.model_validate_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"{file}: no operating point ({type(error).__name__}); want JSON with thresholds in [0, 1], or leave [point] out"
        ) from error
