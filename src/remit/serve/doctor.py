"""`remit doctor`: what is installed, what a store holds, and how to mend what is wrong."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final, Literal, NamedTuple

import click

from remit.access.principal import Principal
from remit.corpus.control import CONTROL_FILE
from remit.corpus.opening import open_corpus
from remit.corpus.sql import SqlCorpus
from remit.corpus.verify import verify
from remit.engine import Remit
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere, RemitError
from remit.parts import Parts, encoder_of
from remit.record.journal import NAME, Journal
from remit.retrieve.upkeep import condition
from remit.serve import options, words
from remit.settings import Settings

OLDEST_PYTHON: Final = (3, 11)
OLDEST_SQLITE: Final = (3, 37, 0)  # the first with STRICT tables


class Check(NamedTuple):
    """One thing looked at. `fix` says what to do where it is not well; `broken` things end with exit code 3."""

    name: str
    state: Literal["ok", "note", "broken"]
    detail: str
    fix: str = ""


@click.command(short_help="Check the installation and a store; say how to mend what is wrong.")
@click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="REMIT_STORE",
    show_envvar=True,
    help="The store to check as well.",
)
@options.config
@options.json_output
def doctor(*, store: Path | None, config: Path | None, json_output: bool) -> None:
    """Check Python, packages and model weights, and with --store the store's files and settings."""
    found = [*_installation(), _encoder(store, config), *(_store(store, config) if store is not None else ())]
    broken = [check for check in found if check.state == "broken"]
    if json_output:
        shown = [check._asdict() for check in found]
        click.echo(words.as_json({"ok": not broken, "checks": shown}))
    else:
        for check in found:
            click.echo(words.folded(check.detail, lead=f"{check.state:7} {check.name:18} "))
            if check.fix:
                click.echo(words.folded(check.fix, lead=f"{'':7} {'fix':18} "))
    if broken:
        raise MissingPrerequisite(f"{len(broken)} of {len(found)} checks failed: {', '.join(c.name for c in broken)}")


def _installation() -> Iterator[Check]:
    python = platform.python_version()
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield Check("python", "broken", python, f"use Python {'.'.join(map(str, OLDEST_PYTHON))} or newer")
    else:
        yield Check("python", "ok", python)
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        fix = f"use a Python whose SQLite is {'.'.join(map(str, OLDEST_SQLITE))} or newer"
        yield Check("sqlite", "broken", sqlite3.sqlite_version, fix)
    else:
        yield Check("sqlite", "ok", sqlite3.sqlite_version)
    yield from _packages()


def _packages() -> Iterator[Check]:
    """Yield a check for each package that the installed metadata asks for, extras as notes."""
    for requirement in requires("remit") or ():
        named, _, marker = requirement.partition(";")
        name = re.split(r"[\s<>=!~\[(]", named.strip())[0]
        extra = re.search(r"""extra\s*==\s*['"](\w+)""", marker)
        if extra is not None and extra[1] == "dev":
            continue
        try:
            yield Check(name, "ok", version(name))
        except PackageNotFoundError:
            if extra is None:
                yield Check(name, "broken", "not installed", f"pip install '{named.strip()}'")
            else:
                yield Check(name, "note", "not installed; optional", f"pip install 'remit[{extra[1]}]'")


def _encoder(store: Path | None, config: Path | None) -> Check:
    """Return whether the sentence encoder that is configured is there and runs."""
    own = None if store is None else store / CONTROL_FILE
    try:
        encoder = encoder_of(Settings.load(config or own, os.environ, optional=config is None))
        encoder.embed(["ready"])
    except RemitError as error:
        return Check("encoder", "broken", str(error), "see the line above")
    return Check("encoder", "ok", encoder.name)


def _store(store: Path, config: Path | None) -> Iterator[Check]:
    try:
        with Remit.open(store, config=config) as opened:
            yield Check("settings", "ok", opened.settings.source or "defaults; no remit.toml")
            snapshot = opened.snapshot()
            yield Check("store", "ok", f"{store}: snapshot {snapshot.number}, {snapshot.digest[:19]}")
    except InvalidInput as error:
        for fault in error.faults:
            yield Check("settings", "broken", str(fault), f"mend {fault.file}")
        if not error.faults:
            yield Check("store", "broken", str(error), "name another directory with --store")
        return
    except NothingThere as error:
        yield Check("store", "broken", str(error), "make one with: remit ingest PATH --store DIRECTORY")
        return
    except RemitError as error:
        yield Check("store", "broken", str(error), "see the checks below")
        yield _record(store, config)
        return
    yield _store_encoder(store, config)
    yield _policy(store, config)
    yield _ingests(store, config)
    yield _record(store, config)
    yield _index(store, config)
    yield _journal(store / NAME)


def _settings(store: Path, config: Path | None) -> Settings:
    return Settings.load(config or store / CONTROL_FILE, os.environ, optional=config is None)


def _corpus(store: Path, config: Path | None) -> SqlCorpus:
    return open_corpus(store, _settings(store, config).database)


def _store_encoder(store: Path, config: Path | None) -> Check:
    """Return whether the store's vectors are those of the encoder that is configured."""
    try:
        encoder = encoder_of(_settings(store, config))
        with _corpus(store, config) as corpus:
            corpus.check_encoder(encoder.name, encoder.dimension)
    except RemitError as error:
        fix = f"remit ingest --re-embed --store {store}, or name the store's encoder in remit.toml"
        return Check("vectors", "broken", str(error), fix)
    return Check("vectors", "ok", f"of {encoder.name}, or none yet")


def _policy(store: Path, config: Path | None) -> Check:
    """Return whether the policy that is configured can be read and can decide, for an asker without any group."""
    try:
        settings = _settings(store, config)
        with _corpus(store, config) as corpus, ExitStack() as opened:
            policy = Parts(store, settings, corpus, opened).policy
            policy.labels(Principal(id="doctor"))
    except RemitError as error:
        return Check(
            "policy", "broken", str(error), "mend the files that [policy] names; until then every question is denied"
        )
    return Check("policy", "ok", policy.name)


def _index(store: Path, config: Path | None) -> Check:
    """Return whether every segment is as it was written, and how much of the store is in none."""
    with _corpus(store, config) as corpus:
        found = condition(store, corpus.connections)
    if found.faults:
        told = f"{len(found.faults)} damaged: {found.faults[0]}"
        return Check("segments", "note", told, f"any ingest builds them again: remit ingest PATH --store {store}")
    if found.indexed < found.passages:
        told = f"{found.passages - found.indexed} of {found.passages} passages are in none yet: each process reads them itself"
        return Check("segments", "note", told, f"any ingest builds them: remit ingest PATH --store {store}")
    return Check("segments", "ok", f"sound, with all of {found.passages} passages")


def _ingests(store: Path, config: Path | None) -> Check:
    """Return whether an ingest was left unfinished."""
    with _corpus(store, config) as corpus:
        jobs = corpus.ledger.unfinished()
    if not jobs:
        return Check("ingest", "ok", "none is unfinished")
    last = jobs[-1]
    told = f"{last.done} of {last.total} files were done (begun {last.started[:16]}); it was interrupted, or is running"
    return Check("ingest", "note", told, f"remit ingest {shlex.join(last.paths)} --store {store}")


def _record(store: Path, config: Path | None) -> Check:
    """Return whether the record is as it was written: every row of it, and in a file the structure as well."""
    mend = f"remit verify --mend --store {store}, then ingest again what that names; or restore a backup"
    try:
        with _corpus(store, config) as corpus:
            found = verify(corpus.connections)
            faults, where = corpus.faults(), corpus.where()
    except RemitError as error:
        return Check("record", "broken", str(error), "see the line above")
    if told := [*(flaw.what for flaw in found.flaws), *faults]:
        return Check("record", "broken", f"{where}; not what was written: {told[0]} ({len(told)} in all)", mend)
    return Check("record", "ok", f"{where}; {found.revisions} revisions and {found.passages} passages as written")


def _journal(file: Path) -> Check:
    """Return whether the journal can be read, and how many asks never ended."""
    if not file.exists():
        return Check("journal", "ok", "none yet; the first ask makes it")
    try:
        journal = Journal(file, make=False)
    except RemitError as error:
        return Check("journal", "broken", str(error), f"move {file} away to start a new one; keep it, it is the record")
    try:
        faults, unfinished = journal.faults(), journal.unfinished()
    finally:
        journal.shut()
    if faults:
        return Check("journal", "broken", faults[0], f"move {file} away to start a new one; keep it, it is the record")
    if unfinished:
        return Check("journal", "note", f"sound; {unfinished} asks never ended (killed, or still running)")
    return Check("journal", "ok", "sound")
