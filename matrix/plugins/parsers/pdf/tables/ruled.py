"""Tables whose cells are framed by lines: each of their rows becomes a Line with one Cell a column, in place of the
lines that stand in it. A value that spans rows stands in each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import compress, pairwise

from matrix.plugins.parsers.pdf.lines import Cell, Line
from matrix.plugins.parsers.pdf.readers.line_reader import Frame
from matrix.plugins.parsers.pdf.tables.grids import Grid

ReadText = Callable[[float, float, float, float], str]
"""The text in a box: left, bottom, right, top in the page's own coordinates."""

_FEWEST = 4  # cells with words
_FEWEST_FILLED = 0.4  # of the cells: less is a drawing
_LONGEST_CELL = 1500  # letters: more is a page in a frame
_MOST_CELLS = 4000


def with_ruled_rows(lines: Sequence[Line], grids: Sequence[Grid], frame: Frame, read: ReadText) -> list[Line]:
    """The page's lines, those in a grid as its rows where the first of them stood."""
    found = list(lines)
    for number, grid in enumerate(grids, 1):
        inside = [index for index, line in enumerate(found) if not line.ruled and _stands_in(line, grid, frame)]
        texts = _cell_texts(grid, read) if inside else None
        if texts is None:
            continue
        replaced = [found[index] for index in inside]
        columns = [(x0 - frame.left, x1 - frame.left) for x0, x1 in pairwise(grid.xs)]
        used = [any(cells[column] for cells in texts) for column in range(len(columns))]
        rows = [
            replace(_row([*compress(zip(cells, columns, strict=True), used)], span, replaced), ruled=number)
            for cells, span in zip(texts, pairwise(frame.top - y for y in grid.ys), strict=True)
            if any(cells)
        ]
        taken = frozenset(inside)
        after = [line for index, line in enumerate(found) if index > inside[0] and index not in taken]
        found = [*found[: inside[0]], *rows, *after]
    return found


def _stands_in(line: Line, grid: Grid, frame: Frame) -> bool:
    x, y = (line.x0 + line.x1) / 2 + frame.left, frame.top - (line.top + line.bottom) / 2
    return grid.xs[0] <= x <= grid.xs[-1] and grid.ys[-1] <= y <= grid.ys[0]


def _cell_texts(grid: Grid, read: ReadText) -> list[list[str]] | None:
    """The texts of all cells, row by row; None where the grid is no table of words."""
    columns = len(grid.xs) - 1
    if (len(grid.ys) - 1) * columns > _MOST_CELLS:
        return None
    said = [(area, read(*grid.box(area))) for area in grid.areas]
    filled = [text for _, text in said if text]
    if len(filled) < max(_FEWEST, _FEWEST_FILLED * len(said)) or max(map(len, filled)) > _LONGEST_CELL:
        return None
    texts = [[""] * columns for _ in grid.ys[1:]]
    for area, text in said:
        for row in range(area.row, area.after_row):
            texts[row][area.column] = text
    return texts if all(sum(map(bool, line)) > 1 for line in (*_two(texts), *_two(zip(*texts, strict=True)))) else None


def _two(lists: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """The two fullest: a table has two rows and two columns with something in each."""
    return sorted(lists, key=lambda cells: -sum(map(bool, cells)))[:2]


def _row(cells: Sequence[tuple[str, tuple[float, float]]], span: tuple[float, float], replaced: Sequence[Line]) -> Line:
    """A row from its top to its bottom, in the type of the lines that it replaces; `cells` are texts with their left
    and right edges."""
    top, bottom = span
    own = [line for line in replaced if top <= (line.top + line.bottom) / 2 <= bottom] or list(replaced)
    return replace(
        own[0],
        text=" ".join(text for text, _ in cells if text),
        x0=cells[0][1][0],
        x1=cells[-1][1][1],
        top=top,
        bottom=bottom,
        baseline=own[-1].baseline,
        bold=all(line.bold for line in own),
        hyphen=False,
        widest_gap=0.0,
        cells=tuple(Cell(text, x0, x1) for text, (x0, x1) in cells),
    )
