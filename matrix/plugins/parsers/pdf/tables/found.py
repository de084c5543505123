"""Tables in a PDF: rows that lines frame (`ruled` made them), and elsewhere lines under one another whose parts
stand in the same columns. Which of these make a row is in `rows`. Pure. A table that this misses keeps its rows
as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from matrix.plugins.parsers.pdf.lines import Cell, Line
from matrix.plugins.parsers.pdf.tables.rows import Column, Row, column_of, rows_of

_FEWEST_ROWS = 3
_MOST_COLUMNS = 40
_LONGEST_CELL = 60  # letters, on average: longer ones are columns of prose
_LARGEST_STEP = 3.5  # em from row to row
_LOOKED_BACK = 60  # lines
_SAME_BASELINE = 0.2  # em
_SHORT = 40  # letters
_SAME_EDGE = 4.0  # points


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equally many cells, made of `count` lines, the first of them line number `first`."""

    first: int
    count: int
    rows: tuple[Row, ...]


def find_tables(lines: Sequence[Line]) -> Iterator[Table]:
    first = 0
    for ruled, run in groupby(lines, key=lambda line: line.ruled > 0):
        stretch = list(run)
        for table in _ruled(stretch) if ruled else _aligned(stretch):
            yield replace(table, first=first + table.first)
        first += len(stretch)


def _ruled(lines: Sequence[Line]) -> Iterator[Table]:
    """Each table, over as many pages as it goes on in the same columns; a header that is repeated there is left out."""
    first = 0
    for index in range(1, len(lines) + 1):
        if index < len(lines) and _same_table(lines[index - 1], lines[index]):
            continue
        header = _texts(lines[first])
        rows = [line for n, line in enumerate(lines[first:index]) if n == 0 or _texts(line) != header]
        yield Table(first, index - first, tuple(Row(_texts(line), line) for line in rows))
        first = index


def _same_table(before: Line, line: Line) -> bool:
    """The next row of a table, or its first one on the next page."""
    if before.page == line.page:
        return before.ruled == line.ruled
    edges = [[cell.x0 for cell in row.cells] for row in (before, line)]
    return len(edges[0]) == len(edges[1]) and all(abs(a - b) <= _SAME_EDGE for a, b in zip(*edges, strict=True))


def _texts(line: Line) -> tuple[str, ...]:
    return tuple(cell.text for cell in line.cells)


def _aligned(lines: Sequence[Line]) -> Iterator[Table]:
    rows, counts = _rows_as_seen(lines)
    places = [0, *accumulate(counts)]
    first = 0
    while first < len(rows):
        after = _run_end(rows, first)
        found = _table(rows, first, after)
        if found is not None:
            made, after = found
            yield Table(places[first], places[after] - places[first], made)
        first = max(after, first + 1)


def _rows_as_seen(lines: Sequence[Line]) -> tuple[list[Line], list[int]]:
    """The lines, those that stand side by side as one with cells, and of how many each is made: PDFium parts a row
    where the space between two cells is very wide."""
    rows: list[Line] = []
    counts: list[int] = []
    for line in lines:
        if rows and _is_beside(rows[-1], line):
            rows[-1] = _side_by_side(rows[-1], line)
            counts[-1] += 1
        else:
            rows.append(line)
            counts.append(1)
    return rows, counts


def _is_beside(left: Line, right: Line) -> bool:
    """Short, on the same baseline, and to the right: not two columns of prose."""
    return (
        left.page == right.page
        and abs(left.baseline - right.baseline) <= _SAME_BASELINE * right.size
        and right.x0 > left.x1
        and max(map(len, (right.text, *(cell.text for cell in left.cells or (_as_cell(left),))))) <= _SHORT
    )


def _side_by_side(left: Line, right: Line) -> Line:
    cells = (*(left.cells or (_as_cell(left),)), *(right.cells or (_as_cell(right),)))
    return replace(
        left,
        text=f"{left.text} {right.text}",
        top=min(left.top, right.top),
        x1=right.x1,
        bottom=max(left.bottom, right.bottom),
        bold=left.bold and right.bold,
        cells=cells,
    )


def _as_cell(line: Line) -> Cell:
    return Cell(line.text, line.x0, line.x1)


def _run_end(lines: Sequence[Line], first: int) -> int:
    """The line after the last of those that follow each other down the page and have cells, or are one that goes on."""
    after = first
    while after < len(lines) and (len(lines[after].cells) > 1 or (after > first and _may_go_on(lines, first, after))):
        before = lines[after - 1] if after > first else None
        if before and not (
            before.page == lines[after].page and 0 < lines[after].top - before.top < _LARGEST_STEP * before.size
        ):
            break
        after += 1
    return after


def _may_go_on(lines: Sequence[Line], first: int, index: int) -> bool:
    """Whether a line without cells may be the rest of a cell above: as large, and no wider than its column."""
    line, before = lines[index], lines[index - 1]
    if abs(line.size - before.size) > 0.5 or (line.bold and not before.bold):
        return False
    return column_of(line, _columns(lines[max(first, index - _LOOKED_BACK) : index])) is not None


def _table(lines: Sequence[Line], first: int, after: int) -> tuple[tuple[Row, ...], int] | None:
    """The rows, and the line after the last one that they are made of."""
    run = lines[first:after]
    cells = _cells(run)
    whole = sum(bool(line.cells) for line in run)
    if whole < _FEWEST_ROWS or sum(len(cell.text) for cell in cells) > _LONGEST_CELL * len(cells):
        return None
    columns = _columns(run)
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        return None
    rows, count = rows_of(run, columns)
    return (rows, first + count) if len(rows) >= _FEWEST_ROWS else None


def _columns(lines: Sequence[Line]) -> list[Column]:
    """Stretches of the page's width that cells cover together; those that overlap are one column."""
    columns: list[Column] = []
    for cell in sorted(_cells(lines), key=lambda cell: cell.x0):
        if columns and cell.x0 < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], cell.x1)
        else:
            columns.append((cell.x0, cell.x1))
    return columns


def _cells(lines: Sequence[Line]) -> list[Cell]:
    return [cell for line in lines for cell in line.cells]
