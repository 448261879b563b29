"""Text to passages."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.corpus.markdown import stored_markdown
from remit.corpus.split import PASSAGE_WORDS, TABLE_WORDS, split, to_passages, words


def parts(text, layout="markdown", rows=frozenset()):
    """Return section and text of each passage."""
    return [(piece.section, text[piece.start : piece.end]) for piece in split(text, layout, rows).pieces]


def quotes(text, layout="markdown", rows=frozenset()):
    """Return the sentences of all passages."""
    return [text[s.start : s.end] for piece in split(text, layout, rows).pieces for s in piece.sentences]


def test_headings_make_the_path():
    """Each passage lies under its headings; text before the first has none; the first H1 is the title."""
    text = "Before.\n\n# Pump\n\nIntro.\n\n## Seal\n\nChange it.\n\n### Tools\n\nA spanner.\n\n## Oil\n\nTop up."
    assert [
        ((), "Before."),
        (("Pump",), "Intro."),
        (("Pump", "Seal"), "Change it."),
        (("Pump", "Seal", "Tools"), "A spanner."),
        (("Pump", "Oil"), "Top up."),
    ] == parts(text)
    assert split(text, "markdown").title == "Pump"


def test_underlined_headings_count():
    """A line underlined by === or --- is a heading."""
    assert [(("Pump", "Seal"), "Change it.")] == parts("Pump\n====\n\nSeal\n----\n\nChange it.")


def test_a_fence_hides_headings():
    """In code, a # is no heading; each line is quoted by itself."""
    text = "# Pump\n\n```sh\n# not a heading\nrun --now\n```\n\nAfter."
    assert [("Pump",)] == [section for section, _ in parts(text)]
    assert ["# not a heading", "run --now", "After."] == quotes(text)


def test_list_items_are_sentences_and_stay_with_their_lead_in():
    """Markers are no part of a sentence; the lead-in and its list are one passage."""
    text = "Do this:\n\n1. Close the valve.\n2. Wait 3.5 minutes. Then look.\n   Then leave.\n- [ ] Sign."
    assert ["Do this:", "Close the valve.", "Wait 3.5 minutes.", "Then look.", "Then leave.", "Sign."] == quotes(text)
    assert 1 == len(parts(text))
    filler = "Word " * 150 + "end."
    long = f"{filler}\n\nDo this:\n\n" + "\n".join(
        f"{n}. Turn bolt {n} by a quarter and look at the gauge." for n in range(1, 9)
    )
    assert [False, True] == ["Do this:" in passage for _, passage in parts(long)]


def test_quotes_and_rules():
    """Quote signs are no part of a sentence; a rule is no text."""
    assert ["He wrote:", "Come.", "Now."] == quotes("He wrote:\n\n> Come.\n>\n> Now.\n\n---\n")


def test_passages_keep_to_their_length():
    """A long section is divided between sentences, none longer than the limit."""
    text = "# A\n\n" + " ".join(f"Sentence {n} has exactly six words." for n in range(200))
    found = parts(text)
    assert 7 == len(found)
    assert all(words(text, text.index(p), text.index(p) + len(p)) <= PASSAGE_WORDS for _, p in found)
    assert all(p.endswith("words.") for _, p in found)


def test_text_without_stops_is_cut_between_words():
    """A dump of words, or of CJK characters, is divided all the same."""
    assert [200, 200, 100] == [words(p, 0, len(p)) for _, p in parts("word " * 500)]
    assert [200, 200, 100] == [len(p) for _, p in parts("字" * 500)]
    assert 1 < len(parts("x" * 10_000))


def test_table_rows_are_sentences():
    """Rows of a table are passages of kind table, one sentence a row, never mixed with prose."""
    text = "# T\n\nBefore.\nPump: P-1; torque: 4 Nm.\nPump: P-2; torque: 5 Nm.\nAfter."
    found = split(text, "markdown", frozenset({3, 4}))
    assert ["prose", "table", "prose"] == [piece.kind for piece in found.pieces]
    assert ["Pump: P-1; torque: 4 Nm.", "Pump: P-2; torque: 5 Nm."] == quotes(text, rows=frozenset({3, 4}))[1:3]


def test_a_long_table_is_divided_between_rows():
    """No row is cut, and a passage of rows is shorter than one of prose."""
    text = "\n".join(f"Pump: P-{n}; torque: {n} Nm." for n in range(60))
    found = split(text, "rows").pieces
    assert len(found) > 1
    assert all(words(text, piece.start, piece.end) <= TABLE_WORDS for piece in found)
    assert text.split("\n") == quotes(text, "rows")


def test_plain_text_has_headings_too():
    """Capitals, numbers and short opening lines head the sections of plain text; dates and lists do not."""
    text = (
        "SHUTDOWN, MEETING 1\n22 September 2026\nPresent: planner\n\nDates\nThe shutdown begins on 8 March and lasts.\n\n"
        "2.1 Scope\nE-203 is opened.\n\n1 Apples\n2 Pears\n"
    )
    assert [
        (("SHUTDOWN, MEETING 1",), "22 September 2026\nPresent: planner"),
        (("SHUTDOWN, MEETING 1", "Dates"), "The shutdown begins on 8 March and lasts."),
        (("SHUTDOWN, MEETING 1", "Dates", "2.1 Scope"), "E-203 is opened.\n\n1 Apples\n2 Pears"),
    ] == parts(text, "plain")
    assert split(text, "plain").title == "SHUTDOWN, MEETING 1"


def test_wrapped_plain_text_is_joined_and_lists_of_lines_are_not():
    """A line that was full goes on in the next; a short line before a capital ends."""
    text = "a line of text that is wrapped because it is so\nFull of words. And it goes on here for a while\n\nTo: Ann\nFrom: Bob"
    assert [
        "a line of text that is wrapped because it is so\nFull of words.",
        "And it goes on here for a while",
        "To: Ann",
        "From: Bob",
    ] == quotes(text, "plain")


def test_passages_are_named_in_order():
    """A passage's id is document, revision and place."""
    text = "# A\n\nOne.\n\n## B\n\nTwo."
    named = to_passages("D", "2", text, split(text, "markdown").pieces)
    assert [("D@2#0", "One."), ("D@2#1", "Two.")] == [(p.id, p.text) for p in named]


@pytest.mark.parametrize(
    "line",
    [
        "#" + " " * 100_000 + "x",
        "# a" + " #" * 50_000 + " b",
        "# " + "[" * 100_000,
        "- " * 50_000 + "x",
        "." * 100_000,
        "'" * 100_000 + ".",
        "a|b\n" + " " * 100_000 + "x",
        "| " * 50_000 + "\n" + "-|" * 50_000,
        "<!--" * 25_000,
    ],
    ids=lambda line: line[:8],
)
def test_hostile_lines_take_time_in_proportion(line):
    """No line makes the reader try every way to read it: these take well under a second each, not minutes."""
    text, rows, _ = stored_markdown(line)
    began = time.process_time()
    split(text, "markdown", rows)
    split(line, "plain")
    assert time.process_time() - began < 10


lines = st.sampled_from(
    [
        "# A",
        "## B",
        "Word word. Next one!",
        "- item",
        "1. step",
        "> said",
        "```",
        "",
        "---",
        "word " * 30,
        "Lead:",
        "===",
        "字。字",
        "| a |",
    ]
)


@given(st.lists(lines, max_size=30), st.sampled_from(["markdown", "plain", "rows"]), st.sets(st.integers(0, 29)))
def test_offsets_are_exact(chosen, layout, rows):
    """Passages come in order, do not overlap, and hold their sentences, which do not overlap either."""
    text = "\n".join(chosen)
    place = 0
    for piece in split(text, layout, frozenset(rows) if layout == "markdown" else frozenset()).pieces:
        assert place <= piece.start < piece.end <= len(text)
        inside = piece.start
        assert piece.sentences
        for start, end in piece.sentences:
            assert inside <= start < end <= piece.end
            assert not text[start].isspace()
            inside = end
        place = piece.end
