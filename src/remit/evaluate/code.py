"""Which code and which shipped weights a run was made with, by digest: a version alone tells no two checkouts apart."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

import remit
from remit.contract.value import digest_of

WEIGHTS: Final = frozenset({".npz", ".safetensors"})
_MADE: Final = "__pycache__"


def code_of(package: Path | None = None) -> dict[str, str]:
    """Return the digests of a package's files and of its weights, and the versions of what its numbers come from.

    By names inside the package and by content: the same wherever it is installed. `package` is the installed Remit where it
    is None.
    """
    folder = Path(remit.__file__).parent if package is None else package
    files = sorted((path.relative_to(folder).as_posix(), path) for path in _files(folder))
    return {
        "source": _digest((name, path) for name, path in files if path.suffix not in WEIGHTS),
        "weights": _digest((name, path) for name, path in files if path.suffix in WEIGHTS),
        "python": platform.python_version(),
        "numpy": version("numpy"),
    }


def _files(folder: Path) -> Iterator[Path]:
    """Yield what a package ships; what Python or an editor leaves beside it is none of it."""
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name == _MADE:
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path


def _digest(files: Iterator[tuple[str, Path]]) -> str:
    return digest_of([[name, hashlib.sha256(path.read_bytes()).hexdigest()] for name, path in files])
