"""Ruling lines of a page to the grids that they draw, and the cells of each. Pure; coordinates count from the page's
bottom left, in points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from matrix.plugins.parsers.pdf.readers.ruling import Rule

_NEAR = 3.0  # lines this close touch
_ONE = 5.0  # and such are one: double lines, and the four sides of neighbouring boxes
_MOST_LINES = 400  # in one direction
_INSET = 2.0
_OVERHANG = 8.0  # as far as lines stick out over the last one that crosses them, there is a column more


@dataclass(frozen=True, slots=True)
class Area:
    """A cell of a grid: rows and columns from `row` and `column`, counted from the top left, up to the ones after."""

    row: int
    column: int
    after_row: int
    after_column: int


@dataclass(frozen=True, slots=True)
class Grid:
    """`xs` are the edges of its columns from the left, `ys` those of its rows from the top (so they fall). `areas` are
    its cells in reading order; one may span several rows or columns."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    areas: tuple[Area, ...]

    def box(self, area: Area) -> tuple[float, float, float, float]:
        """Left, bottom, right, top of what is well inside the cell: letters of a neighbour may touch its edge."""
        left, right = self.xs[area.column] + _INSET, self.xs[area.after_column] - _INSET
        return left, self.ys[area.after_row] + _INSET, right, self.ys[area.row] - _INSET


def find_grids(rules: Iterable[Rule]) -> list[Grid]:
    """Grids of at least two rows and two columns, from the top of the page."""
    across, down = (
        _joined([rule for rule in rules if rule.y0 == rule.y1]),
        _joined([Rule(rule.y0, rule.x0, rule.y1, rule.x1) for rule in rules if rule.x0 == rule.x1]),
    )
    down = [Rule(rule.y0, rule.x0, rule.y1, rule.x1) for rule in down]
    if min(len(across), len(down)) < 2 or max(len(across), len(down)) > _MOST_LINES:
        return []
    grids = [grid for family in _families(across, down) for grid in _grids(*family)]
    return sorted(grids, key=lambda grid: -grid.ys[0])


def _joined(across: Sequence[Rule]) -> list[Rule]:
    """Lines on one height that touch, as one. (Lines down come here lying on their side.)"""
    joined: list[Rule] = []
    for on_it in _near_each_other(sorted(across, key=lambda rule: rule.y0)):
        height = on_it[0].y0
        for rule in sorted(on_it):
            if joined and joined[-1].y0 == height and rule.x0 <= joined[-1].x1 + _NEAR:
                joined[-1] = joined[-1]._replace(x1=max(joined[-1].x1, rule.x1))
            else:
                joined.append(Rule(rule.x0, height, rule.x1, height))
    return joined


def _near_each_other(rising: Sequence[Rule]) -> Iterator[list[Rule]]:
    run: list[Rule] = []
    for rule in rising:
        if run and rule.y0 - run[0].y0 > _ONE:
            yield run
            run = []
        run.append(rule)
    if run:
        yield run


def _clusters(places: Iterable[float]) -> list[float]:
    """Places that stand for all those near them, rising."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > _ONE:
            found.append(place)
    return found


def _families(across: Sequence[Rule], down: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Lines that hang together by crossing or touching."""
    families: list[tuple[list[Rule], list[Rule]]] = []
    open_across = list(across)
    while open_across:
        rows, columns = [open_across.pop()], list[Rule]()
        grown = True
        while grown:
            new_columns = [one for one in down if one not in columns and any(_cross(row, one) for row in rows)]
            columns += new_columns
            new_rows = [one for one in open_across if any(_cross(one, column) for column in new_columns)]
            rows += new_rows
            open_across = [one for one in open_across if one not in new_rows]
            grown = bool(new_rows)
        families.append((rows, columns))
    return families


def _cross(across: Rule, down: Rule) -> bool:
    return across.x0 - _NEAR <= down.x0 <= across.x1 + _NEAR and down.y0 - _NEAR <= across.y0 <= down.y1 + _NEAR


def _grids(across: Sequence[Rule], down: Sequence[Rule]) -> Iterator[Grid]:
    if len(across) < 2 or not down:
        return
    xs = _with_ends(_clusters(rule.x0 for rule in down), min(r.x0 for r in across), max(r.x1 for r in across))
    ys = _with_ends(_clusters(rule.y0 for rule in across), min(r.y0 for r in down), max(r.y1 for r in down))[::-1]
    areas = _areas(xs, ys, across, down)
    for first, after in _runs_of_rows(areas, len(xs) - 1, len(ys) - 1):
        grid = _part(xs, ys[first : after + 1], [area for area in areas if first <= area.row < after], first)
        if len(grid.xs) > 2 and len(grid.ys) > 2:
            yield grid


def _runs_of_rows(areas: Sequence[Area], columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """The rows between areas as wide as everything: a title above the columns, or a box beside a table. One such row
    amid others is a heading within its table, and stays."""
    first = 0
    for area in areas:
        if area.column == 0 and area.after_column == columns and (area.row == first or area.after_row > area.row + 1):
            yield first, area.row
            first = area.after_row
    yield first, rows


def _part(xs: Sequence[float], ys: Sequence[float], areas: Sequence[Area], first: int) -> Grid:
    """A grid of some of the rows, with the columns that they have."""
    edges = sorted({edge for area in areas for edge in (area.column, area.after_column)})
    place = {edge: number for number, edge in enumerate(edges)}
    moved = [
        Area(area.row - first, place[area.column], area.after_row - first, place[area.after_column]) for area in areas
    ]
    return Grid(tuple(xs[edge] for edge in edges), tuple(ys), tuple(moved))


def _with_ends(places: list[float], first: float, last: float) -> list[float]:
    """Tables are often open at their sides."""
    before = [first] if places[0] - first > _OVERHANG else []
    after = [last] if last - places[-1] > _OVERHANG else []
    return [*before, *places, *after]


def _areas(xs: Sequence[float], ys: Sequence[float], across: Sequence[Rule], down: Sequence[Rule]) -> list[Area]:
    """Cells grow to the right and down as long as no line parts them; a cell that is taken is not grown over."""
    rows, columns = len(ys) - 1, len(xs) - 1
    taken: set[tuple[int, int]] = set()
    areas = []
    for row in range(rows):
        for column in range(columns):
            if (row, column) in taken:
                continue
            after_column = column + 1
            while (
                after_column < columns
                and (row, after_column) not in taken
                and not _parts(down, xs[after_column], (ys[row] + ys[row + 1]) / 2, is_down=True)
            ):
                after_column += 1
            after_row = row + 1
            while after_row < rows and not any(
                _parts(across, ys[after_row], (xs[one] + xs[one + 1]) / 2, is_down=False)
                for one in range(column, after_column)
            ):
                after_row += 1
            taken |= {(r, c) for r in range(row, after_row) for c in range(column, after_column)}
            areas.append(Area(row, column, after_row, after_column))
    return areas


def _parts(rules: Sequence[Rule], place: float, along: float, *, is_down: bool) -> bool:
    """Whether one of the lines at `place` covers the point `along` it."""
    if is_down:
        return any(abs(rule.x0 - place) <= _ONE and rule.y0 <= along <= rule.y1 for rule in rules)
    return any(abs(rule.y0 - place) <= _ONE and rule.x0 <= along <= rule.x1 for rule in rules)
