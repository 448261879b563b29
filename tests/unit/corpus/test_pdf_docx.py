"""PDF and Word files as they are seen."""

import io
import zipfile

import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from office import line, pdf, repacked, word


def test_pages_headings_and_words_that_were_divided(shown):
    """Sections are headings by size and the page; a divided word is whole, a code keeps its hyphen."""
    first = (
        line("Limits", 780, size=16) + line("It must not be ex-", 750) + line("ceeded. See P-", 738) + line("101.", 726)
    )
    found = shown("a.pdf", pdf(first, line("On page two.", 750), title="Pump sheet"))
    assert "Pump sheet" == found.title
    assert [
        (("Limits", "page 1"), "It must not be exceeded. See P-101."),
        (("Limits", "page 2"), "On page two."),
    ] == found.sections


def test_lists_in_a_pdf(shown):
    """A gap or a list sign begins a block; the sign is no part of the sentence."""
    found = shown(
        "a.pdf", pdf(line("Bring:", 750) + line("- gloves", 738) + line("1. a lamp", 726) + line("Apart.", 600))
    )
    assert ["Bring:", "gloves", "a lamp", "Apart."] == found.sentences


def test_what_stands_on_every_page_is_left_out(shown):
    """Running headers and footers are no text of the page, and are told."""
    pages = [line("Works manual", 820) + line(f"Text {n} here.", 700) + line(f"page {n} of 3", 30) for n in (1, 2, 3)]
    found = shown("a.pdf", pdf(*pages))
    assert ["Text 1 here.", "Text 2 here.", "Text 3 here."] == found.sentences
    assert "edge of most pages" in found.told[0][1]


BOX = "1 1 1 rg 60 490 300 30 re f\n"


@pytest.mark.parametrize(
    ("stream", "why"),
    [
        (line("SECRET", 700, before="3 Tr"), "render mode 3"),
        (line("SECRET", 700, before="1 1 1 rg"), "colour of the page"),
        (line("SECRET", 700, before="0.97 g"), "colour of the page"),
        ("0 0 0 rg 60 690 300 30 re f\n" + line("SECRET", 700), "colour of the page"),
        (line("SECRET", 700, size=0.9), "too small"),
        (line("SECRET", 900), "outside the page"),
        (line("SECRET", 500) + BOX, "covered"),
    ],
)
def test_hidden_text_of_a_pdf_is_left_out_and_told(shown, stream, why):
    """Whichever way text is hidden, it is not stored; page and reason are told."""
    found = shown("a.pdf", pdf(line("Seen.", 750) + stream))
    assert ["Seen."] == found.sentences
    [(_, told)] = found.told
    assert "page 1: 6 hidden characters" in told
    assert why in told


OFF = "/OCProperties << /OCGs [5 0 R 6 0 R] /D << /OFF [5 0 R] /Order [5 0 R 6 0 R] >> >>"
ALL_OFF = "/OCProperties << /OCGs [5 0 R 6 0 R] /D << /BaseState /OFF /ON [6 0 R] >> >>"
LAYERS = (
    "<< /Type /OCG /Name (Off \\(old\\)) >>",
    "<< /Type /OCG /Name <FEFF004F006E> >>",
    "<< /Type /OCMD /OCGs [5 0 R] >>",
)


@pytest.mark.parametrize("catalogue", [OFF, ALL_OFF])
@pytest.mark.parametrize("layer", ["L5", "L7"])
def test_a_layer_that_is_switched_off_is_left_out_and_told(shown, catalogue, layer):
    """Text on a layer that a viewer opens switched off is not stored; that on one that is on stays."""
    stream = line("Seen.", 750) + f"/OC /{layer} BDC\n{line('SECRET', 700)}EMC\n/OC /L6 BDC\n{line('Shown.', 650)}EMC\n"
    found = shown("a.pdf", pdf(stream, layers=LAYERS, catalogue=catalogue))
    assert ["Seen.", "Shown."] == found.sentences
    [(_, told)] = found.told
    assert "page 1: 6 hidden characters are left out (a layer that is switched off)" == told


def test_layers_that_are_all_on_hide_nothing(shown):
    """Without a switched-off layer, all text on layers is seen."""
    catalogue = "/OCProperties << /OCGs [5 0 R 6 0 R] /D << /ON [5 0 R 6 0 R] >> >>"
    stream = "".join(f"/OC /L{n} BDC\n{line(f'Text {n}.', 800 - 20 * n)}EMC\n" for n in (5, 6, 7))
    found = shown("a.pdf", pdf(stream, layers=LAYERS, catalogue=catalogue))
    assert (["Text 5.", "Text 6.", "Text 7."], []) == (found.sentences, found.told)


def test_what_is_shown_counts_not_what_stands_in_for_it(shown):
    """A replacement text never becomes text of the page; where it says something else, that is told."""
    evil = "/Span << /ActualText (Pay SECRET now) >> BDC\n" + line("Torque is 45.", 700) + "EMC\n"
    same = "/Span << /ActualText (Seen.) >> BDC\n" + line("Seen.", 750) + "EMC\n"
    found = shown("a.pdf", pdf(same + evil))
    assert ["Seen.", "Torque is 45."] == found.sentences
    [(_, told)] = found.told
    assert "page 1: 12 hidden characters are left out (a replacement text that says something else)" == told


def test_white_on_a_dark_bar_is_seen(shown):
    """White text on a filled bar stays."""
    bar = "0 0 0.4 rg 60 690 300 30 re f\n" + line("Warning sign.", 700, before="1 1 1 rg")
    found = shown("a.pdf", pdf(line("Seen.", 750) + bar))
    assert (["Seen.", "Warning sign."], []) == (found.sentences, found.told)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "is no PDF"),
        (b"%PDF-1.4 and no more", "is no PDF"),
        (pdf(""), "no text that can be seen"),
        (pdf(line("x", 700, before="3 Tr")), "render mode 3"),
        (pdf(line("Some text", 700))[:200], "is no PDF"),
    ],
)
def test_pdfs_that_cannot_be_used(wrong, content, error):
    """What is no PDF, or shows no text, is told."""
    assert error in wrong("a.pdf", content)[0].error


def test_word_headings_lists_and_tables(shown):
    """Word's own styles make title, sections, lists and rows with their header."""

    def fill(opened):
        opened.add_heading("Valve course", 0)
        opened.add_heading("Scope", 1)
        opened.add_paragraph("Bring:")
        opened.add_paragraph("gloves", style="List Bullet")
        table = opened.add_table(rows=2, cols=2)
        for at, text in enumerate(["Valve", "Bar", "PSV-1", "16"]):
            table.cell(at // 2, at % 2).text = text

    found = shown("a.docx", word(fill, language="de-DE"))
    assert ("Valve course", "de-DE") == (found.title, found.reading.language)
    assert ["Bring:", "gloves", "Valve: PSV-1; Bar: 16."] == found.sentences
    assert ("Valve course", "Scope") == found.sections[0][0]


def test_word_takes_insertions_and_leaves_deletions(shown):
    """Tracked changes read as accepted; text inside content controls is read."""

    def fill(opened):
        paragraph = opened.add_paragraph("Torque is ")
        for tag, text in (("w:ins", "45"), ("w:del", "99")):
            change = OxmlElement(tag)
            run = opened.add_paragraph(text).runs[0]._r
            change.append(run)
            paragraph._p.append(change)
        control, content = OxmlElement("w:sdt"), OxmlElement("w:sdtContent")
        content.append(opened.add_paragraph("In a control.")._p)
        control.append(content)
        opened.element.body.insert(1, control)

    assert ["Torque is 45", "In a control."] == shown("a.docx", word(fill)).sentences


def hidden(run):
    """Mark a run as hidden."""
    run.font.hidden = True


def white(run):
    """Make a run white."""
    run.font.color.rgb = RGBColor(255, 255, 255)


def tiny(run):
    """Make a run tiny."""
    run.font.size = Pt(1)


def styled(run):
    """Give a run a hidden style."""
    style = run.part.document.styles.add_style("Ghost", WD_STYLE_TYPE.CHARACTER)
    style.font.hidden = True
    run.style = style


@pytest.mark.parametrize(
    ("way", "why"),
    [(hidden, "marked as hidden"), (styled, "marked as hidden"), (white, "colour of the page"), (tiny, "too small")],
)
def test_hidden_text_of_a_word_file_is_left_out_and_told(shown, way, why):
    """Hidden, white and tiny runs are not stored; paragraph and reason are told."""

    def fill(opened):
        way(opened.add_paragraph("Seen.").add_run("SECRET"))

    found = shown("a.docx", word(fill))
    assert ["Seen."] == found.sentences
    [(_, told)] = found.told
    assert "paragraph 1: 6 hidden characters" in told
    assert why in told


def marked(row):
    """Mark a table row as hidden."""
    row._tr.get_or_add_trPr().append(OxmlElement("w:hidden"))


def removed(row):
    """Mark a table row as deleted."""
    row._tr.get_or_add_trPr().append(OxmlElement("w:del"))


def flat(row):
    """Give a table row no height."""
    height = OxmlElement("w:trHeight")
    height.set(qn("w:val"), "1")
    height.set(qn("w:hRule"), "exact")
    row._tr.get_or_add_trPr().append(height)


@pytest.mark.parametrize(
    ("way", "why"), [(marked, "row marked as hidden"), (removed, "row that was deleted"), (flat, "row of no height")]
)
def test_a_hidden_row_of_a_word_table_is_left_out_and_told(shown, way, why):
    """A row that Word does not show is not stored, and its place and reason are told."""

    def fill(opened):
        table = opened.add_table(rows=3, cols=2)
        for cell, words in zip(table._cells, ("Pump", "Torque", "P-1", "45", "P-2", "SECRET"), strict=True):
            cell.text = words
        way(table.rows[2])

    found = shown("a.docx", word(fill))
    assert ["Pump: P-1; Torque: 45."] == found.sentences
    assert any(why in told and "in a table" in told for _, told in found.told)


def test_white_on_shading_is_seen(shown):
    """White text on a dark cell stays."""

    def fill(opened):
        table = opened.add_table(rows=2, cols=2)
        for cell in table._cells:
            white(cell.paragraphs[0].add_run("Word"))
            shade = OxmlElement("w:shd")
            shade.set(qn("w:fill"), "1F3864")
            cell._tc.get_or_add_tcPr().append(shade)

    assert ["Word: Word; Word: Word."] == shown("a.docx", word(fill)).sentences


def bomb():
    """Return an archive that unpacks to far more than it is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", bytes(201_000_000))
    return out.getvalue()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: b"", "is no DOCX"),
        (lambda: b"PK\x03\x04junk", "is no DOCX"),
        (lambda: word(lambda _: None)[:900], "is no DOCX"),
        (bomb, "unpacks to more than 200 MB"),
        (lambda: word(lambda _: None), "no text that can be seen"),
    ],
)
def test_word_files_that_cannot_be_used(wrong, make, error):
    """What is no DOCX, is empty, or is a bomb, is told."""
    assert error in wrong("a.docx", make())[0].error


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("_rels/.rels", b"<Relationship ", b"<Other "),
        ("_rels/.rels", b"http://schemas.openxmlformats.org/package/2006/relationships", b"x"),
        ("[Content_Types].xml", b"application/vnd", b"x/y"),
        ("[Content_Types].xml", b"core-properties+xml", b"other+xml"),
        ("word/document.xml", b"w:body", b"w:other"),
        ("word/document.xml", b"w:document", b"w:other"),
        ("word/document.xml", b"</w:p>", b""),
        ("docProps/core.xml", b"cp:coreProperties", b"cp:other"),
    ],
)
def test_a_word_file_whose_parts_are_not_what_they_should_be(wrong, part, old, new):
    """Whatever the library stumbles over, the file is rejected with a clear error."""
    content = word(lambda opened: opened.add_paragraph("Text."), title="T")
    assert "damaged" in wrong("a.docx", repacked(content, part, old, new))[0].error


def test_a_word_file_cut_or_changed_anywhere(wrong):
    """A packed stream that does not unpack is damage like any other."""
    content = bytearray(word(lambda opened: opened.add_paragraph("Text."), title="T"))
    at = content.index(b"word/document.xml") + 60
    content[at : at + 40] = bytes(40)
    assert "damaged" in wrong("a.docx", bytes(content))[0].error
    assert "damaged" in wrong("a.docx", bytes(content[: len(content) // 2]))[0].error
