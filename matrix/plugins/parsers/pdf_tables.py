"""Tables in a PDF by the place of their cells: lines under one another whose parts stand in the same columns. Pure.
Ruling lines are not looked at; a table that this misses keeps its rows as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matrix.plugins.parsers.pdf_lines import Cell, Line

_FEWEST_ROWS = 3
_MOST_COLUMNS = 40
_LONGEST_CELL = 60  # letters, on average: longer ones are columns of prose
_LARGEST_STEP = 3.5  # em from row to row


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equally many cells, one a line, the first of them line number `first`."""

    first: int
    rows: tuple[tuple[str, ...], ...]


def find_tables(lines: Sequence[Line]) -> Iterator[Table]:
    first = 0
    while first < len(lines):
        after = _run_end(lines, first)
        if table := _table(lines, first, after):
            yield table
        first = max(after, first + 1)


def _run_end(lines: Sequence[Line], first: int) -> int:
    """The line after the last of those that follow each other down the page and all have cells."""
    after = first
    while after < len(lines) and len(lines[after].cells) > 1:
        before = lines[after - 1] if after > first else None
        if before and not (
            before.page == lines[after].page and 0 < lines[after].top - before.top < _LARGEST_STEP * before.size
        ):
            break
        after += 1
    return after


def _table(lines: Sequence[Line], first: int, after: int) -> Table | None:
    cells = [cell for line in lines[first:after] for cell in line.cells]
    if after - first < _FEWEST_ROWS or sum(len(cell.text) for cell in cells) > _LONGEST_CELL * len(cells):
        return None
    columns = _columns(cells)
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        return None
    return Table(first, tuple(_row(line, columns) for line in lines[first:after]))


def _columns(cells: Sequence[Cell]) -> list[tuple[float, float]]:
    """Stretches of the page's width that cells cover together; those that overlap are one column."""
    columns: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.x0):
        if columns and cell.x0 < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], cell.x1)
        else:
            columns.append((cell.x0, cell.x1))
    return columns


def _row(line: Line, columns: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    return tuple(
        " ".join(cell.text for cell in line.cells if start <= cell.x0 <= end and cell.text) for start, end in columns
    )
