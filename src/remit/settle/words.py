"""The words of each outcome: one plain sentence per reason, in the asker's language, that names nothing that is hidden.

The sentences of a language stand in ``messages/LANGUAGE.toml``; one more language is one more file.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from remit.contract.parameters import label
from remit.decide.decision import Reason
from remit.errors import InvalidInput

FALLBACK: Final = "en"


def languages() -> tuple[str, ...]:
    """Return the languages that there are sentences in."""
    found = (file.name for file in files(__package__).joinpath("messages").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def spoken(language: str | None) -> str | None:
    """Return a language that was asked for, or None where none was.

    Raises:
        InvalidInput: there are no sentences in it.
    """
    if language is not None and language.partition("-")[0].casefold() not in languages():
        raise InvalidInput(f"no messages in the language {language!r}; there are: {', '.join(languages())}")
    return language


def sentence(
    reason: Reason,
    *,
    missing: tuple[str, ...] = (),
    choices: tuple[tuple[str, tuple[str, ...]], ...] = (),
    language: str = FALLBACK,
    historical: bool = False,
) -> str:
    """Return the sentence for a reason, with what is missing and the choices that the asker is allowed to see.

    `historical`: the question is about another day than today. A language without sentences of its own is told in English.
    """
    said = _messages(language.partition("-")[0].casefold())
    words, names = said["words"], said["names"]
    named = ", ".join(_named(name, names, key=reason == "parameter_open") for name in missing)
    offered = "; ".join(f" {words['or']} ".join(values) for _, values in choices)
    nothing = words["anything"] if reason == "nothing_readable" else words["asked"]
    told = said["reasons"] | (said["historical"] if historical else {})
    return told[reason].format(missing=named or nothing, choices=offered)


def drafted(why: str, *, language: str = FALLBACK) -> str:
    """Return what is said of a draft that was not made as configured."""
    return _messages(language.partition("-")[0].casefold())["words"]["drafted"].format(why=why)


def in_other_unit(wanted: str, *, language: str = FALLBACK) -> str:
    """Return what is said where the source does not give the unit that the question asks for."""
    return _messages(language.partition("-")[0].casefold())["words"]["other_unit"].format(wanted=wanted)


def _named(name: str, names: dict[str, str], *, key: bool) -> str:
    """Return the name of a fact, key or finding as it is said; what came from documents and questions stays as it is."""
    if key:
        return names.get(name, label(name))
    thing, separator, state = name.rpartition(": ")
    if separator and state in names:
        return f"{thing}: {names[state]}"
    return names.get(name, name)


@cache
def _messages(language: str) -> dict[str, dict[str, str]]:
    file = files(__package__).joinpath("messages", f"{language}.toml") if language.isalpha() else None
    if file is None or not file.is_file():
        return _messages(FALLBACK)
    read: dict[str, dict[str, str]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return read
