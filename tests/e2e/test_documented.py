"""The documentation names every command and option, and its examples run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from remit.serve.cli import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[2]
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def sections():
    """Return the sections of docs/cli.md by their command."""
    parts = re.split(r"^## remit (\w+).*$", CLI, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_is_documented(name):
    """Each command has its section, and each option stands in it or in the part about all commands."""
    told = sections()[name] + CLI.partition("\n## ")[0] + CLI.partition("## Who asks")[2].partition("\n## ")[0]
    options = [p for p in cli.get_command(click.Context(cli), name).params if isinstance(p, click.Option)]
    missing = [option.opts[0] for option in options if f"`{option.opts[0]}" not in told]
    assert [] == missing


def test_nothing_else_is_documented():
    """No section is about a command that does not exist."""
    assert {*COMMANDS} == {*sections()}


def blocks(language):
    """Return the README's fenced blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.e2e
@pytest.mark.slow
def test_the_blocks_of_the_readme_run(tmp_path):
    """The README's bash blocks, and after them its Python blocks, run in order in one empty folder."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    commands = [["bash", "-eu", "-c", block] for block in blocks("bash")]
    commands += [[sys.executable, "-c", block] for block in blocks("python")]
    assert len(commands) >= 2
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environ, check=False)
        assert 0 == done.returncode, f"{command[-1]}\n{done.stdout}\n{done.stderr}"
