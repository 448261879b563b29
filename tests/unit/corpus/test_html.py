"""HTML as a person sees it."""

import time
import unicodedata

import pytest
from hidden_pages import DOUBTFUL, HIDDEN, SEEN
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.corpus.html_file import read_html
from remit.errors import InvalidInput


def page(body, head=""):
    """Return a page."""
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def test_headings_make_sections_and_blocks_stay_apart(shown):
    """Paragraphs, lists with their lead-in, terms and code each become blocks under their headings."""
    found = shown(
        "a.html",
        page(
            "<h1>Pump</h1>Loose words.<h2>Seal</h2><p>Steps:</p><ul><li>One.<li>Two.</ul><dl><dt>Bar<dd>unit</dl><pre>a\n  b</pre>"
        ),
    )
    assert "Pump" == found.title
    assert (("Pump",), "Loose words.") == found.sections[0]
    assert ["Loose words.", "Steps:", "One.", "Two.", "Bar: unit", "a", "b"] == found.sentences
    assert ("Pump", "Seal") == found.sections[1][0]


def test_the_title_without_a_first_heading(shown):
    """A page without `h1` has the title that its tab shows, and the language it names."""
    found = shown("a.html", "<html lang=de><title> Die  Pumpe </title><p>Text.")
    assert ("Die Pumpe", "de") == (found.title, found.reading.language)


def test_rows_repeat_their_header(shown):
    """Each row says what its cells are; spans are repeated, keys beside values are pairs."""
    table = (
        "<table><thead><tr><th>Pump<th colspan=2>Torque</thead><tr><td>P-1<td>45<td>50</table>"
        "<table><tr><th>Oil<td>VG 220<tr><th>Litres<td>9</table>"
    )
    assert ["Pump: P-1; Torque: 45; Torque: 50.", "Oil: VG 220.", "Litres: 9."] == shown(
        "a.html", page(table)
    ).sentences


def test_a_table_for_layout_is_no_table(shown):
    """A table that holds another, or one row, only places text."""
    table = "<table><tr><td><p>Left.</p><td><table><tr><td>A<td>B<tr><td>1<td>2</table></table>"
    assert ["Left.", "A: 1; B: 2."] == shown("a.html", page(table)).sentences


@pytest.mark.parametrize("way", sorted(HIDDEN))
def test_hidden_text_is_left_out_and_told(shown, way):
    """Whichever way text is hidden, it is not stored, and a warning says that something was."""
    body, head = HIDDEN[way]
    found = shown("a.html", page(f"<p>Seen.</p>\n{body}", head))
    assert "SECRET" not in found.reading.text
    assert "Seen." in found.sentences
    assert any("left out" in error for _, error in found.told)


@pytest.mark.parametrize("way", sorted(SEEN))
def test_text_that_is_seen_stays(shown, way):
    """Styles that only look like hiding hide nothing."""
    body, head = SEEN[way]
    found = shown("a.html", page(body, head))
    assert "SHOWN" in found.reading.text
    assert [] == found.told


@pytest.mark.parametrize("way", sorted(DOUBTFUL))
def test_text_that_may_be_hidden_stays_and_is_told(shown, way):
    """Where only a browser could tell, the text is kept, and a warning names the declaration that is not read."""
    body, head = DOUBTFUL[way]
    found = shown("a.html", page(body, head))
    assert "DOUBTED" in found.reading.text
    assert any("not read" in error for _, error in found.told)


def test_hidden_text_is_told_with_its_line(shown):
    """The warning names the line of the element."""
    assert [(3, "hidden text is left out (display: none)")] == shown(
        "a.html", "<p>Seen.\n\n<p style='display:none'>x</p>"
    ).told


def test_scripts_menus_and_comments_are_no_text(shown):
    """Code, templates, navigation and controls are left out; of comments it is said that there were some."""
    found = shown(
        "a.html",
        page("<nav>Home</nav><script>var x</script><template>t</template><button>Go</button><!-- note --><p>Seen.</p>"),
    )
    assert "Seen." == found.reading.text
    assert [(None, "1 comment that readers do not see left out")] == found.told


def test_access_data_in_the_head(shown):
    """`remit:` fields are read as front matter is."""
    head = '<meta name="remit:labels" content="[staff, hr]"><meta name="remit:valid_from" content="2026-01-01">'
    stated = shown("a.html", page("<p>x</p>", head)).reading.stated
    assert (frozenset({"staff", "hr"}), "2026-01-01") == (stated.labels, str(stated.valid_from))


@pytest.mark.parametrize(
    ("head", "body", "field"),
    [
        ('<meta name="remit:labels" content="staff">', "", "labels"),
        ('<meta name="remit:lables" content="[staff]">', "", "lables"),
        ('<meta name="remit:labels" content="[a]"><meta name="remit:labels" content="[b]">', "", "labels"),
        ("", '<meta name="remit:labels" content="[public]">', None),
        ('<meta property="remit:labels" content="[hr]">', "", None),
        ('<meta name="remit.labels" content="[hr]">', "", None),
        ('<meta name="remit-labels" content="[hr]">', "", None),
    ],
)
def test_access_data_that_is_wrong_rejects_the_page(wrong, head, body, field):
    """A misspelt or doubled field, one that makes no sense, or one in the body: nothing of the page is stored."""
    assert field == wrong("a.html", page(body + "<p>x</p>", head))[0].field


def test_encodings(shown, wrong):
    """A page in another encoding is read where it names it, and else rejected with its line."""
    assert "für" in shown("a.html", '<meta charset="iso-8859-1"><p>für'.encode("latin-1")).sentences
    assert 2 == wrong("a.html", "<p>\nfür".encode("latin-1"))[0].line
    assert "für" in shown("a.html", "<p>für".encode("utf-16")).sentences
    assert "idna" in wrong("a.html", b'<meta charset="idna"><p>\xff')[0].error
    assert "klingon" in wrong("a.html", '<meta charset="klingon"><p>für'.encode("latin-1"))[0].error


@pytest.mark.parametrize(
    ("content", "error"),
    [("", "no HTML"), ("<p hidden>x</p>", "no text that can be seen"), ("<div>" * 5000 + "x", "nests too deeply")],
)
def test_pages_that_cannot_be_used(wrong, content, error):
    """An empty page, one without a visible word, and one that nests without end are each told."""
    assert error in wrong("a.html", content)[0].error


@pytest.mark.parametrize(
    "content",
    [
        "<div>" * 200_000,
        "<p class='a b'>" * 100_000,
        "<b><i>" * 100_000,
        "<style>" + "".join(f"a b c .x{n} {{display:none}}" for n in range(20_000)) + "</style><p>x",
        "<style>" + "* {color:red}" * 4_000 + "</style>" + "<p>x" * 5_000,
        "<table>" * 1500 + "<tr><td>x",
        "<style>p {transform:" + "a" * 100_000 + "; clip-path:" + "a(" * 50_000 + "}</style>" + "<p>x" * 5_000,
        "<style>p {left:calc" + "(" * 100_000 + "; mask:" + "rgb(1" * 50_000 + "}</style>" + "<p>x" * 5_000,
    ],
)
def test_hostile_pages_end_soon(content):
    """Pages made to exhaust a reader are read or refused in seconds."""
    began = time.process_time()
    try:
        read_html(content.encode(), "a.html")
    except InvalidInput as error:
        assert error.faults  # noqa: PT017 - either end is fine, in time
    assert time.process_time() - began < 20


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("<>/=\"' -!pdivbrtlh1é\u0301\u202ea;:{}#&\n"), max_size=200))
def test_any_text_gives_exact_passages(text):
    """Whatever the source, the stored text is NFC and each block is inside it, in order."""
    try:
        composed = read_html(text.encode(), "a.html")
    except InvalidInput:
        return
    assert unicodedata.is_normalized("NFC", composed.text)
    ends = [0]
    for block in composed.outline.blocks:
        assert ends[-1] <= block.start <= block.body < block.end <= len(composed.text)
        assert composed.text[block.start : block.end].strip()
        ends.append(block.end)


@pytest.mark.parametrize(
    "style",
    [
        ".x:is(.y) { display: none }",
        "p:nth-of-type(2), .x:not(.a, .b) { visibility: hidden }",
        "a + .x { opacity: 0 }",
        "@supports (display: grid) { .x { display: none } }",
        "@media (min-width: 1px) { .x { font-size: 0 } }",
    ],
)
def test_a_rule_that_hides_and_is_not_read_is_told(style):
    """What it hides is left in, so whoever ingests the page hears of it, with the rule."""
    told = [
        one.error for one in read_html(page("<p class=x>Text.", f"<style>{style}</style>").encode(), "a.html").warnings
    ]
    assert any("what a style rule hides is not left out" in one for one in told), told


@pytest.mark.parametrize(
    "style",
    [
        "a:hover { display: none }",
        "p::before { opacity: 0 }",
        "@media print { p { display: none } }",
        "@keyframes in { 0% { opacity: 0 } }",
        ".x:is(.y) { color: red }",
        "@layer a { .z { display: none } }",
    ],
)
def test_a_rule_about_no_text_of_the_screen_is_not_told(style):
    """States, parts, print and animations hide nothing of the page as it is opened."""
    assert () == read_html(page("<p class=x>Text.", f"<style>{style}</style>").encode(), "a.html").warnings
