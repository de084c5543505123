"""The lines of a PDF page as PDFium sees them: words, place, size and weight of each. The only module that speaks to
PDFium's text interface. Written for speed: a page has fifty lines and a document a hundred thousand, so every call
into PDFium is counted, and letters are looked at one by one only where a line may be a table's row."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import pypdfium2.raw as pdfium

from matrix.plugins.parsers.decoding import plain
from matrix.plugins.parsers.pdf.lines import Cell, Line, with_raised_letters
from matrix.plugins.parsers.pdf.raised import HIGHER, SMALLER, is_raised, set_apart, with_raised_runs

_HYPHEN = "\ufffe"  # PDFium writes it in place of a hyphen at a line's end and runs on with the next line
_LETTERS = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
            0xA0: " ", 0xAD: None, 0xFFFD: None, 0x200B: None}  # fmt: skip
_BOLD = re.compile(rb"bold|black|heavy|demi|[A-Z]BX|SFSX|[-,]Bd?\b", re.IGNORECASE)
_LEADER = re.compile(r"(?: ?\.){4,}")
_SPACES = re.compile(r"\s+")
_FONT_NAME = 128
_CELL_GAP = 1.2  # em: as much empty space parts cells
_SUSPECT_GAP = 0.8  # em: as much on average makes it worth looking at each letter
_LONGEST_ROW = 600

_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Frame:
    """How a page's own coordinates (from the bottom left, before its rotation) become those of the page as seen."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def seen(self, box: _Box) -> _Box:
        """x0, top, x1, bottom as seen, of a box from its lower left to its upper right corner."""
        x0, y0, x1, y1 = box
        if self.rotation == 90:
            return y0 - self.bottom, x0 - self.left, y1 - self.bottom, x1 - self.left
        if self.rotation == 180:
            return self.right - x1, y0 - self.bottom, self.right - x0, y1 - self.bottom
        if self.rotation == 270:
            return self.top - y1, self.right - x1, self.top - y0, self.right - x0
        return x0 - self.left, self.top - y1, x1 - self.left, self.top - y0


class _Piece:
    """Where a line's own letters stand in the page's text: `length` of them from `first`; `middle`, counted from there,
    is one that is no space (PDFium makes spaces up, and they have no font)."""

    __slots__ = ("changed", "first", "hyphen", "length", "letters", "middle", "words")

    def __init__(self, index: int, text: str, hyphen: bool) -> None:
        self.letters = text.strip()
        self.words = clean(self.letters)
        self.first = index + len(text) - len(text.lstrip())
        self.length = len(self.letters)
        middle = self.length // 2
        self.middle = middle + 1 if self.letters[middle : middle + 1].isspace() else middle
        self.hyphen = hyphen
        self.changed = False

    def with_letters(self, letters: str) -> _Piece:
        """The same place, as many letters, some of them other ones."""
        other = copy(self)
        other.letters, other.changed = letters, letters != self.letters
        other.words = other.tidied(letters)
        return other

    def tidied(self, letters: str) -> str:
        """Some of the letters as they are to be read."""
        return set_apart(clean(letters)) if self.changed else clean(letters)


class LineReader:
    """Reads through buffers that are made once, and remembers which fonts are bold."""

    def __init__(self) -> None:
        self._corners = [ctypes.c_double() for _ in range(4)]
        self._matrix = pdfium.FS_MATRIX()
        self._name = ctypes.create_string_buffer(_FONT_NAME)
        self._flags = ctypes.c_int()
        self._bold_fonts: dict[bytes, bool] = {}

    def lines(self, textpage: Any, number: int, frame: Frame) -> list[Line]:
        """The page's lines in the order of its content stream; `number` counts from 1."""
        found = (self._line(textpage, piece, number, frame) for piece in _pieces(textpage.get_text_range()))
        return list(with_raised_letters(line for line in found if line is not None))

    def _line(self, textpage: Any, piece: _Piece, number: int, frame: Frame) -> Line | None:
        first = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, piece.first)
        boxes = self._rectangles(textpage, first, piece.length)
        if not boxes:
            return None
        x0, top, x1, bottom = frame.seen(boxes[0] if len(boxes) == 1 else _around(boxes))
        size = self._size(textpage, first + piece.middle) or (bottom - top)
        baseline = self._baseline(textpage, first + piece.middle, frame, bottom)
        bold = self._is_bold(textpage, first) and self._is_bold(textpage, first + piece.length - 1)
        gap = _usual_gap(piece.words, x1 - x0, size)
        if len(boxes) > 1 and not frame.rotation:
            gap = max(gap, _widest_gap(boxes))
        if len(boxes) > 1 and not frame.rotation and _may_hold_raised(boxes, size, frame.top - baseline):
            piece = self._with_raised(textpage, first, piece, size, frame.top - baseline)
        cells = self._cells(textpage, first, piece, frame.left, size) if gap > _SUSPECT_GAP * size else ()
        return Line(piece.words, number, x0, top, x1, bottom, baseline, size, bold, piece.hyphen, gap, cells)

    def _rectangles(self, textpage: Any, first: int, length: int) -> list[_Box]:
        left, top, right, bottom = self._corners
        return [
            (left.value, bottom.value, right.value, top.value)
            for rectangle in range(pdfium.FPDFText_CountRects(textpage, first, length))
            if pdfium.FPDFText_GetRect(textpage, rectangle, left, top, right, bottom)
        ]

    def _size(self, textpage: Any, index: int) -> float:
        """The nominal size times the scale of the text matrix: some writers set size 1 and scale."""
        nominal: float = pdfium.FPDFText_GetFontSize(textpage, index)
        if not pdfium.FPDFText_GetMatrix(textpage, index, self._matrix):
            return nominal
        return nominal * math.hypot(self._matrix.c, self._matrix.d)

    def _baseline(self, textpage: Any, index: int, frame: Frame, otherwise: float) -> float:
        x, y, *_ = self._corners
        if not pdfium.FPDFText_GetCharOrigin(textpage, index, x, y):
            return otherwise
        return frame.seen((x.value, y.value, x.value, y.value))[1]

    def _is_bold(self, textpage: Any, index: int) -> bool:
        if not 0 < pdfium.FPDFText_GetFontInfo(textpage, index, self._name, _FONT_NAME, self._flags) <= _FONT_NAME:
            return False
        name = self._name.value
        if name not in self._bold_fonts:
            self._bold_fonts[name] = _BOLD.search(name) is not None
        return self._bold_fonts[name]

    def _with_raised(self, textpage: Any, first: int, piece: _Piece, size: float, baseline: float) -> _Piece:
        """The piece with its raised numbers as such; `baseline` counts from the page's bottom."""
        x, y, *_ = self._corners
        flags: list[bool] = []
        for offset, letter in enumerate(piece.letters):
            index = first + offset
            known = not letter.isspace() and pdfium.FPDFText_GetCharOrigin(textpage, index, x, y)
            flags.append(
                is_raised(self._size(textpage, index), -y.value, size, -baseline)
                if known
                else bool(flags) and flags[-1]
            )
        return piece.with_letters(with_raised_runs(piece.letters, flags))

    def _cells(self, textpage: Any, first: int, piece: _Piece, origin: float, size: float) -> tuple[Cell, ...]:
        """The line's letters one by one, parted where more than a letter's width is empty; () for one part only."""
        if _LEADER.search(piece.words) or piece.length > _LONGEST_ROW:
            return ()
        left, right, bottom, top = self._corners
        begins: list[int] = []
        edges: list[list[float]] = []
        for offset, letter in enumerate(piece.letters):
            if letter.isspace() or not pdfium.FPDFText_GetCharBox(textpage, first + offset, left, right, bottom, top):
                continue
            if edges and left.value - edges[-1][1] <= _CELL_GAP * size:
                edges[-1][1] = max(edges[-1][1], right.value)
            else:
                begins.append(offset)
                edges.append([left.value, right.value])
        texts = [piece.letters[begin:end] for begin, end in zip_longest(begins, begins[1:])]
        cells = [
            Cell(piece.tidied(text), x0 - origin, x1 - origin) for text, (x0, x1) in zip(texts, edges, strict=True)
        ]
        return tuple(cells) if len(cells) > 1 else ()


def clean(text: str) -> str:
    """Ligatures as letters, one space for any white space, nothing invisible."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACES.sub(" ", plain(text).translate(_LETTERS)).strip()


def _pieces(text: str) -> Iterator[_Piece]:
    """The page's text line by line, also where PDFium ran on after a hyphen; indices count in PDFium's own text."""
    index = 0
    for row in text.split("\r\n"):
        parts = row.split(_HYPHEN)
        for position, part in enumerate(parts, 1):
            if (piece := _Piece(index, part, position < len(parts))).words:
                yield piece
            index += len(part) + 1
        index += 1


def _around(boxes: list[_Box]) -> _Box:
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return min(x0s), min(y0s), max(x1s), max(y1s)


def _widest_gap(boxes: list[_Box]) -> float:
    widest, reached = 0.0, math.inf
    for x0, _, x1, _ in sorted(boxes):
        widest = max(widest, x0 - reached)
        if x1 > reached or reached == math.inf:
            reached = x1
    return widest


def _may_hold_raised(boxes: list[_Box], size: float, baseline: float) -> bool:
    """Whether a part of the line is low and stands above its baseline (from the page's bottom): worth a closer look."""
    return any(y0 - baseline >= HIGHER * size and y1 - y0 <= SMALLER * size for _, y0, _, y1 in boxes)


def _usual_gap(words: str, width: float, size: float) -> float:
    """What is left between the words when their letters have had their usual width: PDFium's rectangles span the cells
    of a table's row where one text object wrote them all."""
    spaces = words.count(" ")
    if not spaces:
        return 0.0
    wide = 0 if words.isascii() else sum(letter > "\u2e80" for letter in words)
    return (width - size * (0.55 * (len(words) - wide) + wide)) / spaces
