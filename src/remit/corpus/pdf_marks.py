"""What a PDF says about stretches of a page beside showing them: layers that are switched off, and replacement texts."""

from __future__ import annotations

import ctypes
import io
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pypdfium2.raw as pdf

_ROOM = 4_096
_DEEPEST = 8
_OBJECT = re.compile(rb"(?:^|[\r\n])(\d+) \d+ obj\b(.*?)\bendobj\b", re.DOTALL)
_LAYERS = re.compile(rb"/OCProperties\s*(?:(\d+) \d+ R|<<)")
_OFF = re.compile(rb"/OFF\s*\[([^\]]*)\]")
_ON = re.compile(rb"/ON\s*\[([^\]]*)\]")
_ALL = re.compile(rb"/OCGs\s*\[([^\]]*)\]")
_NAME = re.compile(rb"/Name\s*(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)|<[0-9A-Fa-f\s]*>)", re.DOTALL)
_REFERENCE = re.compile(rb"(\d+) \d+ R")


class Marks(NamedTuple):
    """What the marks of a page say of its things, by their address: why one is not seen, and what stands in for one."""

    unseen: Mapping[int, str]
    replaced: Mapping[int, str]


class Layers:
    """Which layers of a document are switched off; read once, and only where a page has any."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened
        self._off: frozenset[str] | None = None

    def hide(self, layer: str | None) -> bool:
        """Say whether a layer is switched off; one without a name of its own is, as soon as any is."""
        if self._off is None:
            out = io.BytesIO()
            self._opened.save(out)  # as pdfium writes it, each object stands by itself
            self._off = switched_off(out.getvalue())
        return bool(self._off) if layer is None else layer in self._off


def switched_off(content: bytes) -> frozenset[str]:
    """Return the names of the layers that a PDF, written by pdfium, opens with switched off."""
    objects = {int(found[1]): found[2] for found in _OBJECT.finditer(content)}
    holder = next((body for body in objects.values() if _LAYERS.search(body)), b"")
    if (found := _LAYERS.search(holder)) is None:
        return frozenset()
    said = objects.get(int(found[1]), b"") if found[1] else holder[found.start() :]
    for number in _REFERENCE.findall(said[said.find(b"/D") :].partition(b">>")[0]):
        said += objects.get(int(number), b"") if b"/OCG" not in objects.get(int(number), b"") else b""
    off = {int(n) for listed in _OFF.findall(said) for n in _REFERENCE.findall(listed)}
    if re.search(rb"/BaseState\s*/OFF", said):
        every = {int(n) for listed in _ALL.findall(said) for n in _REFERENCE.findall(listed)}
        off |= every - {int(n) for listed in _ON.findall(said) for n in _REFERENCE.findall(listed)}
    names = (_NAME.search(objects.get(number, b"")) for number in off)
    return frozenset(_decoded(name[1]) for name in names if name)


def taken_off(page: Any, layers: Layers) -> Marks:
    """Return what marks say, and take replacement texts off the page, so that its text is what it shows."""
    unseen: dict[int, str] = {}
    replaced: dict[int, str] = {}
    for thing, inherited in _things(page, layers):
        if inherited:
            unseen[_address(thing)] = inherited
        for at in reversed(range(pdf.FPDFPageObj_CountMarks(thing))):
            mark = pdf.FPDFPageObj_GetMark(thing, at)
            instead = _text(pdf.FPDFPageObjMark_GetParamStringValue, mark, b"ActualText")
            if instead is not None:
                replaced[_address(thing)] = instead
                pdf.FPDFPageObj_RemoveMark(thing, mark)
    return Marks(unseen, replaced)


def _things(page: Any, layers: Layers) -> Iterator[tuple[Any, str | None]]:
    """Yield what stands on a page and in its forms, each with the reason why it is not seen."""
    waiting: list[tuple[Any, str | None, int]] = [
        (pdf.FPDFPage_GetObject(page, at), None, 0) for at in range(pdf.FPDFPage_CountObjects(page))
    ]
    while waiting:
        thing, outer, depth = waiting.pop()
        why = outer or ("a layer that is switched off" if _is_off(thing, layers) else None)
        yield thing, why
        if pdf.FPDFPageObj_GetType(thing) == pdf.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            inner = (pdf.FPDFFormObj_GetObject(thing, at) for at in range(pdf.FPDFFormObj_CountObjects(thing)))
            waiting += [(one, why, depth + 1) for one in inner]


def _is_off(thing: Any, layers: Layers) -> bool:
    for at in range(pdf.FPDFPageObj_CountMarks(thing)):
        mark = pdf.FPDFPageObj_GetMark(thing, at)
        if _text(pdf.FPDFPageObjMark_GetName, mark) == "OC" and layers.hide(
            _text(pdf.FPDFPageObjMark_GetParamStringValue, mark, b"Name")
        ):
            return True
    return False


def _text(ask: Callable[..., Any], *arguments: Any) -> str | None:
    """Return what pdfium writes into a buffer; None where there is nothing."""
    size, room = ctypes.c_ulong(), _ROOM
    while True:
        buffer = ctypes.create_string_buffer(room)
        if not ask(*arguments, ctypes.cast(buffer, ctypes.POINTER(pdf.FPDF_WCHAR)), room, size):
            return None
        if size.value <= room:
            return buffer.raw[: size.value].decode("utf-16-le", "replace").rstrip("\0")
        room = size.value


def _decoded(written: bytes) -> str:
    """Return a string of a PDF as text."""
    if written.startswith(b"<"):
        digits = b"".join(written[1:-1].split())
        raw = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    else:
        raw = re.sub(rb"\\(\d{1,3}|\r\n|.)", _unescaped, written[1:-1], flags=re.DOTALL)
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:].decode("utf-8", "replace")
    return raw.decode("latin-1")


def _unescaped(found: re.Match[bytes]) -> bytes:
    said = found[1]
    if said.isdigit():
        return bytes([int(said, 8) & 255]) if all(d < ord("8") for d in said) else said
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}.get(
        said, b"" if said[:1] in b"\r\n" else said
    )


def _address(thing: Any) -> int:
    return ctypes.cast(thing, ctypes.c_void_p).value or 0
