"""The reading order of a PDF page's lines. PDFium gives them in the order of the content stream, which is nearly always
the order of reading, columns included; where it jumps about, the page is cut into columns and rows instead. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from matrix.plugins.parsers.pdf_lines import Line

_MOST_JUMPS = 0.15  # of the steps from line to line
_DEEPEST_CUT = 24


def in_reading_order(lines: Sequence[Line]) -> list[Line]:
    if _jumps(lines) <= max(1, _MOST_JUMPS * len(lines)):
        return list(lines)
    return _cut(list(lines), _DEEPEST_CUT)


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
