"""What answered: the names and digests of everything that was configured, first in every trace."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from remit.contract.value import Value, text_digest
from remit.decide.frozen import FrozenPoint, parsed_point
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


def read_point(named: str | Path | None) -> FrozenPoint:
    """Return the operating point that a file holds, or the shipped one of that name; the default where none is named.

    Raises:
        InvalidInput: there is neither such a file nor such a point, or the file holds none.
    """
    if named is None:
        return FrozenPoint(point=OperatingPoint())
    shipped = resources.files("remit.decide").joinpath("points", f"{named}.json")
    if str(named) in shipped_points():
        return parsed_point(shipped.read_text(encoding="utf-8"), str(named))
    try:
        return parsed_point(Path(named).read_text(encoding="utf-8"), str(named))
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(shipped_points())
        raise InvalidInput(
            f"{named}: no operating point: neither a file that can be read nor one of those shipped ({known})"
        ) from error


def shipped_points() -> tuple[str, ...]:
    """Return the names of the points that come with the package."""
    files = resources.files("remit.decide").joinpath("points").iterdir()
    return tuple(sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json")))
