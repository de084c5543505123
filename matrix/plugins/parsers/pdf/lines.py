"""A line of a PDF page as a value, and the joining of what PDFium parts: indices and powers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from matrix.plugins.parsers.pdf.raised import is_glued, is_raised, raised


@dataclass(frozen=True, slots=True)
class Cell:
    """A stretch of a line between wide gaps."""

    text: str
    x0: float
    x1: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: points from the page's top left corner, font size in points; `baseline` is where the letters
    stand (`top` and `bottom` depend on which letters they are). `hyphen`: its last word goes on in the next line.
    `widest_gap` is the widest empty stretch inside the line; where it is wide, `cells` are its parts. `ruled` is the
    number on its page of the ruled table that it is a row of, with one cell a column; 0 for any other line."""

    text: str
    page: int
    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float
    size: float
    bold: bool
    hyphen: bool = False
    widest_gap: float = 0.0
    cells: tuple[Cell, ...] = ()
    ruled: int = 0


def with_raised_letters(lines: Iterable[Line]) -> Iterator[Line]:
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
    """Whether `right` stands next to `left`, in the same row, no more than a letter's width away."""
    em = max(left.size, right.size)
    if left.hyphen or not -0.2 * em < right.x0 - left.x1 < em:
        return False
    overlap = min(left.bottom, right.bottom) - max(left.top, right.top)
    return overlap > 0.4 * min(left.bottom - left.top, right.bottom - right.top)


def _joined(left: Line, right: Line) -> Line:
    left, right = _as_raised(left, beside=right), _as_raised(right, beside=left)
    apart = right.x0 - left.x1 > 0.18 * max(left.size, right.size) or is_glued(left.text, right.text)
    between = " " if apart else ""
    longer = left if len(left.text) >= len(right.text) else right
    return replace(
        left,
        text=left.text + between + right.text,
        top=min(left.top, right.top),
        x1=max(left.x1, right.x1),
        bottom=max(left.bottom, right.bottom),
        baseline=longer.baseline,
        size=longer.size,
        bold=left.bold and right.bold,
        hyphen=right.hyphen,
        widest_gap=max(left.widest_gap, right.widest_gap),
        cells=_joined_cells(left, right, between),
    )


def _as_raised(line: Line, beside: Line) -> Line:
    """The line in raised characters, if it is numbers that stand so beside the other one."""
    if line.cells or not is_raised(line.size, line.baseline, beside.size, beside.baseline):
        return line
    return replace(line, text=raised(line.text))


def _joined_cells(left: Line, right: Line, between: str) -> tuple[Cell, ...]:
    """The last cell of the left line goes on as the first of the right one."""
    if not left.cells and not right.cells:
        return ()
    before = left.cells or (Cell(left.text, left.x0, left.x1),)
    after = right.cells or (Cell(right.text, right.x0, right.x1),)
    middle = Cell(before[-1].text + between + after[0].text, before[-1].x0, after[0].x1)
    return (*before[:-1], middle, *after[1:])
