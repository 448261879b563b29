"""Files that cannot be used, sent over HTTP: told with file, line and field, and nothing that was stored is lost."""

import base64
import io
import tempfile
import zipfile

import office
import pytest

pytestmark = pytest.mark.e2e

SAID = {"collection": "procedures", "labels": ["maintenance"], "status": "current"}
LINE = '{"document": "UP-1", "title": "Valve", "text": "The valve V-1 is opened by hand."}\n'
PDF = office.pdf(office.line("The valve V-1 is opened by hand.", 700))
WORD = office.word(lambda word: word.add_paragraph("The valve V-1 is opened by hand."))


def packed(**files):
    """Return a ZIP archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


BROKEN = {
    "a PDF that was cut": ("a.pdf", PDF[: len(PDF) // 2], None, "", "damaged"),
    "noise that calls itself PDF": ("a.pdf", b"%PDF-1.7\n\x00\xff<<>>" * 50, None, "", "no PDF"),
    "a PDF of nothing but a picture": ("a.pdf", office.pdf("0 0 100 100 re f"), None, "", "no text that can be seen"),
    "a Word file that was cut": ("a.docx", WORD[: len(WORD) // 2], None, "", "no DOCX"),
    "an archive that calls itself Word": ("a.docx", packed(x="y"), None, "", "no DOCX"),
    "a Word file that unpacks to gigabytes": (
        "a.docx",
        packed(**{f"word/{at}.xml": b"\0" * 60_000_000 for at in range(8)}),
        None,
        "",
        "",
    ),
    "a page in a charset there is none of": ("a.html", b"<p>x\n<meta charset=klingon><p>V\xff", 2, "", "klingon"),
    "a page that says nothing": ("a.html", b"<html><script>alert(1)</script></html>", None, "", "no text"),
    "a page with labels that are none": (
        "a.html",
        b'<html><head>\n<meta name="remit:labels" content="[7]">\n</head><body><p>V-1 is open.</p></body></html>',
        2,
        "labels",
        "",
    ),
    "a page nested too deeply": ("a.html", b"<div>" * 100_000 + b"V-1", 1, "", "nests too deeply"),
    "a table with a cell too many": ("a.csv", b"valve,by\nV-1,hand\nV-2,wheel,motor\n", 3, "", "3 cells under 2"),
    "a table that is not text": ("a.csv", b"valve,by\nV-1,h\x00nd\n", 2, "", "binary"),
    "a table of another encoding": (
        "a.csv",
        "valve,by\nV-1,hand\nV-2,Schl\u00fcssel\n".encode("latin-1"),
        3,
        "",
        "UTF-8",
    ),
    "a line that is no JSON": ("a.jsonl", f"{LINE}{{'document': 1}}\n".encode(), 2, "", "no JSON"),
    "a line with an unknown field": ("a.jsonl", (LINE + LINE.replace('"title"', '"titel"')).encode(), 2, "titel", ""),
    "a line without text": ("a.jsonl", f'{LINE}{{"document": "UP-2"}}\n'.encode(), 2, "text", "missing"),
    "a line that takes another one's place": (
        "a.jsonl",
        (LINE + LINE.replace("hand", "key")).encode(),
        2,
        "document",
        "",
    ),
    "a text with labels that are none": (
        "a.md",
        b"---\ntitle: V\nlabels: {a: 1}\n---\n\nV-1 is open.\n",
        3,
        "labels",
        "",
    ),
    "a text whose front matter stays open": ("a.md", b"---\ntitle: V\n\nV-1 is open.\n", 1, "", "never closed"),
    "a text of another encoding": ("a.txt", b"V-1 is open.\nV-2 is \xe4.\n", 2, "", "UTF-8"),
    "nothing": ("a.txt", b"", None, "", "no text"),
    "headings alone": ("a.md", b"# Valve\n\n## V-1\n", None, "", "no text under them"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_cannot_be_used_is_told_and_nothing_is_lost(service, kind):
    """A problem names the file, and its line and field where it has them; the store is as it was, and the service goes on."""
    name, content, line, field, word = BROKEN[kind]
    body = {**SAID, "name": name, "base64": base64.b64encode(content).decode()}
    with service.client(service.keys.mnt) as client:
        before = client.post("/v1/search", json={"query": "seal valve gate", "k": 50}).json()
        done = client.post("/v1/documents", json=body)
        told = done.json()
        assert (422, "application/problem+json") == (done.status_code, done.headers["content-type"]), told
        assert [(name, line, field)] == [(one["file"], one["line"], one["field"]) for one in told["errors"]], told
        assert word in told["errors"][0]["error"]
        assert tempfile.gettempdir() not in done.text
        assert before == client.post("/v1/search", json={"query": "seal valve gate", "k": 50}).json()
        assert 200 == client.get("/healthz").status_code


def test_every_fault_of_a_file_is_told(service):
    """A file with several faults is sent back once, with all of them."""
    text = LINE + "{\n" + '{"document": "UP-2"}\n' + '{"document": "UP-3", "text": "x", "status": "old"}\n'
    with service.client(service.keys.mnt) as client:
        told = client.post("/v1/documents", json={**SAID, "name": "a.jsonl", "text": text}).json()
    assert [(2, ""), (3, "text"), (4, "status")] == [(one["line"], one["field"]) for one in told["errors"]]


def test_a_file_is_stored_whole_or_not_at_all(service):
    """Where the last line clashes with what is stored, the lines before it are not stored either."""
    first = {**SAID, "name": "a.md", "document": "UP-9", "revision": "1", "text": "# Valve\n\nThe valve V-9 is open.\n"}
    lines = LINE + '{"document": "UP-9", "revision": "1", "text": "The valve V-9 is shut."}\n'
    with service.client(service.keys.mnt) as client:
        assert 200 == client.post("/v1/documents", json=first).status_code
        done = client.post("/v1/documents", json={**SAID, "name": "a.jsonl", "text": lines})
        assert (422, 2, "revision") == (
            done.status_code,
            done.json()["errors"][0]["line"],
            done.json()["errors"][0]["field"],
        )
        assert 404 == client.get("/v1/documents/UP-1").status_code
        assert "open" in client.get("/v1/documents/UP-9", params={"revision": "1"}).json()["text"]
        assert 1 == client.delete("/v1/documents/UP-9").json()["deleted"]


@pytest.mark.parametrize(("name", "content"), [("a.pdf", PDF), ("a.docx", WORD), ("a.jsonl", LINE.encode())])
def test_what_can_be_used_is_stored(service, name, content):
    """The same file in one piece is stored, and can be searched at once."""
    document = {} if name.endswith("jsonl") else {"document": "UP-1"}
    with service.client(service.keys.mnt) as client:
        body = {**SAID, **document, "name": name, "base64": base64.b64encode(content).decode()}
        done = client.post("/v1/documents", json=body)
        assert ["new"] == [one["effect"] for one in done.json()["stored"]], done.text
        hits = client.post("/v1/search", json={"query": "valve V-1 opened by hand", "k": 1}).json()["hits"]
        assert ["UP-1"] == [hit["document"] for hit in hits]
        assert 1 == client.delete("/v1/documents/UP-1").json()["deleted"]


def test_a_page_with_styles_elsewhere_is_told(service):
    """A sheet that is not read may hide what is stored: whoever uploads the page hears of it."""
    text = "<head><link rel=stylesheet href=x.css></head><p>The valve V-7 is open."
    with service.client(service.keys.mnt) as client:
        done = client.post("/v1/documents", json={**SAID, "name": "v.html", "document": "UP-7", "text": text}).json()
        assert ["style sheet in another file" in one["error"] for one in done["warnings"]] == [True]
        assert 1 == client.delete("/v1/documents/UP-7").json()["deleted"]
