"""Running headers, footers and page numbers of a PDF: short lines at the edge of a page, apart from its text, that say
the same on other pages, but for numbers that move with the page's. Pure; deliberately shy, for a line that is dropped
cannot be found: a footnote, a total at the foot of each page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from matrix.plugins.parsers.pdf.lines import Line
from matrix.plugins.parsers.pdf.pages import PdfPage

_EDGE = 0.12  # of the page's height
_FEWEST_PAGES = 3
_FEWEST_NUMBERED = 2
_LINES_AT_EDGE = 3
_LONGEST = 120
_SHORT = 25
_APART = 0.6  # of the font size: the least space between furniture and text
_LARGE = 1.15
_ROW = 6.0  # points: lines this close stand in the same place
_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")
_ROMAN = -1  # for all of them: they number nothing but pages
_PAGE_NUMBER = re.compile(r"\W*(\d{1,4})\W*")

_Mark = tuple[str, str, int]


class _Place(NamedTuple):
    """A line that may be furniture: its page, which line it is there, and the numbers in it."""

    page: int
    line: int
    numbers: tuple[int, ...]


def without_furniture(pages: Sequence[PdfPage]) -> dict[int, tuple[Line, ...]]:
    """Each page's lines, by page number, less its furniture. A page that holds nothing else keeps it."""
    found: dict[_Mark, list[_Place]] = defaultdict(list)
    for page in pages:
        for index, mark in dict(_marks(page)).items():
            said = _NUMBERS.findall(page.lines[index].text.casefold())
            found[mark].append(_Place(page.number, index, tuple(int(n) if n.isdecimal() else _ROMAN for n in said)))
    repeated = {(place.page, place.line) for mark, places in found.items() for place in _repeated(mark, places)}
    kept = {}
    for page in pages:
        text = tuple(line for index, line in enumerate(page.lines) if (page.number, index) not in repeated)
        kept[page.number] = text or page.lines
    return kept


def _repeated(mark: _Mark, places: Sequence[_Place]) -> Iterator[_Place]:
    """Those that are furniture: they stand on enough pages, with numbers that stay or move with the page's. A short one
    may have others beside the page's number, such as a chapter's."""
    if mark[0] == "number":
        yield from places if len({place.page for place in places}) >= _FEWEST_NUMBERED else ()
        return
    columns = list(zip(*(place.numbers for place in places), strict=True))
    moving = [len({n - place.page for n, place in zip(column, places, strict=True)}) == 1 for column in columns]
    settled = [moves or len(set(column)) == 1 for moves, column in zip(moving, columns, strict=True)]
    if all(settled) or (any(moving) and len(mark[1]) <= _SHORT):
        yield from places if len({place.page for place in places}) >= _FEWEST_PAGES else ()
        return
    for same in ([one for one in places if one.numbers == numbers] for numbers in {one.numbers for one in places}):
        yield from same if len({place.page for place in same}) >= _FEWEST_PAGES else ()


def _marks(page: PdfPage) -> Iterator[tuple[int, _Mark]]:
    """Index and mark of each line that may be furniture, from either edge inwards."""
    down = sorted(range(len(page.lines)), key=lambda index: page.lines[index].top)
    up = sorted(range(len(page.lines)), key=lambda index: -page.lines[index].bottom)
    yield from _edge_marks(page, down, "top")
    yield from _edge_marks(page, up, "bottom")


def _edge_marks(page: PdfPage, order: Sequence[int], edge: str) -> Iterator[tuple[int, _Mark]]:
    usual = sorted(line.size for line in page.lines)[len(page.lines) // 2] if page.lines else 0.0
    for position, index in enumerate(order[:_LINES_AT_EDGE]):
        line = page.lines[index]
        # Maybe a heading: `Chapter 1`, `Chapter 2`, each at the top of its page. At the bottom there are none.
        large = edge == "top" and line.size > _LARGE * usual
        inner = [page.lines[other] for other in order[position + 1 :]]
        if line.ruled:
            table = [other for other in page.lines if other.ruled == line.ruled]
            if not all(_at_edge(row, page.height, edge) for row in table):
                continue  # the header of a table that goes on from page to page
            inner = [other for other in inner if other not in table]
        if len(line.text) > _LONGEST or not _stands_apart(line, inner):
            continue
        if position == 0 and not large and (number := _PAGE_NUMBER.fullmatch(line.text)):
            yield index, ("number", edge, int(number.group(1)) - page.number)
        elif _at_edge(line, page.height, edge):
            place = line.top if edge == "top" else line.bottom
            said = line.text.casefold()
            yield index, (edge, said if large else _NUMBERS.sub("#", said), round(place / _ROW))


def _at_edge(line: Line, height: float, edge: str) -> bool:
    return line.bottom < height * _EDGE if edge == "top" else line.top > height * (1 - _EDGE)


def _stands_apart(line: Line, others: Iterable[Line]) -> bool:
    """Empty space, or another line of the same row, is all that is next to the line."""
    for other in others:
        space = max(other.top - line.bottom, line.top - other.bottom)
        same_row = abs(other.top - line.top) < 0.5 * line.size
        if not same_row and space < _APART * line.size:
            return False
    return True
