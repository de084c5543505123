"""Tables whose cells are framed by lines, however the lines are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from matrix.domain.documents import BlockKind
from matrix.plugins.parsers.pdf.document import parse_pdf
from matrix.plugins.parsers.pdf.readers.ruling import Rule
from matrix.plugins.parsers.pdf.tables.grids import find_grids
from tests.plugins.parsers.blocks import assert_whole, of_kind
from tests.plugins.parsers.pdf_writer import PdfPage, Words, lines, write_pdf

pytestmark = pytest.mark.feature("B11")
XS = (72, 130, 300, 520)
STEP = 40


def grid(xs: Sequence[float], ys: Sequence[float], how: str) -> bytes:
    """All lines of a grid; `how` they are drawn."""
    segments = [(xs[0], y, xs[-1], y) for y in ys] + [(x, ys[0], x, ys[-1]) for x in xs]
    match how:
        case "strokes":
            return b"".join(b"%g %g m %g %g l S\n" % one for one in segments)
        case "one path":
            return b"".join(b"%g %g m %g %g l\n" % one for one in segments) + b"S\n"
        case "thin boxes":
            return b"".join(b"%g %g %g %g re f\n" % (a, b, (c - a) or 0.5, (d - b) or 0.5) for a, b, c, d in segments)
        case "cells":
            corners = [(x, y, x1 - x, y1 - y) for x, x1 in pairwise(xs) for y, y1 in pairwise(ys)]
            return b"".join(b"%g %g %g %g re S\n" % one for one in corners)
    raise ValueError(how)


def table(rows: Sequence[Sequence[str]], top: float = 720, how: str = "strokes") -> PdfPage:
    """A page with a table of three columns; a `/` in a cell is a line end."""
    ys = [top - STEP * n for n in range(len(rows) + 1)]
    words = [
        Words(part, XS[column] + 4, ys[row] - 14 - 12 * line, 10)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
        for line, part in enumerate(cell.split("/"))
        if part
    ]
    return PdfPage(words, drawn=grid(XS, ys, how))


FAULTS = [
    ("Code", "Meaning", "Remedy"),
    ("F-1", "The sensor of the first/circuit lies", "Replace the sensor and/write it into the log"),
    ("F-2", "The pump stands", "Free the wheel; then run/the calibration again"),
]
READ = """| Code | Meaning | Remedy |
| --- | --- | --- |
| F-1 | The sensor of the first circuit lies | Replace the sensor and write it into the log |
| F-2 | The pump stands | Free the wheel; then run the calibration again |"""


@pytest.mark.parametrize("how", ["strokes", "one path", "thin boxes", "cells"])
def test_wrapped_cells_are_read_cell_by_cell(how: str) -> None:
    document, _ = parse_pdf(write_pdf([table(FAULTS, how=how)]))
    assert of_kind(document, BlockKind.TABLE) == [READ]
    assert_whole(document)
    first, *_ = [box for box in document.lines if "F-1" in document.text[box.start : box.end]]
    assert (round(first.top), round(first.bottom)) == (792 - 680, 792 - 640)


def test_text_around_the_table_stays_where_it_is() -> None:
    page = table(FAULTS)
    around = PdfPage(
        [*lines("Before the table.", top=750), *page.words, *lines("After the table.", top=560)], drawn=page.drawn
    )
    document, _ = parse_pdf(write_pdf([around]))
    assert document.text == f"Before the table.\n\n{READ}\n\nAfter the table."


def test_a_value_that_spans_rows_stands_in_each() -> None:
    spanned = b"".join(
        b"%g %g m %g %g l S\n" % one
        for one in [
            *[(72, y, 520, y) for y in (720, 680, 600)],
            (130, 640, 520, 640),
            *[(x, 720, x, 600) for x in XS],
        ]
    )
    words = [
        *[Words(text, x + 4, 700, 10) for text, x in zip(("Region", "Office", "Head"), XS, strict=False)],
        Words("North", 76, 645, 10),
        *[Words(text, x + 4, 660, 10) for text, x in zip(("Bergen", "Moe"), XS[1:], strict=False)],
        *[Words(text, x + 4, 620, 10) for text, x in zip(("Vik", "Lie"), XS[1:], strict=False)],
    ]
    [found] = of_kind(parse_pdf(write_pdf([PdfPage(words, drawn=spanned)]))[0], BlockKind.TABLE)
    assert found.splitlines()[2:] == ["| North | Bergen | Moe |", "| North | Vik | Lie |"]


@pytest.mark.parametrize("repeated", [True, False])
def test_a_table_goes_on_over_the_page(repeated: bool) -> None:
    rows = [(f"F-{n}", f"Meaning {n}", f"Remedy {n}") for n in range(1, 7)]
    head = ("Code", "Meaning", "Remedy")
    pages = [table([head, *rows[:3]]), table([head, *rows[3:]] if repeated else rows[3:])]
    document, _ = parse_pdf(write_pdf(pages))
    [found] = of_kind(document, BlockKind.TABLE)
    assert found.splitlines() == [
        "| Code | Meaning | Remedy |",
        "| --- | --- | --- |",
        *[f"| {' | '.join(row)} |" for row in rows],
    ]
    assert document.text[document.pages[1].start :].startswith("| F-4")


def test_the_repeated_header_of_a_long_table_is_no_running_header() -> None:
    head = ("Code", "Meaning", "Remedy")
    page = [table([head, *[(f"F-{p}{n}", "Meaning", "Remedy of it") for n in range(9)]], top=780) for p in range(5)]
    [found] = of_kind(parse_pdf(write_pdf(page))[0], BlockKind.TABLE)
    assert found.startswith("| Code | Meaning | Remedy |\n") and found.count("Code") == 1


def test_a_title_over_all_columns_is_no_header() -> None:
    ys = (720, 700, 660, 620)
    drawn = b"".join(
        b"%g %g m %g %g l S\n" % one
        for one in [*[(72, y, 520, y) for y in ys], (72, 720, 72, 620), (520, 720, 520, 620), (300, 700, 300, 620)]
    )
    words = [
        Words("Weights of all pumps", 200, 706, 10),
        *[Words(text, x, 676, 10) for text, x in (("Pump", 76), ("Weight", 304))],
        *[Words(text, x, 636, 10) for text, x in (("P-1", 76), ("12 kg", 304))],
    ]
    document, _ = parse_pdf(write_pdf([PdfPage(words, drawn=drawn)]))
    assert of_kind(document, BlockKind.TABLE) == ["| Pump | Weight |\n| --- | --- |\n| P-1 | 12 kg |"]
    assert document.text.startswith("Weights of all pumps")


def test_frames_and_drawings_are_no_tables() -> None:
    framed = PdfPage(lines("A note in a frame.", "It goes on here.", top=700), drawn=b"60 660 300 60 re S\n")
    chart = PdfPage(
        lines("0", "10", "20", x=60, top=700, pitch=40), drawn=grid(range(80, 480, 20), range(300, 720, 20), "strokes")
    )
    for page in (framed, chart):
        assert of_kind(parse_pdf(write_pdf([page]))[0], BlockKind.TABLE) == []


def test_grids_are_told_apart_and_open_sides_closed() -> None:
    left = [Rule(0, y, 100, y) for y in (0, 20, 40)] + [Rule(50, 0, 50, 40)]
    right = [Rule(200, y, 300, y) for y in (0, 20, 40)] + [Rule(x, 0, x, 40) for x in (200, 250, 300)]
    grids = find_grids([*left, *right])
    assert sorted(grid.xs for grid in grids) == [(0, 50, 100), (200, 250, 300)]
    assert all(len(grid.areas) == 4 for grid in grids)
    assert find_grids([Rule(0, y, 100, y) for y in range(0, 100, 10)]) == []
