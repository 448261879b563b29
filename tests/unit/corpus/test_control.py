"""Exclusions, path rules and collections of a `remit.toml`."""

from datetime import date

import pytest

from remit.contract.catalogue import Catalogue, Collection
from remit.corpus.control import Control, PathRule, load_control, matches, merged
from remit.corpus.stated import Stated
from remit.corpus.toml_file import line_of
from remit.errors import InvalidInput, NothingThere


@pytest.fixture
def control(tmp_path):
    """Return a function that reads a text as `remit.toml`."""

    def load(text):
        path = tmp_path / "remit.toml"
        path.write_text(text, encoding="utf-8")
        return load_control(path)

    return load


@pytest.mark.parametrize(
    ("path", "glob", "fits"),
    [
        ("README.md", "README.md", True),
        ("a/README.md", "README.md", True),
        ("a/b.md", "*.md", True),
        ("a/b.md", "a/*.md", True),
        ("a/c/b.md", "a/*.md", False),
        ("a/c/b.md", "a/**", True),
        ("a/c/b.md", "a/**/b.md", True),
        ("a/b.md", "a/**/b.md", True),
        ("ab/b.md", "a/**", False),
        ("a/b.md", "./a/b.md", True),
        ("a/bXmd", "a/b.md", False),
        ("questions-2.jsonl", "questions*.jsonl", True),
        ("a/b1.md", "a/b?.md", True),
        ("a/b.md", "[ab].md", False),
    ],
)
def test_globs(path, glob, fits):
    """`*` and `?` stay inside a folder, `**` does not, a glob without a slash fits the name anywhere."""
    assert fits is matches(path, glob)


def test_all_sections_are_read(control):
    """Exclusions, rules and collections; what settings read is left to them."""
    text = """
[ingest]
exclude = ["README.md"]
max_megabytes = 3
[collections.hr]
title = "Personnel"
aliases = ["people"]
discoverable = true
primary = false
expands_to = ["policies"]
[[rules]]
path = "hr/**"
labels = ["hr"]
valid_from = 2026-01-01
applies_to = { line = ["1"] }
[chat]
kind = "gguf"
"""
    says = Stated(labels=frozenset({"hr"}), valid_from=date(2026, 1, 1), applies_to=(("line", ("1",)),))
    hr = Collection(
        name="hr", title="Personnel", aliases=("people",), discoverable=True, primary=False, expands_to=("policies",)
    )
    assert Control(
        exclude=("README.md",),
        rules=(PathRule(path="hr/**", says=says),),
        catalogue=Catalogue(collections=(hr,)),
        max_megabytes=3,
    ) == control(text)


def test_the_first_rule_that_says_it_counts(control):
    """A file's own word goes before the rules; among rules the first."""
    found = control(
        '[[rules]]\npath = "a/**"\nlabels = ["x"]\n[[rules]]\npath = "**"\nlabels = ["y"]\nstatus = "draft"\n'
    )
    assert Stated(labels=frozenset({"x"}), status="draft") == found.fill(Stated(), "a/b.md")
    assert Stated(labels=frozenset({"y"}), status="draft") == found.fill(Stated(), "b.md")
    assert frozenset() == found.fill(Stated(labels=frozenset()), "a/b.md").labels


@pytest.mark.parametrize(
    ("text", "line", "field", "error"),
    [
        ("[ingest]\nexlude = []", 2, "ingest.exlude", "unknown key"),
        ("[ingest]\nexclude = 'x'", 2, "ingest.exclude", "want a list"),
        ("[ingest]\nmax_megabytes = 0", 2, "ingest.max_megabytes", "1 or more"),
        ("ingest = 3", 1, "ingest", "want a section"),
        ("[limts]\nx = 1", 1, "limts", "unknown section"),
        ("[collections]\nhr = 3", 2, "collections.hr", "want a section"),
        ("collections = []", 1, "collections", "want sections"),
        ("[collections.hr]\n\ndiscoverable = 'yes'", 3, "collections.hr.discoverable", "true or false"),
        ("[collections]\nhr.primary = 1", 2, "collections.hr.primary", "true or false"),
        ("[[rules]]\npath = 'a'\n[[rules]]\npath = 'b'\nlabels = ['*']", 5, "rules.1.labels", "no wildcards"),
        ("[[rules]]\npath = 'a'\nlabels = 'hr'", 3, "rules.0.labels", "want a list"),
        ("[[rules]]\npath = 'a'\nlabels = [1]", 3, "rules.0.labels", "want one text"),
        ("[[rules]]\nlabels = ['hr']", 1, "rules.0", "want path"),
        ("[[rules]]\npath = 'a'\nrevision = '1'", 3, "rules.0.revision", "unknown key"),
        ("[[rules]]\npath = 'a'\nvalid_from = '2026-02-30'", 3, "rules.0.valid_from", "no date"),
        ("[[rules]]\npath = 'a'\nvalid_from = 2026-01-01T10:00:00", 3, "rules.0.valid_from", "want a date"),
        ("[rules]\npath = 'a'", 1, "rules", "two brackets"),
        ("[ingest]\nexclude = [", 2, None, "is no TOML"),
        ("a = 1\na = 2", 2, None, "is no TOML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(control, text, line, field, error):
    """A wrong key, type or value names file, line and field; none of the file counts then."""
    with pytest.raises(InvalidInput) as caught:
        control(text)
    [fault] = caught.value.faults
    assert (field, True) == (fault.field, error in fault.error)
    assert line == fault.line or (field is None and fault.line in {line, None})


def test_a_file_that_is_not_there(tmp_path):
    """A named file has to exist."""
    with pytest.raises(NothingThere):
        load_control(tmp_path / "remit.toml")


def test_one_control_over_another():
    """What is closer counts first; exclusions add up; collections of one name are replaced."""
    rule = PathRule(path="a", says=Stated(title="A"))
    other = PathRule(path="a", says=Stated(title="B"))
    near = Control(
        exclude=("x",), rules=(rule,), catalogue=Catalogue(collections=(Collection(name="c", title="near"),))
    )
    far = Control(
        exclude=("y",), rules=(other,), catalogue=Catalogue(collections=(Collection(name="c"), Collection(name="d")))
    )
    both = near.over(far)
    assert (("x", "y"), "A") == (both.exclude, both.fill(Stated(), "a").title)
    assert ["near", ""] == [c.title for c in both.catalogue.collections]
    assert both.catalogue == merged(far.catalogue, near.catalogue.collections)


def test_lines_of_keys():
    """Keys are found under their header, quoted or dotted; what is not found gets the nearest header."""
    text = 'a = 1\n[x."y z"]\n"k k" = 2\n[[r]]\nb = 1\n[[r]]\nb = 2\n[q]\nin.side = 3 # c\n'
    assert [1, 3, 7, 9, 2, None] == [
        line_of(text, path)
        for path in [("a",), ("x", "y z", "k k"), ("r", 1, "b"), ("q", "in", "side"), ("x", "y z", "?"), ("?",)]
    ]
