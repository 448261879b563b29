"""Small PDF and DOCX files made for tests, without a library for PDF."""

from __future__ import annotations

import io
import zipfile

import docx


def pdf(*pages: str, title: str | None = None, layers: tuple[str, ...] = (), catalogue: str = "") -> bytes:
    """Return a PDF with these content streams, one a page; fonts are /F1 (Helvetica) and /F2 (bold).

    `layers` are objects that pages know as /L5, /L6 and so on, by their numbers; `catalogue` goes into the catalogue.
    """
    objects = [f"<< /Type /Catalog /Pages 2 0 R {catalogue} >>", ""]
    fonts = "<< /F1 3 0 R /F2 4 0 R >>"
    objects += [f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica{weight} >>" for weight in ("", "-Bold")]
    objects += layers
    names = " ".join(f"/L{number} {number} 0 R" for number in range(5, 5 + len(layers)))
    kids = []
    for stream in pages:
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font {fonts} /Properties << {names} >> >> "
            f"/Contents {number + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream.encode('latin-1'))} >>\nstream\n{stream}\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) >>" if title else "<< >>")
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out_at = len(out)
    size = len(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode()
    out += f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\nstartxref\n{out_at}\n%%EOF\n".encode()
    return bytes(out)


def line(words: str, y: int, *, size: float = 10, x: int = 72, font: str = "F1", before: str = "") -> str:
    """Return the PDF operators that show a line of words at a height of the page."""
    words = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"q BT {before} /{font} {size} Tf {x} {y} Td ({words}) Tj ET Q\n"


def word(fill, **properties: str) -> bytes:
    """Return a DOCX that `fill` has written into; `properties` are the document's."""
    opened = docx.Document()
    fill(opened)
    for name, value in properties.items():
        setattr(opened.core_properties, name, value)
    out = io.BytesIO()
    opened.save(out)
    return out.getvalue()


def repacked(content: bytes, part: str, old: bytes, new: bytes) -> bytes:
    """Return a DOCX in which one part reads otherwise."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as again:
        for name in packed.namelist():
            data = packed.read(name)
            again.writestr(name, data.replace(old, new) if name == part else data)
    return out.getvalue()
