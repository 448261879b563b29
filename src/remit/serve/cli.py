"""The command line: the table of commands, and the one place where an error becomes words and an exit code."""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, NamedTuple, NoReturn

import click

from remit.errors import InvalidInput, RemitError

INTERRUPTED: Final = 130


class Listed(NamedTuple):
    """Where a command lives, and its line in `remit --help`; it is loaded when it is called."""

    home: str
    line: str


COMMANDS: Final = {
    "ask": Listed("remit.serve.asking:ask", "Ask a question; get one of six decisions."),
    "backup": Listed("remit.serve.backing:backup_command", "Copy a store while it is in use."),
    "cases": Listed("remit.serve.casing:cases", "Build cases from your own corpus and questions, to test it on."),
    "delete": Listed("remit.serve.keeping:delete", "Hide a document, or one revision of it, from every later request."),
    "demo": Listed("remit.serve.demo:demo", "Ask the sample corpus six questions, one for each decision."),
    "doctor": Listed("remit.serve.doctor:doctor", "Check the installation and a store; say how to mend what is wrong."),
    "eval": Listed(
        "remit.serve.evaluating:evaluate", "Run an experiment: systems over cases, scored, with intervals and figures."
    ),
    "ingest": Listed("remit.serve.keeping:ingest", "Bring documents into a store."),
    "journal": Listed("remit.serve.journaling:journal", "Export traces, take old ones out, redact one."),
    "key": Listed("remit.serve.keys:key", "Make, list and revoke the keys that callers of the service send."),
    "mcp": Listed("remit.serve.mcp.command:mcp", "Serve a store to an MCP client over stdio."),
    "plan": Listed("remit.serve.planning:plan", "Show how a first draft would be corrected, and what that leads to."),
    "queue": Listed("remit.serve.queued:queue", "Show what waits in a queue."),
    "restore": Listed("remit.serve.backing:restore_command", "Make a store of a backup."),
    "review": Listed("remit.serve.queued:review", "See the items that a person has to settle."),
    "search": Listed("remit.serve.asking:search", "Show the passages that a search finds for an asker."),
    "serve": Listed("remit.serve.serving:serve", "Serve a store over HTTP: API, pages, review."),
    "train": Listed("remit.serve.training:train", "Train a policy from a recipe; say how far a training is."),
    "tune": Listed("remit.serve.tuning:tune", "Choose an operating point on development cases, and freeze it."),
    "trace": Listed("remit.serve.asking:trace", "Show how a question was decided."),
    "verify": Listed("remit.serve.verifying:verify_command", "Compare a whole store with what was written; mend it."),
}


class Table(click.Group):
    """A group that loads a command only when it is called, so that `remit --help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].home.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].line) for name in sorted(COMMANDS)])


@click.group(
    cls=Table,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 any decision, 2 bad arguments, 3 something to install or provide, 4 nothing there, "
    "5 invalid input, 6 a provider failed, 7 partial.",
)
@click.version_option(package_name="remit", message="remit %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
def cli(*, debug: bool) -> None:
    """Answer questions over documents that have owners, permissions and revisions, and record why."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run(given))


def _run(given: list[str]) -> int:
    try:
        code = cli.main(given, prog_name="remit", standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        return _say("stopped", given, code=INTERRUPTED)
    except click.ClickException as error:
        usage = error.ctx.get_usage() if isinstance(error, click.UsageError) and error.ctx is not None else ""
        return _say(error.format_message(), given, code=2, hint=usage)
    except RemitError as error:
        return _failed(error, given)
    except BrokenPipeError:
        # Whoever read our output has had enough. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the last boundary: nobody else could tell the user
        return _unexpected(error, given)
    return code if isinstance(code, int) else 0


def _failed(error: RemitError, given: list[str]) -> int:
    faults = error.faults if isinstance(error, InvalidInput) else ()
    lines = [] if _wants_json(given) else [f"  {fault}" for fault in faults]
    places: list[dict[str, Any]] = [
        {"file": fault.file, "line": fault.line, "field": fault.field, "error": fault.error} for fault in faults
    ]
    return _say(str(error), given, code=error.exit_code, faults=places, hint="\n".join(lines))


def _unexpected(error: Exception, given: list[str]) -> int:
    if "--debug" in given:
        traceback.print_exception(error)
    told = f"unexpected {type(error).__name__}: {error}"
    return _say(told, given, code=1, hint="" if "--debug" in given else "  put --debug before the command to see where")


def _say(message: str, given: list[str], *, code: int, faults: Sequence[dict[str, Any]] = (), hint: str = "") -> int:
    """Write an error to stderr: as one JSON object where JSON was asked for, in words otherwise."""
    if _wants_json(given):
        click.echo(json.dumps({"error": message, "faults": list(faults)}), err=True)
    else:
        click.echo(f"remit: {_safe(message)}", err=True)
        if hint:
            click.echo(_safe(hint), err=True)
    return code


def _safe(text: str) -> str:
    """Return text without what a terminal would obey: messages quote what users and files said."""
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _wants_json(given: list[str]) -> bool:
    """Say whether JSON was asked for; read off the arguments, as they may be what is wrong."""
    return "--json" in given[: given.index("--")] if "--" in given else "--json" in given


def installed() -> str:
    """Return the installed version of Remit."""
    return version("remit")
