"""What an operator says about files and collections: exclusions, path rules, the catalogue. Read from `remit.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from remit.contract.catalogue import Catalogue, Collection
from remit.contract.value import Value
from remit.corpus.stated import Stated, checked
from remit.corpus.toml_file import Check, TomlFile, flag, positive, text, texts
from remit.errors import InvalidInput, NothingThere

CONTROL_FILE = "remit.toml"
SECTIONS = (
    "ingest",
    "collections",
    "rules",
    "limits",
    "point",
    "chat",
    "database",
    "rerank",
    "support",
    "encoder",
    "policy",
    "planner",
    "trace",
    "serve",
    "identity",
    "review",
)
"""All sections of a `remit.toml`; `settings` reads those that are not about the corpus."""

_RULE_FIELDS = ("collection", "labels", "status", "authority", "valid_from", "language", "applies_to", "title")
_MEGABYTES = 20


class PathRule(Value):
    """What files at a path are said to be where they do not say so themselves. The first rule that says it counts.

    `path` is a glob below `folder`, which is relative to the folder that is ingested and ends in ``/`` unless empty.
    """

    path: str
    says: Stated
    folder: str = ""

    def fits(self, path: str) -> bool:
        """Say whether the rule is about a file at a relative path; case counts."""
        return path.startswith(self.folder) and matches(path[len(self.folder) :], self.path)


class Control(Value):
    """How files become revisions. Paths are relative to the folder that is ingested.

    `excluded_below` are globs with the folder they are about, as in a `PathRule`.
    """

    exclude: tuple[str, ...] = ()
    excluded_below: tuple[tuple[str, str], ...] = ()
    rules: tuple[PathRule, ...] = ()
    catalogue: Catalogue = Catalogue()
    max_megabytes: int = _MEGABYTES

    def excluded(self, path: str) -> bool:
        """Say whether a file is left out."""
        return any(matches(path, glob) for glob in self.exclude) or any(
            path.startswith(folder) and matches(path[len(folder) :], glob) for folder, glob in self.excluded_below
        )

    def fill(self, stated: Stated, path: str) -> Stated:
        """Return what a file says, completed by the rules for its path."""
        for rule in self.rules:
            if rule.fits(path):
                stated = stated.filled(rule.says)
        return stated

    def at(self, folder: str) -> Control:
        """Return the same, said in the control file of a folder below the one that is ingested."""
        return self.model_copy(
            update={
                "exclude": (),
                "excluded_below": tuple((folder, glob) for glob in self.exclude),
                "rules": tuple(rule.model_copy(update={"folder": folder}) for rule in self.rules),
            }
        )

    def over(self, other: Control) -> Control:
        """Return both together; where both say something, this one counts."""
        return Control(
            exclude=(*self.exclude, *other.exclude),
            excluded_below=(*self.excluded_below, *other.excluded_below),
            rules=(*self.rules, *other.rules),
            catalogue=merged(other.catalogue, self.catalogue.collections),
            max_megabytes=other.max_megabytes if self.max_megabytes == _MEGABYTES else self.max_megabytes,
        )


def merged(catalogue: Catalogue, collections: Iterable[Collection]) -> Catalogue:
    """Return the catalogue with `collections` added, in place of those of the same names."""
    by_name = {c.name: c for c in (*catalogue.collections, *collections)}
    return Catalogue(collections=tuple(by_name[name] for name in sorted(by_name)))


def matches(path: str, glob: str) -> bool:
    """Say whether a relative path fits a glob: `*` stays inside a folder, `**` does not; one without `/` fits any name."""
    return _pattern(glob).fullmatch(path if "/" in glob else path.rpartition("/")[2]) is not None


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob.removeprefix("./"))
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part) or re.escape(part) for part in parts), re.DOTALL)


def load_control(path: Path) -> Control:
    """Return what a `remit.toml` says about the corpus.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: with a fault for each thing wrong.
    """
    file = TomlFile(str(path), read_toml(path))
    file.known(*SECTIONS)
    control = control_of(file)
    file.finish()
    return control


def read_toml(path: Path) -> str:
    """Return the text of a TOML file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise NothingThere(f"no file {path}: name a remit.toml with --config") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read ({error}): it has to be UTF-8 text that you may read") from error


def control_of(file: TomlFile) -> Control:
    """Return what an open `remit.toml` says about the corpus; what is wrong is noted in `file`."""
    ingest = file.section(("ingest",), {"exclude": texts, "max_megabytes": positive})
    return Control(**ingest, rules=_rules(file), catalogue=_catalogue(file))


def _catalogue(file: TomlFile) -> Catalogue:
    checks: dict[str, Check] = {
        "title": text,
        "aliases": texts,
        "discoverable": flag,
        "primary": flag,
        "expands_to": texts,
    }
    names = file.names(("collections",))
    found = (Collection(name=name, **file.section(("collections", name), checks)) for name in names)
    return Catalogue(collections=tuple(found))


def _rules(file: TomlFile) -> tuple[PathRule, ...]:
    checks: dict[str, Check] = {"path": text, **{name: _field(name) for name in _RULE_FIELDS}}
    rules = []
    for index in range(file.count("rules")):
        said = file.section(("rules", index), checks)
        path = said.pop("path", None)
        if path is None:
            file.wrong(("rules", index), 'want path = "folder/**"')
        else:
            rules.append(PathRule(path=path, says=Stated(**said)))
    return tuple(rules)


def _field(name: str) -> Check:
    def check(raw: object) -> Any:
        return checked(name, raw.isoformat() if type(raw) is date else raw)

    return check
