"""Front matter and sidecars: what is read, and what rejects a document."""

from datetime import date

import pytest

from remit.corpus.frontmatter import divide, parse
from remit.corpus.stated import Stated, stated
from remit.errors import InvalidInput


def faults(text, first_line=1):
    """Return line, field and error of each fault of a text."""
    with pytest.raises(InvalidInput) as caught:
        parse(text, "f.md", first_line)
    return [(fault.line, fault.field, fault.error) for fault in caught.value.faults]


def test_every_field_is_read():
    """All twelve fields, with bare numbers and dates taken as their letters."""
    text = """
document: PR-1
revision: 2
title: 2026-01-01
collection: procedures
labels: [staff, "public"]
status: current
valid_from: 2026-01-01
valid_to: "2026-07-01"
supersedes: [PR-1@1]
authority: authoritative
applies_to:
  line: [1, "2"]
  plant: A
language: no
"""
    assert Stated(
        document="PR-1",
        revision="2",
        title="2026-01-01",
        collection="procedures",
        labels=frozenset({"staff", "public"}),
        status="current",
        valid_from=date(2026, 1, 1),
        valid_to=date(2026, 7, 1),
        supersedes=("PR-1@1",),
        authority="authoritative",
        applies_to=(("line", ("1", "2")), ("plant", ("A",))),
        language="no",
    ) == parse(text, "f.md")


def test_nothing_said_is_nothing():
    """An empty front matter leaves every field open; an empty list of labels is said."""
    assert Stated() == parse("", "f.md") == parse("# only a comment", "f.md")
    assert frozenset() == parse("labels: []", "f.md").labels


@pytest.mark.parametrize(
    ("line", "field", "error"),
    [
        ("lables: [staff]", "lables", "unknown field"),
        ("<<: {a: b}", "<<", "unknown field"),
        ("labels: staff", "labels", "want a list"),
        ("labels:", "labels", "is blank"),
        ("labels: {staff: yes}", "labels", "'yes' is read as yes or no"),
        ("labels: ['*']", "labels", "no wildcards"),
        ("labels: [staff-*]", "labels", "no wildcards"),
        ("labels: [staff, '']", "labels", "blank"),
        ("labels: [staff, ' ']", "labels", "blank"),
        ("labels: [on]", "labels", "put it in quotes"),
        ("labels: [12]", "labels", "put it in quotes"),
        ("labels: [2026-01-01]", "labels", "put it in quotes"),
        ("labels: [[staff]]", "labels", "want one text"),
        ('labels: ["st\\u200Baff"]', "labels", "invisible"),
        ('labels: ["st\\u0007aff"]', "labels", "control"),
        ("labels: !!python/name:os.system []", "labels", "has a tag"),
        ("labels: !!set {staff}", "labels", "has a tag"),
        ("labels: [!x staff]", "labels", "put it in quotes"),
        ("collection: '*'", "collection", "no wildcards"),
        ("collection: []", "collection", "want one text"),
        ("status: obsolete", "status", "want one of draft, current, superseded, withdrawn"),
        ("authority: high", "authority", "want one of authoritative, informative"),
        ("valid_from: 2026-02-30", "valid_from", "no date of the calendar"),
        ("valid_from: 1.1.2026", "valid_from", "want a date"),
        ("valid_from: 2026-01-01 10:00:00", "valid_from", "want a date"),
        ("valid_to: 20260101", "valid_to", "want a date"),
        ("supersedes: PR-1@1", "supersedes", "want a list"),
        ("supersedes: ['1']", "supersedes", "DOCUMENT@REVISION"),
        ("supersedes: ['PR-1@']", "supersedes", "blank"),
        ("document: a@b", "document", "'@' and '#'"),
        ("revision: true", "revision", "put it in quotes"),
        ("applies_to: [line]", "applies_to", "want keys"),
        ("applies_to: {line: yes}", "applies_to", "put it in quotes"),
        ("applies_to: {line: [], line: ['2']}", "applies_to", "twice"),
        ("language: english please", "language", "language tag"),
        ("title: '" + "x" * 501 + "'", "title", "longer than"),
    ],
)
def test_a_wrong_field_rejects_the_document(line, field, error):
    """Each fault names its line and its field, and says what it has to be."""
    [found] = faults(f"# first\n{line}\n", first_line=2)
    assert (3, field) == found[:2]
    assert error in found[2]


def test_every_fault_is_told_at_once():
    """Two wrong fields are two faults."""
    assert [(1, "status"), (2, "labels")] == [found[:2] for found in faults("status: x\nlabels: y")]


def test_a_field_given_twice():
    """The second of two is a fault, whichever of them is right."""
    assert [(2, "labels", "is given twice: keep one")] == faults("labels: [a]\nlabels: [b]")


def test_an_end_before_the_start():
    """`valid_to` before `valid_from` is told at `valid_to`."""
    [found] = faults("valid_to: 2026-01-01\nvalid_from: 2026-07-01")
    assert (1, "valid_to", "2026-01-01 is before valid_from 2026-07-01") == found


@pytest.mark.parametrize(
    ("text", "line", "error"),
    [
        ("title: [a\nlabels: b", 2, "no YAML"),
        ("a: b: c", 1, "no YAML"),
        ("title: 'open", 1, "no YAML"),
        ("\ttitle: x", 1, "no YAML"),
        ("just words", 1, "want fields"),
        ("- labels", 1, "want fields"),
        ("title: \x07", 1, "no YAML"),
        ("title: &a x\nlabels: *a", 1, "anchors and aliases"),
        ("title: " + "[" * 2000, 1, "nested too deeply"),
        ("title: " + "x" * 70_000, 1, "more than 65536 characters"),
        ("---\na: b\n--- \nc: d", 3, "no YAML"),
    ],
)
def test_what_is_no_front_matter(text, line, error):
    """Broken, nested, aliased and oversized YAML is a fault with a line, without being built."""
    [found] = faults(text)
    assert (line, None) == found[:2]
    assert error in found[2]


def test_front_matter_is_divided_from_the_text():
    """It opens on the first line and closes with the next ---; a text without it is left as it is."""
    assert ("a: b", "text", 3) == divide("---\na: b\n---\ntext", "f.md")
    assert ("", "text", 2) == divide("---\n---\ntext", "f.md")
    assert (None, "# T\n---\n", 0) == divide("# T\n---\n", "f.md")
    with pytest.raises(InvalidInput, match=r"f\.md:1: front matter is opened by --- and never closed"):
        divide("---\nlabels: [staff]\n", "f.md")


def test_one_statement_fills_another():
    """What is said stays; what is not is taken over; an empty list of labels is said."""
    first = Stated(labels=frozenset(), title="A")
    assert Stated(labels=frozenset(), title="A", status="draft") == first.filled(
        Stated(labels=frozenset({"staff"}), status="draft")
    )


def test_arguments_are_checked_like_fields():
    """Labels from a command line pass the same checks."""
    assert Stated(labels=frozenset({"staff"})) == stated(labels=["staff"], collection=None)
    with pytest.raises(InvalidInput, match=r"labels: .*no wildcards"):
        stated(labels=["*"])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("--- \nlabels: [hr]\n---\nx", 1),
        ("\n---\nlabels: [hr]\n---\nx", 2),
        (" ---\ntitle: T\nlabels: [hr]\n---\nx", 1),
        ("\ufeff---\nlabels: [hr]\n---\nx", 1),
        ("\u200b\n---\nlabels: [hr]\n---\nx", 2),
        ("--- # ours\nlabels: [hr]\n---\nx", 1),
        ('+++\nlabels = ["hr"]\n+++\nx', 1),
        ("----\nlabels: [hr]\n----\nx", 1),
    ],
)
def test_front_matter_that_would_not_be_read(text, line):
    """What was meant to say who may read is not taken for text: the document would be open to whom the rest names."""
    with pytest.raises(InvalidInput) as caught:
        divide(text, "f.md")
    assert [(line, "front matter is read between two lines of --- alone, from the first line on: write it so")] == [
        (fault.line, fault.error) for fault in caught.value.faults
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "\n---\nText.\n---\n",
        "--- \n\nlabelled: no\n",
        "-----\nx",
        "+++\nx\n+++\nlabels: a",
        "# H\n---\nlabels: a",
    ],
)
def test_a_rule_above_a_text_is_text(text):
    """Lines of dashes that are followed by no field are what they look like."""
    assert (None, text, 0) == divide(text, "f.md")
