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

from remit.corpus.connections import STORE_FILE, integrity, open_connections
from remit.corpus.migrating import altered, pending
from remit.corpus.verify import verified
from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, NothingThere
from remit.record.journal import NAME

MANIFEST: Final = "backup.json"
DATABASES: Final = (STORE_FILE, NAME)
_PAGES: Final = 4096
_BLOCK: Final = 1 << 20
_HALF: Final = ".half"
_KEPT: Final = (".toml", ".json", ".cedar")
_DAMAGED: Final = (
    "the store is damaged: mend it with `remit verify --mend`, restore an earlier backup, or ingest into a new store"
)
_HOLDS: Final = {STORE_FILE: "documents", NAME: "questions, decisions and review"}


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
        MissingPrerequisite: the folder cannot be written, or the disk is full; nothing of the copy stays.
        CorpusDamaged: the store is damaged.
    """
    if record is None and not (store / STORE_FILE).is_file():
        raise NothingThere(f"no store at {store}: name one with --store")
    if _taken(into):
        raise InvalidInput(f"{into} is not empty: name a new folder for the backup")
    with _named(into), _filling(into, last=MANIFEST) as half:
        for name in reversed(DATABASES):
            if (store / name).is_file():
                _copy_database(store / name, half / name)
        if record is not None:
            record(half)
            _as_one_file(half / STORE_FILE)
        for path in sorted(store.iterdir()):
            if path.is_file() and path.suffix in _KEPT:
                _copy_file(path, half / path.name)
        files: dict[str, dict[str, Any]] = {
            path.name: {"bytes": path.stat().st_size, "sha256": _digest(path)} for path in sorted(half.iterdir())
        }
        manifest: dict[str, Any] = {"remit": 1, "at": now.isoformat(), "files": files}
        _write(half / MANIFEST, json.dumps(manifest, indent=2).encode())
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
        raise NothingThere(f"no backup at {source}: it has no {MANIFEST}, which a backup that came to its end has")
    if _taken(store):
        raise InvalidInput(f"{store} is not empty: name a new folder, or move what is there away")
    files = _as_copied(source)
    with _named(store), _filling(store, last=STORE_FILE) as half:
        for name in files:
            _copy_file(source / name, half / name)
        for name in DATABASES:
            if (half / name).is_file():
                _check(half / name, "use another backup")
                _in_wal(half / name)
        if record is not None:
            open_connections(half, create=False).close()  # brings the copy of an older Remit's record up to date
            record(half / STORE_FILE)
            for path in half.glob(f"{STORE_FILE}*"):  # a log beside it goes with it
                path.unlink()
    return Copied(store, tuple((name, int(said["bytes"])) for name, said in files.items()))


def _as_copied(source: Path) -> dict[str, dict[str, Any]]:
    files = _manifest(source)
    if wrong := [f"{_called(name)} {why}" for name, said in files.items() if (why := _fault(source / name, said))]:
        raise CorpusDamaged(
            f"{source} cannot be restored, and nothing was made: {'; '.join(wrong)}. Use another backup, "
            "or take a new one with `remit backup` where the store is still there"
        )
    return files


def _taken(folder: Path) -> bool:
    """Say whether a folder holds something; what a broken-off copy left, and what a new disk has, do not count."""
    return folder.exists() and any(path.name not in {_HALF, "lost+found"} for path in folder.iterdir())


@contextmanager
def _filling(folder: Path, *, last: str) -> Iterator[Path]:
    """Lend a place inside `folder`, which may be a disk of its own; at the end its files move up, `last` after the others.

    Where the end is not reached, nothing of them stays.
    """
    there, half = folder.exists(), folder / _HALF
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(mode=0o700)
    try:
        yield half
        for path in sorted(half.iterdir(), key=lambda path: (path.name == last, path.name)):
            path.replace(folder / path.name)
    except BaseException:
        shutil.rmtree(half, ignore_errors=True)
        if not there and not any(folder.iterdir()):
            folder.rmdir()
        raise
    half.rmdir()
    _sync(folder)


def _fault(path: Path, said: dict[str, Any]) -> str | None:
    """Return why a file is not what was copied; None where it is."""
    try:
        size = path.stat().st_size
        if size != said["bytes"]:
            return f"is {size} bytes long, and {said['bytes']} were copied"
        return None if _digest(path) == said["sha256"] else "was changed after it was copied"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _called(name: str) -> str:
    return f"{name} ({_HOLDS[name]})" if name in _HOLDS else name


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
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=30)) as old, closing(sqlite3.connect(into)) as new:
            old.backup(new, pages=_PAGES)
        _as_one_file(into)
    except sqlite3.OperationalError as error:
        if _shut(error) and not os.access(path.parent, os.W_OK):
            raise MissingPrerequisite(
                f"cannot read {path} ({error}): SQLite needs to write {path.parent}, even to read; give that permission, "
                "or copy the folder to where it can be written and back that up"
            ) from error
        raise
    except sqlite3.DatabaseError as error:
        raise CorpusDamaged(f"{path}: {error}; {_DAMAGED}") from error


def _shut(error: sqlite3.OperationalError) -> bool:
    return (error.sqlite_errorname or "").startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"))


def _as_one_file(path: Path) -> None:
    """Leave no log beside a database, and look whether it is sound."""
    with closing(sqlite3.connect(path)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()
    path.chmod(0o600)
    _check(path, _DAMAGED)
    _sync(path)


def _check(path: Path, fix: str) -> None:
    """Go on where a copy is sound: by SQLite's own look, and the record by a look at every row, if its rows have sums."""
    with closing(sqlite3.connect(path)) as copy:
        faults = integrity(copy)
        if not faults and path.name == STORE_FILE and pending(copy, str(path)) == 0:
            faults = [flaw.what for flaw in verified(copy, altered(copy)).flaws]
    if faults:
        raise CorpusDamaged(f"{path.name}: {faults[0]} ({len(faults)} in all); {fix}")


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
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    except sqlite3.OperationalError as error:
        raise MissingPrerequisite(f"cannot write {folder} ({error}): check disk, space and permissions") from error
    except sqlite3.DatabaseError as error:
        raise CorpusDamaged(f"{folder}: {error}; check the store with `remit doctor --store`") from error


def names(copied: Copied) -> Iterator[str]:
    """Yield a line for each file of a copy."""
    for name, size in copied.files:
        yield f"{name}  {size / 1e6:.1f} MB"
