"""A PostgreSQL server that lets nobody in, is down, or holds something else: it is said what to check, and nothing is made."""

import pytest
from postgres_server import PASSWORD, other_than

from remit.corpus.database import DatabaseChoice
from remit.corpus.opening import open_corpus
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere, ProviderBusy

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"password": "wrong/Pa55"}, MissingPrerequisite, "password authentication failed"),
        ({"user": "nobody"}, MissingPrerequisite, "lets us not in"),
        ({"database": "elsewhere"}, MissingPrerequisite, "does not exist"),
    ],
)
def test_whoever_is_not_let_in_is_told_what_to_check(postgres, tmp_path, change, kind, said):
    """User, password and database that the server does not know are prerequisites; no password is repeated."""
    with pytest.raises(kind, match=said) as found:
        open_corpus(tmp_path / "store", DatabaseChoice.of(postgres.url(**change)), create=True)
    assert "Pa55" not in str(found.value)
    assert PASSWORD not in str(found.value)


@pytest.mark.parametrize("url", ["postgresql://u:Pa55@127.0.0.1:1/d", "postgresql://u:Pa55@nowhere.invalid/d"])
def test_a_server_that_is_down_may_be_tried_again(tmp_path, url):
    """Nobody there: an engine failed, exit code 6, and a later try may succeed."""
    with pytest.raises(ProviderBusy, match="cannot be reached") as found:
        open_corpus(tmp_path / "store", DatabaseChoice.of(url), create=True)
    assert (6, False) == (found.value.exit_code, "Pa55" in str(found.value))


@pytest.mark.parametrize("url", ["postgresql://u:Pa@55@h/d", "postgresql://u:Pa55@h:Pa55/d", "postgresql://%zz"])
def test_a_url_that_cannot_be_read_is_not_repeated(tmp_path, url):
    """Half a password may stand where a host is looked for."""
    with pytest.raises(InvalidInput) as found:
        open_corpus(tmp_path / "store", DatabaseChoice.of(url), create=True)
    assert "55" not in str(found.value)


def test_nothing_is_made_without_being_asked_to(postgres, tmp_path):
    """A store that is only read is not made, and neither is its directory or schema."""
    choice = postgres.schema()
    for folder in (tmp_path, tmp_path / "store"):
        with pytest.raises(NothingThere):
            open_corpus(folder, choice)
    assert not (tmp_path / "store").exists()
    assert [] == other_than(postgres, choice, f"SELECT 1 FROM pg_namespace WHERE nspname = '{choice.namespace}'")


def test_another_programs_schema_is_left_alone(postgres, tmp_path):
    """Tables of others are a reason to stop."""
    choice = postgres.schema()
    other_than(postgres, choice, f'CREATE SCHEMA "{choice.namespace}"')
    other_than(postgres, choice, "CREATE TABLE revision (theirs TEXT)")
    with pytest.raises(InvalidInput, match="another program"):
        open_corpus(tmp_path / "store", choice, create=True)
