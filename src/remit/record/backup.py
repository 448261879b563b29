"""A copy of a store that can be restored: whole files, each with its digest, taken while the store is in use."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.corpus.connections import STORE_FILE
from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, NothingThere
from remit.record.journal import NAME

MANIFEST: Final = "backup.json"
DATABASES: Final = (STORE_FILE, NAME)
_PAGES: Final = 4096
_BLOCK: Final = 1 << 20
_KEPT: Final = (".toml", ".json", ".cedar")


class Copied(NamedTuple):
    """What a backup holds: its files with their sizes in bytes."""

    folder: Path
    files: tuple[tuple[str, int], ...]


def backup(store: Path, into: Path, *, now: datetime, record: Callable[[Path], None] | None = None) -> Copied:
    """Return a copy of a store in a new folder: documents, traces, review, settings and key digests.

    `record` writes the record of a store that keeps it in a database into a folder, as the file it would else be.

    Readers and writers go on meanwhile; each database is as it was at one moment, the record of documents after the
    journal, so that no trace names a revision that the copy never held. The index is left out: it is made again.

    Raises:
        NothingThere: there is no store.
        InvalidInput: the folder is not empty.
    """
    if record is None and not (store / STORE_FILE).is_file():
        raise NothingThere(f"no store at {store}: name one with --store")
    if into.exists() and any(into.iterdir()):
        raise InvalidInput(f"{into} is not empty: name a new folder for the backup")
    with _named(into):
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in reversed(DATABASES):
            if (store / name).is_file():
                _copy_database(store / name, into / name)
        if record is not None:
            record(into)
            _as_one_file(into / STORE_FILE)
        for path in sorted(store.iterdir()):
            if path.is_file() and path.suffix in _KEPT:
                _copy_file(path, into / path.name)
        files: dict[str, dict[str, Any]] = {
            path.name: {"bytes": path.stat().st_size, "sha256": _digest(path)} for path in sorted(into.iterdir())
        }
        manifest: dict[str, Any] = {"remit": 1, "at": now.isoformat(), "files": files}
        _write(into / MANIFEST, json.dumps(manifest, indent=2).encode())
    return Copied(into, tuple((name, int(one["bytes"])) for name, one in files.items()))


def restore(source: Path, store: Path, *, record: Callable[[Path], None] | None = None) -> Copied:
    """Make a store of a backup, in a folder that does not hold one; nothing is made where a file is not what was copied.

    `record` takes the record's file into a database; then the store keeps none.

    Raises:
        NothingThere: there is no backup.
        InvalidInput: the folder is not empty.
        CorpusDamaged: a file of the backup is missing or was changed.
    """
    if not (source / MANIFEST).is_file():
        raise NothingThere(f"no backup at {source}: it has no {MANIFEST}")
    if store.exists() and any(store.iterdir()):
        raise InvalidInput(f"{store} is not empty: name a new folder, or move what is there away")
    files = _as_copied(source)
    with _named(store):
        half = store.with_name(f".{store.name}.restoring")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(mode=0o700, parents=True)
        for name in files:
            _copy_file(source / name, half / name)
        for name in DATABASES:
            if (half / name).is_file():
                _check(half / name)
                _in_wal(half / name)
        if record is not None:
            record(half / STORE_FILE)
            for path in half.glob(f"{STORE_FILE}*"):  # a log beside it goes with it
                path.unlink()
        if store.exists():
            store.rmdir()
        half.rename(store)
    return Copied(store, tuple((name, int(said["bytes"])) for name, said in files.items()))


def _as_copied(source: Path) -> dict[str, dict[str, Any]]:
    files = _manifest(source)
    for name, said in files.items():
        path = source / name
        if not path.is_file() or path.stat().st_size != said["bytes"] or _digest(path) != said["sha256"]:
            raise CorpusDamaged(f"{path} is not what was copied: use another backup")
    return files


def _manifest(source: Path) -> dict[str, dict[str, Any]]:
    try:
        data = json.loads((source / MANIFEST).read_text(encoding="utf-8"))
        files: dict[str, dict[str, Any]] = {str(name): dict(said) for name, said in data["files"].items()}
        plain = all(Path(name).name == name and {"bytes", "sha256"} <= set(said) for name, said in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusDamaged(
            f"{source / MANIFEST} cannot be read ({type(error).__name__}): use another backup"
        ) from error
    if not plain or STORE_FILE not in files:
        raise CorpusDamaged(f"{source / MANIFEST} is no list of a store's files: use another backup")
    return files


def _copy_database(path: Path, into: Path) -> None:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    into.touch(mode=0o600)
    with closing(sqlite3.connect(uri, uri=True, timeout=30)) as old, closing(sqlite3.connect(into)) as new:
        old.backup(new, pages=_PAGES)
    _as_one_file(into)


def _as_one_file(path: Path) -> None:
    """Leave no log beside a database, and look whether it is sound."""
    with closing(sqlite3.connect(path)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()
    path.chmod(0o600)
    _check(path)
    _sync(path)


def _check(path: Path) -> None:
    with closing(sqlite3.connect(path)) as copy:
        said = copy.execute("PRAGMA quick_check").fetchone()[0]
    if said != "ok":
        raise CorpusDamaged(f"{path}: {said}; use another backup")


def _in_wal(path: Path) -> None:
    with closing(sqlite3.connect(path)) as copy:
        copy.execute("PRAGMA journal_mode = WAL").fetchone()


def _copy_file(path: Path, into: Path) -> None:
    shutil.copyfile(path, into)
    into.chmod(0o600)
    _sync(into)


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.chmod(0o600)
    _sync(path)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


@contextmanager
def _named(folder: Path) -> Iterator[None]:
    """Name what a full disk, a missing permission or a damaged file stopped."""
    try:
        yield
    except OSError as error:
        raise MissingPrerequisite(f"cannot write {folder} ({error.strerror}): check disk and permissions") from error
    except sqlite3.DatabaseError as error:
        raise CorpusDamaged(f"{folder}: {error}; check the store with `remit doctor --store`") from error


def names(copied: Copied) -> Iterator[str]:
    """Yield a line for each file of a copy."""
    for name, size in copied.files:
        yield f"{name}  {size / 1e6:.1f} MB"
