"""The lines of a PDF page as PDFium sees them: words, place, size and weight of each. The only module here that speaks
to PDFium's text interface; what the lines mean is decided elsewhere."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2.raw as pdfium

from matrix.plugins.parsers.decoding import plain

_HYPHEN = "\ufffe"  # PDFium writes it in place of a hyphen at a line's end and runs on with the next line
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
              0xA0: " ", 0xAD: None, 0xFFFD: None, 0x200B: None}  # fmt: skip
_BOLD = re.compile(r"bold|black|heavy|demi|[A-Z]BX|SFSX|[-,]Bd?\b", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_FONT_NAME = 128


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: points from the page's top left corner, font size in points. `hyphen`: its last word goes on in
    the next line. `widest_gap` is the widest empty stretch inside the line."""

    text: str
    page: int
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    bold: bool
    hyphen: bool = False
    widest_gap: float = 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """How a page's own coordinates (from the bottom left, before its rotation) become those of the page as seen."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def box(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        """x0, top, x1, bottom as seen, of a box from (x0, y0) to (x1, y1)."""
        if self.rotation == 90:
            return y0 - self.bottom, x0 - self.left, y1 - self.bottom, x1 - self.left
        if self.rotation == 180:
            return self.right - x1, y0 - self.bottom, self.right - x0, y1 - self.bottom
        if self.rotation == 270:
            return self.top - y1, self.right - x1, self.top - y0, self.right - x0
        return x0 - self.left, self.top - y1, x1 - self.left, self.top - y0


class _Piece:
    """Where a line's own letters stand in the page's text: `first` of `length`; `middle`, counted from there, is one
    that is no space (PDFium makes spaces up, and they have no font)."""

    __slots__ = ("first", "hyphen", "length", "middle", "words")

    def __init__(self, index: int, text: str, words: str, hyphen: bool) -> None:
        stripped = text.strip()
        self.first = index + len(text) - len(text.lstrip())
        self.length = len(stripped)
        middle = self.length // 2
        self.middle = middle + 1 if stripped[middle].isspace() else middle
        self.words, self.hyphen = words, hyphen


class LineReader:
    """Reads lines through buffers that are made once, for a page has fifty lines and a document a hundred thousand."""

    def __init__(self) -> None:
        self._corners = [ctypes.c_double() for _ in range(4)]
        self._matrix = pdfium.FS_MATRIX()
        self._name = ctypes.create_string_buffer(_FONT_NAME)
        self._flags = ctypes.c_int()

    def lines(self, textpage: Any, number: int, frame: Frame) -> list[Line]:
        """The page's lines in the order of its content stream; `number` counts from 1."""
        found = []
        for index, text, hyphen in _pieces(textpage.get_text_range()):
            words = _SPACES.sub(" ", plain(text).translate(_LIGATURES)).strip()
            if words:
                found.append(self._line(textpage, _Piece(index, text, words, hyphen), number, frame))
        return list(_with_raised_letters(line for line in found if line is not None))

    def _line(self, textpage: Any, piece: _Piece, number: int, frame: Frame) -> Line | None:
        first = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, piece.first)
        boxes = [frame.box(*corners) for corners in self._rectangles(textpage, first, piece.length)]
        if not boxes:
            return None
        bold = self._is_bold(textpage, first) and self._is_bold(textpage, first + piece.length - 1)
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        x0, top, x1, bottom = min(lefts), min(tops), max(rights), max(bottoms)
        size = self._size(textpage, first + piece.middle) or (bottom - top)
        return Line(piece.words, number, x0, top, x1, bottom, size, bold, piece.hyphen, _widest_gap(boxes))

    def _rectangles(self, textpage: Any, first: int, length: int) -> Iterator[tuple[float, float, float, float]]:
        left, top, right, bottom = self._corners
        for rectangle in range(max(0, pdfium.FPDFText_CountRects(textpage, first, length))):
            if pdfium.FPDFText_GetRect(textpage, rectangle, left, top, right, bottom):
                yield left.value, bottom.value, right.value, top.value

    def _size(self, textpage: Any, index: int) -> float:
        """The nominal size times the scale of the text matrix: some writers set size 1 and scale."""
        nominal: float = pdfium.FPDFText_GetFontSize(textpage, index)
        if not pdfium.FPDFText_GetMatrix(textpage, index, self._matrix):
            return nominal
        return nominal * math.hypot(self._matrix.c, self._matrix.d)

    def _is_bold(self, textpage: Any, index: int) -> bool:
        length = pdfium.FPDFText_GetFontInfo(textpage, index, self._name, _FONT_NAME, self._flags)
        return 0 < length <= _FONT_NAME and bool(_BOLD.search(self._name.value.decode("utf-8", "replace")))


def _pieces(text: str) -> Iterator[tuple[int, str, bool]]:
    """Index, text and whether a hyphen ended it, of each line; the index counts in PDFium's own text."""
    index = 0
    for row in text.split("\r\n"):
        parts = row.split(_HYPHEN)
        for position, part in enumerate(parts):
            yield index, part, position < len(parts) - 1
            index += len(part) + 1
        index += 1


def _widest_gap(boxes: list[tuple[float, float, float, float]]) -> float:
    spans = sorted((box[0], box[2]) for box in boxes)
    widest, reached = 0.0, spans[0][1]
    for x0, x1 in spans[1:]:
        widest = max(widest, x0 - reached)
        reached = max(reached, x1)
    return widest


def _with_raised_letters(lines: Iterator[Line]) -> Iterator[Line]:
    """Indices and powers, which PDFium gives as lines of their own, put back into the line that they stand in."""
    current: Line | None = None
    for line in lines:
        if current is not None and _continues(current, line):
            current = _joined(current, line)
            continue
        if current is not None:
            yield current
        current = line
    if current is not None:
        yield current


def _continues(left: Line, right: Line) -> bool:
    overlap = min(left.bottom, right.bottom) - max(left.top, right.top)
    lower = min(left.bottom - left.top, right.bottom - right.top)
    gap, em = right.x0 - left.x1, max(left.size, right.size)
    return not left.hyphen and overlap > 0.4 * lower and -0.2 * em < gap < em


def _joined(left: Line, right: Line) -> Line:
    between = " " if right.x0 - left.x1 > 0.18 * max(left.size, right.size) else ""
    longer = left if len(left.text) >= len(right.text) else right
    return replace(
        left,
        text=left.text + between + right.text,
        top=min(left.top, right.top),
        x1=max(left.x1, right.x1),
        bottom=max(left.bottom, right.bottom),
        size=longer.size,
        bold=left.bold and right.bold,
        hyphen=right.hyphen,
        widest_gap=max(left.widest_gap, right.widest_gap),
    )
