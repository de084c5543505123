"""What people wrote into the fields of a PDF's form: no text of the page, it stands beside its label or under it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pypdfium2.raw as pdfium

from matrix.plugins.parsers.pdf.lines import Line
from matrix.plugins.parsers.pdf.readers.line_reader import Frame, clean

_MOST = 2_000  # on a page
_LONGEST = 10_000  # bytes of a value
_TICKS = frozenset(("Off", "On", "Yes", "No", "0", "1"))
_SIZE = 10.0  # points: what a field is filled in with is not asked


def with_filled_fields(lines: Sequence[Line], page: Any, number: int, frame: Frame) -> list[Line]:
    """The page's lines and the values of its fields: at the end of the line left of a field, or after the one above."""
    found = list(lines)
    for value, (x0, top, x1, bottom) in _fields(page, frame):
        beside = [n for n, line in enumerate(found) if line.x0 < x0 and line.top < bottom and line.bottom > top]
        if beside:
            label = max(beside, key=lambda n: found[n].x1)
            found[label] = replace(found[label], text=f"{found[label].text} {value}", x1=max(found[label].x1, x1))
            continue
        above = [n for n, line in enumerate(found) if line.bottom <= top]
        place = max(above, key=lambda n: found[n].bottom) + 1 if above else 0
        found.insert(place, Line(value, number, x0, top, x1, bottom, bottom, _SIZE, bold=False))
    return found


def _fields(page: Any, frame: Frame) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    box = pdfium.FS_RECTF()
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST)):
        note = pdfium.FPDFPage_GetAnnot(page.raw, index)
        try:
            value = _value(note) if pdfium.FPDFAnnot_GetSubtype(note) == pdfium.FPDF_ANNOT_WIDGET else ""
            if value and value not in _TICKS and pdfium.FPDFAnnot_GetRect(note, box):
                yield value, frame.seen((box.left, box.bottom, box.right, box.top))
        finally:
            pdfium.FPDFPage_CloseAnnot(note)


def _value(note: Any) -> str:
    length = pdfium.FPDFAnnot_GetStringValue(note, b"V", None, 0)
    if not 2 < length <= _LONGEST:
        return ""
    units = (ctypes.c_ushort * (length // 2 + 1))()
    pdfium.FPDFAnnot_GetStringValue(note, b"V", units, length)
    return clean(bytes(units)[: length - 2].decode("utf-16-le", "replace"))
