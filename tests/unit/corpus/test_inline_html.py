"""HTML inside Markdown, as its readers see it."""

import time

import pytest
from hidden_pages import DOUBTFUL, HIDDEN, SEEN
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.corpus.markdown import stored_markdown


def markdown(body, head=""):
    """Return a text with HTML in it."""
    return f"# Title\n\n{head}\n\nSeen *before*.\n\n{body}\n\nSeen after."


@pytest.mark.parametrize("way", sorted(HIDDEN))
def test_hidden_text_is_left_out_and_told(way):
    """Whatever hides text on a page hides it in Markdown: it is not stored, a warning says so, and the rest stays."""
    text, _, told = stored_markdown(markdown(*HIDDEN[way]))
    assert "SECRET" not in text
    assert "Seen *before*." in text
    assert text.endswith("Seen after.")
    assert any("hidden text is left out" in what for _, what in told)


@pytest.mark.parametrize("way", sorted(SEEN))
def test_text_that_is_seen_stays(way):
    """Styles that only look like hiding hide nothing, and nothing is told."""
    text, _, told = stored_markdown(markdown(*SEEN[way]))
    assert "SHOWN" in text
    assert () == tuple(what for _, what in told if "<style>" not in what)


@pytest.mark.parametrize("way", sorted(DOUBTFUL))
def test_text_that_may_be_hidden_stays_and_is_told(way):
    """Where only a browser could tell, the text is kept and told."""
    text, _, told = stored_markdown(markdown(*DOUBTFUL[way]))
    assert "DOUBTED" in text
    assert any("not read" in what for _, what in told)


def test_it_is_told_with_its_line_and_lines_stay_in_place():
    """The warning names the line where hidden text begins; what follows stands in the lines where it stood."""
    text, _, told = stored_markdown("a\n<div hidden>\n\nx\ny\n\n</div>\nb <b style='opacity:0'>z</b> c")
    assert "a\n\n\n\n\n\n\nb  c" == text
    assert ((4, "hidden text is left out (the hidden attribute)"), (8, "hidden text is left out (opacity 0)")) == told


@pytest.mark.parametrize(
    "text",
    [
        "Write `<p hidden>x</p>` for it.",
        "Two ``a ` <p hidden>`` and text.",
        "```html\n<p hidden>x</p>\n```\ntext",
        r"No tag: \<p hidden> text",
        "A `code\nspan <p hidden>` over lines.",
        "Less <p style and no end",
        "<p>One\n\n<p>Two <b>three",
        "Map<String, style=List<T>> of <hidden@example.org>",
    ],
)
def test_what_is_no_element_stays(text):
    """Code, escaped signs, addresses and half tags are text."""
    assert (text, ()) == (stored_markdown(text).text, stored_markdown(text).told)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("<p hidden>x\n\ny", "\n\ny"),
        ("a <span hidden>x\n\ny", "a \n\ny"),
        ("<div hidden>x\n\ny", "\n\n"),
        ("<ul><li hidden>x<li>y</ul>", "<ul><li>y</ul>"),
        ("<font color=white>x\n\ny</font> z", "\n\n z"),
        (
            "<div style='visibility:hidden'>x<b style='visibility:visible'>y</b></div>",
            "<b style='visibility:visible'>y</b>",
        ),
        ("a<script>x</script>b", "ab"),
        ("<div hidden>\n\n```\nx\n```\n</div>y", "\n\n\n\n\ny"),
    ],
)
def test_where_elements_end(text, stored):
    """Paragraphs end at a blank line, list items at the next one, others with their tag, or never: as in a browser."""
    assert stored == stored_markdown(text).text


def test_a_script_without_an_end_is_told():
    """What follows it may not be seen, and is kept."""
    text, _, told = stored_markdown("a <script> b")
    assert ("a <script> b", 1) == (text, len(told))


@pytest.mark.parametrize(
    "text",
    [
        "<div hidden" * 50_000,
        "<p hidden>" * 100_000,
        "<a style='" * 50_000,
        "<style>" * 50_000 + "<p hidden>",
        "`" * 100_000 + "<p hidden>",
        "` " * 100_000 + "<p hidden>",
        "<b hidden>x</b>" * 20_000,
        "<script>" * 100_000,
        "<x1 hidden>" * 300,
    ],
)
def test_hostile_texts_end_soon(text):
    """Texts made to exhaust a reader are read or refused in seconds."""
    began = time.process_time()
    try:
        stored_markdown(text)
    except ValueError as error:
        assert "close them" in str(error)  # noqa: PT017 - either end is fine, in time
    assert time.process_time() - began < 20


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("<>/=\"'` -!\\pdivbhidenstylo:;{}#.&\n\x00"), max_size=200))
def test_any_text_keeps_its_lines(text):
    """Whatever the source, lines stay in their places."""
    tail = "<p hidden>x</p>"
    assert (text + tail).count("\n") == stored_markdown(text + tail).text.count("\n") or "|" in text
