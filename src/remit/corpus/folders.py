"""Which files an ingest reads: everything below the paths given, in a fixed order, less what is excluded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from remit.corpus.connections import STORE_FILE
from remit.corpus.control import CONTROL_FILE, Control, load_control
from remit.corpus.frontmatter import SIDECAR
from remit.errors import Fault


class Source(NamedTuple):
    """A file to read: where it is, what faults call it, its path below what was named, and the rules it is under."""

    path: Path
    name: str
    relative: str
    control: Control


class Found(NamedTuple):
    """The files to read, what could not be looked at, and what the folders' own control files say."""

    sources: tuple[Source, ...]
    faults: tuple[Fault, ...]
    control: Control


def find_files(paths: Sequence[Path], control: Control) -> Found:
    """Return the files below `paths`. A `remit.toml` in a folder holds for what lies below it, over those above.

    Raises:
        InvalidInput: such a `remit.toml` is wrong; nothing below it may then be read, since it holds access data.
    """
    sources: dict[str, Source] = {}
    faults: list[Fault] = []
    declared = control
    for path in paths:
        if path.is_dir():
            rules: dict[str, Control] = {}
            found: Iterator[Source] = iter([*_below(path, control, faults, rules)])
            declared = _together(rules).over(declared)
        elif path.exists():
            found = iter([Source(path, _shown(path), _shown(Path(path.name)), control)])
        else:
            faults.append(Fault(_shown(path), None, None, "no such file or folder: check the path"))
            continue
        # What stands in "." has no "./" before it.
        real, before = os.path.realpath(path).rstrip("/"), "" if path == Path() else os.fspath(path).rstrip("/") + "/"
        for source in found:
            # Only links inside the folder lead elsewhere; to resolve every path takes longer than all else here.
            inside = "" if source.path == path else os.fspath(source.path).removeprefix(before)
            resolved = os.path.realpath(source.path) if source.path.is_symlink() else f"{real}/{inside}".rstrip("/")
            sources.setdefault(resolved, source)
    return Found(tuple(sources.values()), tuple(faults), declared)


def _below(root: Path, control: Control, faults: list[Fault], own: dict[str, Control]) -> Iterator[Source]:
    """Yield the files below a folder; `own` gets what each control file says, by its folder."""

    def unreadable(error: OSError) -> None:
        faults.append(
            Fault(_shown(Path(error.filename)), None, None, f"cannot be read ({error.strerror}): check its permissions")
        )

    holding = {os.fspath(root): control}
    for folder, folders, names in os.walk(root, onerror=unreadable):
        rules, place = (
            holding.pop(os.fspath(Path(folder))),  # without the "./" that a walk of "." puts before it
            _shown(Path(folder).relative_to(root)) + "/" if folder != os.fspath(root) else "",
        )
        if CONTROL_FILE in names:
            own[place] = load_control(Path(folder, CONTROL_FILE)).at(place)
            rules = own[place].over(rules)
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in linked and not _store(folder, name)
        )
        holding |= {os.fspath(Path(folder, name)): rules for name in folders}
        faults += _linked(root, folder, sorted(linked), rules)
        present = set(names)
        for name in sorted(names):
            path, relative = Path(folder, name), place + _shown(Path(name))
            if name.startswith(".") or name == CONTROL_FILE or rules.excluded(relative):
                continue
            if name.endswith(SIDECAR):
                if name.removesuffix(SIDECAR) not in present:
                    faults.append(
                        Fault(_shown(path), None, None, f"there is no {name.removesuffix(SIDECAR)} beside it")
                    )
            elif error := _no_file(path, root):
                faults.append(Fault(_shown(path), None, None, error))
            else:
                yield Source(path, _shown(path), relative, rules)


def _together(rules: Mapping[str, Control]) -> Control:
    """Return what control files say of collections, for all paths: those of outer folders count over inner ones."""
    said = Control()
    for one in rules.values():  # outer folders come first
        said = said.over(one)
    return said


def _linked(root: Path, folder: str, names: Sequence[str], rules: Control) -> Iterator[Fault]:
    """Yield a fault for each linked folder, which is not entered, unless its files are read at their own place."""
    for name in names:
        path = Path(folder, name)
        relative = _shown(path.relative_to(root))
        if name.startswith(".") or rules.excluded(relative) or rules.excluded(f"{relative}/"):
            continue
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
            error = "is a link to a folder outside: exclude it, or name its target as a path of its own"
            yield Fault(_shown(path), None, None, error)


def _store(folder: str, name: str) -> bool:
    """Say whether a folder is a store, whose files are no documents: people keep one beside what they ingest."""
    return Path(folder, name, STORE_FILE).is_file()


def _no_file(path: Path, root: Path) -> str | None:
    if not path.is_file():
        return "is no regular file: exclude it"
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        return "is a link that leads out of the folder: name its target as a path of its own"
    return None


def _shown(path: Path) -> str:
    # A name that is no UTF-8 could not be printed.
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")
