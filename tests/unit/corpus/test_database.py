"""Where the record is said to be: in settings without secrets, in the environment with them."""

import pytest

from remit.corpus.database import DatabaseChoice, database_choice
from remit.corpus.toml_file import TomlFile
from remit.errors import InvalidInput, MissingPrerequisite
from remit.settings import Settings

URL = "postgresql://remit@db.example:5433/remit"


def choice(text="", **environ):
    """Return what a text of TOML and an environment say."""
    file = TomlFile("remit.toml", text)
    found = database_choice(file, environ)
    file.finish()
    return found


def test_without_a_word_it_is_a_file_of_the_store():
    """No section and no variable: no database."""
    assert choice() is None
    assert Settings().database is None


def test_the_environment_goes_before_the_file():
    """Each of the two can be said in either place."""
    found = choice(f'[database]\nurl = "{URL}"\nschema = "team_a"\n')
    assert (URL, "team_a") == (found.url.get_secret_value(), found.namespace)
    found = choice(f'[database]\nurl = "{URL}"\n', REMIT_DATABASE_URL="postgres://u:pw@h/d", REMIT_DATABASE_SCHEMA="b")
    assert ("postgres://u:pw@h/d", "b") == (found.url.get_secret_value(), found.namespace)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[database]\nurl = "postgresql://u:Pa55@h/d"\n', 2),
        ('[database]\nurl = "postgresql://h/d?password=Pa55"\n', 2),
        ('[database]\nurl = "mysql://u:Pa55@h/d"\n', 2),
        ('[database]\nschema = "Drop Table"\n', 2),
        ('[database]\nhost = "Pa55"\n', 2),
        ('[database]\nschema = "x"\n', 1),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_without_its_value(text, line):
    """A password does not belong in a file that is backed up, and no error repeats one."""
    with pytest.raises(InvalidInput) as found:
        choice(text)
    assert [line] == [fault.line for fault in found.value.faults]
    assert "Pa55" not in str(found.value)


def test_a_password_comes_from_a_file(tmp_path):
    """As containers hand secrets over; one that cannot be read is an error and not an empty password."""
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    found = choice(REMIT_DATABASE_URL=URL, REMIT_DATABASE_PASSWORD_FILE=str(secret))
    assert "s3cret" == found.password.get_secret_value()
    with pytest.raises(MissingPrerequisite, match="PASSWORD_FILE"):
        choice(REMIT_DATABASE_URL=URL, REMIT_DATABASE_PASSWORD_FILE=str(tmp_path / "none"))


def test_secrets_are_not_shown():
    """Neither printed nor written, nor in what settings are digested from."""
    found = DatabaseChoice.of("postgresql://u:Pa55@h/d").model_copy(update={"password": None})
    whole = Settings(database=found)
    assert "Pa55" not in repr(whole) + str(whole) + whole.model_dump_json()
