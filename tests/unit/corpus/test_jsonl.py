"""JSON Lines: our own names, BEIR and FlashRAG."""

import json

import pytest

from remit.corpus.readers import read_each
from remit.errors import InvalidInput


@pytest.fixture
def lines(tmp_path):
    """Return what reads lines given as values or texts."""

    def read(*values, limit=20, sidecar=None):
        path = tmp_path / "a.jsonl"
        path.write_text("\n".join(v if isinstance(v, str) else json.dumps(v) for v in values), encoding="utf-8")
        if sidecar is not None:
            (tmp_path / "a.jsonl.meta.yaml").write_text(sidecar)
        return list(read_each(path, "a.jsonl", limit))

    return read


def test_our_own_lines(lines):
    """Each line is a document under the names of front matter; its text is Markdown; blank lines are skipped."""
    said = {
        "document": "A",
        "revision": "2",
        "labels": ["staff"],
        "valid_from": "2026-01-01",
        "text": "# T\n\nOne.<!-- x -->",
    }
    first, second = lines(said, "", {"document": "B", "text": "Two."})
    assert ("A", "2", frozenset({"staff"}), "# T\n\nOne.") == (
        first.stated.document,
        first.stated.revision,
        first.stated.labels,
        first.text,
    )
    assert (1, 3, "markdown") == (first.line, second.line, second.layout)
    assert [(1, "a comment that readers do not see is left out")] == [(w.line, w.error) for w in first.warnings]


def test_beir_and_flashrag_as_they_are(lines):
    """Ids, titles and texts are taken; what we do not know is passed over; ours count, in `metadata` too."""
    beir, flash, plain = lines(
        {"_id": "MED#1", "title": "Bolts", "text": "One.", "metadata": {"url": "x", "labels": ["hr"]}},
        {"id": 7, "contents": '"Bolts"\nTwo.\nThree.'},
        {"id": "8", "contents": "No title.", "extra": 1},
    )
    assert ("MED-1", "Bolts", "One.", frozenset({"hr"})) == (
        beir.stated.document,
        beir.stated.title,
        beir.text,
        beir.stated.labels,
    )
    assert ("7", "Bolts", "Two.\nThree.") == (flash.stated.document, flash.stated.title, flash.text)
    assert ("8", None, "No title.") == (plain.stated.document, plain.stated.title, plain.text)


@pytest.mark.parametrize(
    ("line", "field", "error"),
    [
        ("{", None, "is no JSON from its column 2 on: Expecting"),
        ('{"document": "A" "text": "x"}', None, "is no JSON from its column 18 on: Expecting ',' delimiter"),
        ({"document": "A", "text": "x", "labels": ["board, staff"]}, "labels", "holds a comma"),
        ("[" * 100_000, None, "is no JSON"),
        ("[1]", None, "want an object"),
        ('{"document": "A", "document": "B", "text": "x"}', None, "stands in it twice"),
        ({"document": "A", "text": "x", "lables": ["hr"]}, "lables", "unknown field"),
        ({"document": "A", "text": "x", "labels": "hr"}, "labels", "want a list"),
        ({"document": "A", "text": "x", "labels": None}, "labels", "want a list"),
        ({"document": "A", "text": "x", "revision": 2}, "revision", "want one text"),
        ({"_id": "A", "text": "x", "metadata": {"labels": ["*"]}}, "labels", "no wildcards"),
        ({"_id": "A", "text": "x", "Labels": ["hr"]}, "Labels", "want it as labels"),
        ({"_id": "A", "text": "x", "metadata": {" labels": ["hr"]}}, " labels", "want it as labels"),
        ({"_id": None, "text": "x"}, "document", "want one text"),
        ({"text": "x"}, "document", "is missing"),
        ({"document": "A", "text": " "}, "text", "is missing, blank"),
        ({"document": "A", "text": "a \ud800 b"}, "text", "half a surrogate pair"),
        ({"document": "A", "text": 1}, "text", "is missing, blank"),
        ({"document": "A", "text": "x", "valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "valid_to", "is before"),
        ({"document": "A", "text": "x" * 1_000_001}, None, "is longer than 1 MB"),
    ],
)
def test_a_wrong_line_is_told_and_the_others_are_read(lines, line, field, error):
    """Whatever is wrong with a line, its number and field are told, and the lines around it are documents."""
    before, wrong, after = lines({"document": "X", "text": "x"}, line, {"document": "Y", "text": "y"}, limit=1)
    assert ("X", "Y") == (before.stated.document, after.stated.document)
    assert isinstance(wrong, InvalidInput)
    assert (2, field) == (wrong.faults[0].line, wrong.faults[0].field)
    assert error in wrong.faults[0].error


def test_a_sidecar_fills_what_lines_leave_out(lines):
    """Labels of the sidecar hold for lines without; what only one document can have is refused there."""
    first, second = lines(
        {"document": "A", "text": "x"}, {"document": "B", "text": "x", "labels": ["hr"]}, sidecar="labels: [staff]"
    )
    assert (frozenset({"staff"}), frozenset({"hr"})) == (first.stated.labels, second.stated.labels)
    with pytest.raises(InvalidInput, match="each line has its own"):
        lines({"document": "A", "text": "x"}, sidecar="document: A")


def test_a_file_without_lines(lines):
    """An empty file is told."""
    with pytest.raises(InvalidInput, match="holds no lines"):
        lines("")
