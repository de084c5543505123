"""The rows of a PDF's table: which of its lines begin one, and which go on with the cells of the row above. In doubt a
line is a row of its own, its cells in their columns. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from matrix.plugins.parsers.pdf.lines import Line

Column = tuple[float, float]
"""From where to where on the page's width."""

_NUMBER = re.compile(r"[\d.,:%()€$£+\-\u2212\s]*\d[\d.,:%()€$£+\-\u2212\s]*")
_TIGHT = 1.15  # of the smallest step from line to line
_LOOSE = 1.25  # of it: rows are at least so far apart where they part from the lines within them
_SLACK = 0.5  # em


@dataclass(frozen=True, slots=True)
class Row:
    """Cells, one a column, and where the row stands: a line that spans all of its lines."""

    cells: tuple[str, ...]
    line: Line


def column_of(line: Line, columns: Sequence[Column]) -> int | None:
    """The column that a line without cells stands in, from its left edge on and not into the next one."""
    slack = _SLACK * line.size
    for number, (start, end) in enumerate(columns):
        following = columns[number + 1][0] if number + 1 < len(columns) else end + slack
        if start - slack <= line.x0 <= end and line.x1 < following:
            return number
    return None


def rows_of(lines: Sequence[Line], columns: Sequence[Column]) -> tuple[tuple[Row, ...], int]:
    """The rows, and of how many of the lines they are made: text under the first column ends the table."""
    steps = _Steps(lines, columns)
    rows: list[Row] = []
    for index, line in enumerate(lines):
        cells = _cells(line, columns)
        if rows and steps.goes_on(index, cells, rows[-1].cells):
            rows[-1] = _joined(rows[-1], cells, line)
        elif not line.cells and cells[0]:
            return tuple(rows), index
        else:
            rows.append(Row(cells, line))
    return tuple(rows), len(lines)


class _Steps:
    """How far the lines of a table are apart, which tells rows from lines within a row."""

    def __init__(self, lines: Sequence[Line], columns: Sequence[Column]) -> None:
        self._steps = [0.0, *(after.top - before.top for before, after in pairwise(lines))]
        begun = [self._steps[n] for n, line in enumerate(lines) if n and line.cells and _cells(line, columns)[0]]
        self._smallest = min(self._steps[1:], default=0.0)
        self._parted = bool(begun) and median(begun) >= _LOOSE * self._smallest

    def goes_on(self, index: int, cells: Sequence[str], above: Sequence[str]) -> bool:
        """Whether the line goes on with the row above: it stands close where rows stand apart; or it brings nothing but
        more words for one cell, which the row above has begun."""
        filled = [number for number, cell in enumerate(cells) if cell]
        if not all(above[number] for number in filled):
            return False
        if self._parted and self._steps[index] <= _TIGHT * self._smallest:
            return not cells[0] or len(filled) == 1
        words = len(filled) == 1 and len(cells) > 2 and not cells[0]
        return words and not _NUMBER.fullmatch(cells[filled[0]])


def _cells(line: Line, columns: Sequence[Column]) -> tuple[str, ...]:
    if not line.cells:
        place = column_of(line, columns)
        return tuple(line.text if number == place else "" for number in range(len(columns)))
    return tuple(
        " ".join(cell.text for cell in line.cells if start <= cell.x0 <= end and cell.text) for start, end in columns
    )


def _joined(row: Row, cells: Sequence[str], line: Line) -> Row:
    together = tuple(" ".join(part for part in pair if part) for pair in zip(row.cells, cells, strict=True))
    spanned = replace(
        row.line,
        x0=min(row.line.x0, line.x0),
        x1=max(row.line.x1, line.x1),
        top=min(row.line.top, line.top),
        bottom=max(row.line.bottom, line.bottom),
    )
    return Row(together, spanned)
