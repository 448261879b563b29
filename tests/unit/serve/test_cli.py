"""The command line's table of commands, its errors and exit codes, without a store."""

import json
import subprocess
import sys
import time

import click
import pytest

from remit.serve.cli import COMMANDS, Table, cli, main


def run(*arguments):
    """Run a command in this process and return its exit code."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return left.value.code


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_table_tells_what_the_command_tells(name):
    """The line in `remit --help` is the command's own short help, and every command has a help text."""
    command = cli.get_command(click.Context(cli), name)
    assert COMMANDS[name].line == command.short_help
    assert command.help


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_has_help(name):
    """Nobody has to guess what an option does."""
    options = [p for p in cli.get_command(click.Context(cli), name).params if isinstance(p, click.Option)]
    assert [] == [option.name for option in options if not option.help]


def test_help_lists_every_command(capsys):
    """`remit --help` names each command and the exit codes, and ends well."""
    assert 0 == run("--help")
    shown = capsys.readouterr().out
    assert [] == [name for name in COMMANDS if f"\n  {name} " not in shown]
    assert "Exit codes" in shown


def test_version(capsys):
    """`remit --version` prints the installed version."""
    assert 0 == run("--version")
    assert capsys.readouterr().out.startswith("remit 0.")


def test_help_is_quick():
    """`remit --help` loads neither the engine nor pydantic."""
    code = "import sys; sys.argv = ['remit', '--help']\nfrom remit.serve.cli import main\ntry: main()\nexcept SystemExit: print(sorted(sys.modules))"
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [] == [name for name in ("pydantic", "numpy", "onnxruntime", "remit.engine") if f"'{name}'" in done.stdout]
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask", "How long?", "--store", "s"], "no principal, no answer"),
        (["search", "seal", "--store", "s"], "no principal, no answer"),
        (["ask", "How long?", "--store", "s", "--as", ":maintenance"], "NAME:group,group"),
        (["ask", "How long?", "--as", "mara"], "--store"),
        (["ask", "How long?", "--store", "s", "--as", "mara", "--as-of", "30.11.2026"], "2026-11-30"),
        (["ask", "How long?", "--store", "s", "--as", "mara", "--param", "line"], "key=value"),
        (["ask", "How long?", "--store", "s", "--as", "mara", "--param", "l=1", "--param", "l=2"], "twice"),
        (["search", "seal", "--store", "s", "--as", "mara", "-k", "0"], "1"),
        (["answer", "How long?"], "answer"),
        (["trace", "t", "--store", "s", "--as", "mara", "--replay"], "operator"),
        (["delete", "PR-1", "--store", "s"], "--yes"),
    ],
)
def test_bad_arguments_end_with_2(arguments, told, capsys):
    """A wrong argument is named on stderr, stdout stays empty, the exit code is 2."""
    assert 2 == run(*arguments)
    out, err = capsys.readouterr()
    assert "" == out
    assert told in err
    assert "Traceback" not in err


def test_errors_are_json_where_json_was_asked_for(capsys):
    """With --json the error is one object on stderr, and stdout stays empty."""
    assert 2 == run("ask", "How long?", "--store", "s", "--json")
    out, err = capsys.readouterr()
    assert "" == out
    assert ["error", "faults"] == sorted(json.loads(err))


def test_no_such_store_ends_with_4(capsys, tmp_path):
    """Asking a store that is not there is an error of its own, and makes none."""
    assert 4 == run("ask", "How long?", "--store", str(tmp_path / "none"), "--as", "mara")
    assert "none" in capsys.readouterr().err
    assert [] == list(tmp_path.iterdir())


def test_an_unexpected_error_is_one_line(capsys, monkeypatch):
    """A bug shows its type and words and ends with 1; the traceback only comes with --debug."""

    def broken(self, ctx, name):
        return click.Command(name, callback=lambda: 1 // 0)

    monkeypatch.setattr(Table, "get_command", broken)
    assert 1 == run("ask")
    assert "Traceback" not in (told := capsys.readouterr().err)
    assert "ZeroDivisionError" in told
    assert 1 == run("--debug", "ask")
    assert "Traceback" in capsys.readouterr().err


def test_errors_cannot_steer_the_terminal(capsys):
    """Escape sequences in what the user gave are not printed as such."""
    run("ask", "q", "--store", "s", "--as", "mara", "--as-of", "\x1b[2J")
    assert "\x1b" not in capsys.readouterr().err
