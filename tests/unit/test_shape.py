"""The shape of the code: short files, short functions, plain names, a docstring on all that is public."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 50
MAX_FOLDERS = 2
BANNED = {"base", "common", "core", "helpers", "manager", "misc", "utils"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def long_files(root):
    """Yield the files that are not under the limit."""
    for path, text, _ in sources(root):
        if (lines := len(text.splitlines())) >= MAX_FILE_LINES:
            yield f"{path}: {lines} lines"


def long_functions(root):
    """Yield the functions that are not under the limit, decorators not counted."""
    for path, _, tree in sources(root):
        for node in ast.walk(tree):
            if isinstance(node, Function) and (lines := node.end_lineno - node.lineno + 1) >= MAX_FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name} has {lines} lines"


def banned_names(root):
    """Yield the folders and files named after no thing in particular."""
    for path, _, _ in sources(root):
        if BANNED & {part.removesuffix(".py") for part in path.parts}:
            yield f"{path}: name the thing"


def deep_folders(root):
    """Yield the files that lie too deep."""
    for path, _, _ in sources(root):
        if len(path.parent.parts) > MAX_FOLDERS:
            yield f"{path}: more than {MAX_FOLDERS} folders deep"


def undocumented(root):
    """Yield the public modules, functions and classes without a docstring."""
    for path, _, tree in sources(root):
        if tree.body and not ast.get_docstring(tree):
            yield f"{path}: module"
        for node in tree.body:
            if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_") and not documented(node):
                yield f"{path}:{node.lineno}: {node.name}"


def untold_tests(root):
    """Yield the tests whose docstring does not state what they promise."""
    for path, _, tree in sources(root):
        for node in ast.walk(tree):
            if isinstance(node, Function) and node.name.startswith("test") and not ast.get_docstring(node):
                yield f"{path}:{node.lineno}: {node.name}"


def prints(root):
    """Yield the calls of print outside the faces."""
    for path, _, tree in sources(root):
        calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and path.parts[0] != "serve")
        yield from (
            f"{path}:{func.lineno}: print" for func in calls if isinstance(func, ast.Name) and func.id == "print"
        )


def documented(node):
    """Tell whether a function or class says what it is; the variants of an overload need not."""
    overloads = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return "overload" in overloads or bool(ast.get_docstring(node))


def sources(root):
    """Yield path below `root`, text and syntax tree of each Python file."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield path.relative_to(root), text, ast.parse(text)


RULES_OF_SOURCE = [long_files, long_functions, banned_names, deep_folders, undocumented, prints]


@pytest.mark.parametrize("rule", RULES_OF_SOURCE, ids=lambda rule: rule.__name__)
def test_source_keeps_its_shape(rule):
    """No file of the package breaks a rule of shape."""
    assert [] == list(rule(ROOT / "src" / "remit"))


def test_every_test_states_its_promise():
    """Each test has a docstring that says what is promised."""
    assert [] == list(untold_tests(ROOT / "tests"))


def test_there_is_source_to_look_at():
    """The rules above read real files, not an empty folder."""
    assert {"errors.py", "__init__.py"} <= {str(path) for path, _, _ in sources(ROOT / "src" / "remit")}


@pytest.mark.parametrize(
    ("rule", "name", "text"),
    [
        (long_files, "ask.py", "\n" * MAX_FILE_LINES),
        (long_functions, "ask.py", "def ask():\n" + "    pass\n" * (MAX_FUNCTION_LINES - 1)),
        (banned_names, "utils.py", ""),
        (banned_names, "core/ask.py", ""),
        (deep_folders, "a/b/c/ask.py", ""),
        (undocumented, "ask.py", "import os\n"),
        (undocumented, "ask.py", '"""Asks."""\nclass Ask:\n    pass\n'),
        (undocumented, "ask.py", '"""Asks."""\nasync def ask():\n    pass\n'),
        (untold_tests, "test_ask.py", "class TestAsk:\n    def test_it(self):\n        pass\n"),
        (prints, "ask/serve.py", "print('hello')\n"),
    ],
)
def test_each_rule_catches_an_offender(tmp_path, rule, name, text):
    """A file that breaks a rule is found by it, and only once."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert 1 == len(list(rule(tmp_path)))


@pytest.mark.parametrize(
    ("rule", "name", "text"),
    [
        (long_files, "ask.py", "\n" * (MAX_FILE_LINES - 1)),
        (long_functions, "ask.py", "def ask():\n" + "    pass\n" * (MAX_FUNCTION_LINES - 2)),
        (deep_folders, "a/b/ask.py", ""),
        (undocumented, "__init__.py", ""),
        (undocumented, "ask.py", '"""Asks."""\ndef _ask():\n    pass\n'),
        (prints, "serve/cli.py", "print('hello')\n"),
    ],
)
def test_each_rule_lets_the_rest_pass(tmp_path, rule, name, text):
    """A file just inside a rule is no offender."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert [] == list(rule(tmp_path))
