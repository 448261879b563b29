"""What `import remit` costs and shows."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import remit

HEAVY = ("httpx", "httpx2", "huggingface_hub", "onnxruntime", "sqlite3", "torch", "transformers")

WATCHED = """
import json, sys, sysconfig
calls = []
code = tuple({*filter(None, sys.path), *sysconfig.get_paths().values(), sys.base_prefix})

def watch(event, args):
    if event.split(".")[0] in ("socket", "subprocess", "os", "sqlite3") and event not in ("os.listdir", "os.scandir"):
        calls.append(event)
    if event == "open" and not str(args[0]).startswith(code):
        calls.append("open " + str(args[0]))

sys.addaudithook(watch)
STATEMENT
print(json.dumps({"modules": sorted(sys.modules), "calls": calls}))
"""


def watched(statement):
    """Run `statement` in a fresh interpreter; return what it loaded and what it touched outside installed code."""
    code = WATCHED.replace("STATEMENT", statement)
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def loaded(seen):
    """Return which of the heavy libraries are among the modules seen."""
    return [name for name in HEAVY if name in seen["modules"]]


def shown_to_type_checkers():
    """Return the names that `remit/__init__.py` imports for type checkers as public: `from a import B as B`."""
    tree = ast.parse(Path(remit.__file__).read_text(encoding="utf-8"))
    imports = (alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names)
    return sorted(alias.name for alias in imports if alias.name == alias.asname)


def test_import_loads_no_heavy_library():
    """Importing remit loads no model runtime, no database and no HTTP client."""
    assert [] == loaded(watched("import remit"))


def test_import_touches_nothing():
    """Importing remit opens no file but code, no connection and no process."""
    assert [] == watched("import remit")["calls"]


def test_the_watch_sees_what_it_watches_for():
    """A heavy import, a connection and an open file are each noticed, so that the two tests above can fail."""
    seen = watched("import sqlite3, socket; socket.socket().close(); open('/dev/null').close()")
    assert ["sqlite3"] == loaded(seen)
    assert {"socket.__new__", "open /dev/null"} <= set(seen["calls"])


def test_public_names_load_no_torch():
    """Using every public name of remit still loads neither torch nor transformers."""
    modules = watched("from remit import *")["modules"]
    assert [] == [name for name in ("torch", "transformers") if name in modules]


def test_public_names_are_listed():
    """`__all__` is what `dir` shows and what type checkers see, each name once and in order."""
    listed = sorted(set(remit.__all__))
    assert listed == list(remit.__all__)
    assert listed == dir(remit)
    assert listed == shown_to_type_checkers()


@pytest.mark.parametrize("name", remit.__all__)
def test_public_name_can_be_imported(name):
    """Each name in `__all__` is there, under that name."""
    assert name == getattr(remit, name).__name__


def test_unknown_name_is_refused():
    """A name that is not public is an AttributeError, so that typing errors are found."""
    assert not hasattr(remit, "Remitt")
