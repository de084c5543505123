"""The reading order of a PDF page's lines. PDFium gives them in the order of the content stream, which is nearly always
the order of reading, columns included; where it jumps about, or was written right across two columns of prose, the page
is cut into columns and rows instead. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from matrix.plugins.parsers.pdf.lines import Line

_MOST_JUMPS = 0.15  # of the steps from line to line
_DEEPEST_CUT = 24
_SHORTEST_PROSE = 18  # letters: shorter cells are a table's
_FEWEST_ACROSS = 5  # lines: fewer may be chance


def in_reading_order(lines: Sequence[Line]) -> list[Line]:
    parted = _parted_at_gutter(lines)
    if len(parted) == len(lines) and _jumps(lines) <= max(1, _MOST_JUMPS * len(lines)):
        return list(lines)
    return _cut(parted, _DEEPEST_CUT)


def _parted_at_gutter(lines: Sequence[Line]) -> list[Line]:
    """Lines that run across two columns of prose as two lines each; all others as they are."""
    across = [
        line
        for line in lines
        if not line.ruled and len(line.cells) == 2 and min(len(cell.text) for cell in line.cells) > _SHORTEST_PROSE
    ]
    if len(across) < _FEWEST_ACROSS:
        return list(lines)
    left_edge = max(line.cells[0].x1 for line in across)
    right_edge = min(line.cells[1].x0 for line in across)
    if left_edge >= right_edge:
        return list(lines)
    return [part for line in lines for part in _halves(line, left_edge, right_edge)]


def _halves(line: Line, left_edge: float, right_edge: float) -> list[Line]:
    """The line's cells on either side of the gutter, as lines."""
    if line.ruled or len(line.cells) != 2 or line.cells[0].x1 > left_edge or line.cells[1].x0 < right_edge:
        return [line]
    return [
        replace(line, text=cell.text, x0=cell.x0, x1=cell.x1, cells=(), widest_gap=0.0, hyphen=line.hyphen and last)
        for cell, last in zip(line.cells, (False, True), strict=True)
    ]


def _jumps(lines: Sequence[Line]) -> int:
    """Steps up the page to a line that stands over or under the one before: what a new column does not do."""
    return sum(after.bottom < before.top and _share_columns(before, after) for before, after in pairwise(lines))


def _share_columns(one: Line, other: Line) -> bool:
    return min(one.x1, other.x1) - max(one.x0, other.x0) > 0


def _cut(lines: list[Line], depth: int) -> list[Line]:
    """Cuts at the widest empty band, across first where bands are like; what cannot be cut is sorted by height."""
    if len(lines) < 2 or not depth:
        return sorted(lines, key=lambda line: (line.top, line.x0))
    em = sorted(line.size for line in lines)[len(lines) // 2] or 1.0
    column = _widest_band([(line.x0, line.x1) for line in lines])
    row = _widest_band([(line.top, line.bottom) for line in lines])
    if column[0] > 1.2 * em and column[0] * 1.5 >= row[0]:
        parts = [line for line in lines if line.x1 <= column[1]], [line for line in lines if line.x1 > column[1]]
    elif row[0] > 0:
        parts = [line for line in lines if line.bottom <= row[1]], [line for line in lines if line.bottom > row[1]]
    else:
        return sorted(lines, key=lambda line: (line.top, line.x0))
    return _cut(parts[0], depth - 1) + _cut(parts[1], depth - 1)


def _widest_band(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """Width of the widest stretch that no span touches, and where it begins; width 0 where they all hang together."""
    spans.sort()
    widest, place, reached = 0.0, 0.0, spans[0][1]
    for start, end in spans[1:]:
        if start - reached > widest:
            widest, place = start - reached, reached
        reached = max(reached, end)
    return widest, place
