"""Weights of the small policies on disk: safetensors, with what is said of them in the file; a folder holds a model card too."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from remit.errors import InvalidInput, NothingThere

FILE: Final = "weights.safetensors"
"""The name of the weights in a folder."""
CARD: Final = "README.md"
"""The name of the model card in a folder."""
_ABOUT: Final = "about"


class Stored(NamedTuple):
    """Arrays by name, what the file says of them, and the digest of its bytes."""

    arrays: dict[str, NDArray[Any]]
    said: dict[str, str]
    digest: str


def packed(arrays: Mapping[str, NDArray[Any]], said: Mapping[str, str]) -> bytes:
    """Return the bytes of a file; equal arrays and words give equal bytes."""
    held = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    # one entry: the library keeps several in an order of chance, and then equal weights would have unequal digests
    return save(held, metadata={_ABOUT: json.dumps(dict(said), sort_keys=True)})


def read_weights(path: Path) -> Stored:
    """Return the weights of a file, or of a folder that `remit train` wrote.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: it holds no weights.
    """
    file = path / FILE if path.is_dir() else path
    try:
        raw = file.read_bytes()
        with safe_open(file, framework="numpy") as opened:
            said = json.loads((opened.metadata() or {}).get(_ABOUT, "{}"))
    except FileNotFoundError as error:
        raise NothingThere(f"{path}: no weights there; name a file, or a folder that `remit train` wrote") from error
    except (OSError, ValueError, SafetensorError) as error:
        raise InvalidInput(
            f"{file}: no weights ({type(error).__name__}); want safetensors, train them again"
        ) from error
    return Stored(load(raw), dict(said), f"sha256:{hashlib.sha256(raw).hexdigest()}")


def given_or_shipped(path: Path | None, package: str, name: str) -> Stored:
    """Return the weights of a file or folder; those of the file `name` that a package ships, where None is given.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: it holds no weights.
    """
    if path is not None:
        return read_weights(path)
    with resources.as_file(resources.files(package).joinpath(name)) as file:
        return read_weights(file)


def resolved(name: str | Path, *, beside: Path, hub: Path | None = None) -> Path:
    """Return where weights lie: a path as it is or beside the settings, or a hub id `org/name` in the local cache `hub`.

    Nothing is downloaded.

    Raises:
        NothingThere: they lie nowhere there.
    """
    for path in (Path(name), beside / name):
        if path.exists():
            return path
    if hub is not None and str(name).count("/") == 1:
        kept = hub / f"models--{str(name).replace('/', '--')}"
        head = kept / "refs" / "main"
        if head.is_file() and (found := kept / "snapshots" / head.read_text("utf-8").strip()).is_dir():
            return found
    raise NothingThere(f"{name}: no such weights here, nor in the local cache; bring them in first: hf download {name}")
