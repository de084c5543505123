"""The ruling lines of a PDF page: what is drawn straight and thin, across or down. The only module that speaks to
PDFium's interface of drawn objects, through buffers that are made once. What the lines frame is for `grids`."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

_MOST_OBJECTS = 20_000  # text included: pages with more are maps and drawings
_MOST_RULES = 3_000
_MOST_PIECES = 500  # of one path: a grid in a single one has some dozens, a curve thousands
_THIN = 3.0  # points
_SHORTEST = 6.0


class Rule(NamedTuple):
    """A straight line in points of the page's own coordinates, which count from the bottom left: across where `y0` is
    `y1`, down where `x0` is `x1`."""

    x0: float
    y0: float
    x1: float
    y1: float


class RulingReader:
    def __init__(self) -> None:
        self._sides = [ctypes.c_float() for _ in range(4)]
        self._fill, self._stroke = ctypes.c_int(), ctypes.c_int()
        self._matrix = pdfium.FS_MATRIX()

    def rules(self, page: Any) -> list[Rule]:
        """The ruling lines of a page; none where there are too many to be a table's."""
        raw = page.raw
        count = pdfium.FPDFPage_CountObjects(raw)
        if count > _MOST_OBJECTS:
            return []
        rules: list[Rule] = []
        for index in range(count):
            item = pdfium.FPDFPage_GetObject(raw, index)
            if pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_PATH:
                rules.extend(self._rules(item))
                if len(rules) > _MOST_RULES:
                    return []
        return rules

    def _rules(self, path: Any) -> Iterator[Rule]:
        """A thin object is one line, however it is drawn; of what is drawn with a pen, each straight piece is."""
        left, bottom, right, top = self._sides
        if not pdfium.FPDFPageObj_GetBounds(path, left, bottom, right, top):
            return
        width, height = right.value - left.value, top.value - bottom.value
        if min(width, height) <= _THIN:
            if (rule := _straightened(left.value, bottom.value, right.value, top.value)) is not None:
                yield rule
        elif max(width, height) >= _SHORTEST and self._is_drawn_with_a_pen(path):
            yield from self._pieces(path)

    def _is_drawn_with_a_pen(self, path: Any) -> bool:
        return bool(pdfium.FPDFPath_GetDrawMode(path, self._fill, self._stroke) and self._stroke.value)

    def _pieces(self, path: Any) -> Iterator[Rule]:
        count = pdfium.FPDFPath_CountSegments(path)
        if count > _MOST_PIECES or not pdfium.FPDFPageObj_GetMatrix(path, self._matrix):
            return
        m = self._matrix
        x, y, *_ = self._sides
        begun = last = (0.0, 0.0)
        for index in range(count):
            segment = pdfium.FPDFPath_GetPathSegment(path, index)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == pdfium.FPDF_SEGMENT_BEZIERTO:  # a curve, or a box with round corners: no grid
                return
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            point = m.a * x.value + m.c * y.value + m.e, m.b * x.value + m.d * y.value + m.f
            if kind == pdfium.FPDF_SEGMENT_MOVETO:
                begun = point
            elif (rule := _straightened(*last, *point)) is not None:
                yield rule
            if pdfium.FPDFPathSegment_GetClose(segment) and (rule := _straightened(*point, *begun)) is not None:
                yield rule
            last = point


def _straightened(x0: float, y0: float, x1: float, y1: float) -> Rule | None:
    """The middle of a stretch that is thin and long; None where it is neither across nor down."""
    width, height = abs(x1 - x0), abs(y1 - y0)
    if width >= _SHORTEST and height <= _THIN:
        return Rule(min(x0, x1), (y0 + y1) / 2, max(x0, x1), (y0 + y1) / 2)
    if height >= _SHORTEST and width <= _THIN:
        return Rule((x0 + x1) / 2, min(y0, y1), (x0 + x1) / 2, max(y0, y1))
    return None
