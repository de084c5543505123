"""Tables of a PDF whose cells are wrapped: rows stay whole, and nothing else joins them."""

from __future__ import annotations

import pytest

from matrix.plugins.parsers.pdf.document import parse_pdf
from tests.plugins.parsers.pdf_writer import PdfPage, Words, write_pdf


def _table(*rows: str, step: float = 13, within: float = 13) -> str:
    """The text of a page with a table; `|` parts its columns, and a row that begins with one stands `within` points
    under the one before, others `step`."""
    y, drawn = 720.0, []
    for row in rows:
        y -= within if row.startswith("|") else step
        drawn += [Words(cell, x, y, 10) for cell, x in zip(row.split("|"), (72, 180, 360), strict=False) if cell]
    return parse_pdf(write_pdf([PdfPage(drawn)]))[0].text


@pytest.mark.feature("B11")
@pytest.mark.parametrize("step", [13, 20])
def test_a_wrapped_cell_is_part_of_its_row(step: float) -> None:
    text = _table(
        "Article|Description|Price",
        "BR-1|Solace lamp for the|49",
        "|bedside table",
        "BR-2|Plain lamp|59",
        "BR-3|Lamp with a long arm|79",
        "|and a heavy foot",
        "BR-4|Lamp|19",
        step=step,
    )
    assert text.splitlines()[2:] == [
        "| BR-1 | Solace lamp for the bedside table | 49 |",
        "| BR-2 | Plain lamp | 59 |",
        "| BR-3 | Lamp with a long arm and a heavy foot | 79 |",
        "| BR-4 | Lamp | 19 |",
    ]


@pytest.mark.feature("B11")
def test_several_wrapped_cells_are_told_by_the_distance_of_rows() -> None:
    rows = [
        "Part|Use|Remark",
        "Slate|for the roof|only while stock",
        "|and the wall|lasts",
        "Tiles|none|none",
        "Bricks|none|none",
    ]
    assert "| Slate | for the roof and the wall | only while stock lasts |" in _table(*rows, step=20, within=12)


@pytest.mark.feature("B11")
def test_what_may_be_a_row_of_its_own_stays_one() -> None:
    grouped = _table("Kind|Fruit|Count", "Stone|Plum|3", "|Cherry|40", "Pome|Pear|5", "|Apple|6")
    assert grouped.splitlines()[2:] == [
        "| Stone | Plum | 3 |",
        "|  | Cherry | 40 |",
        "| Pome | Pear | 5 |",
        "|  | Apple | 6 |",
    ]
    total = _table("Kind|Fruit|Count", "Stone|Plum|31", "Pome|Pear|540", "||571")
    assert total.splitlines()[-1] == "|  |  | 571 |"


@pytest.mark.feature("B11")
def test_text_under_a_table_is_none_of_it() -> None:
    text = _table("Kind|Fruit|Count", "Stone|Plum|3", "Pome|Pear|5", "Prices", "of the year")
    assert " ".join(text.splitlines()[4:]).split() == ["Prices", "of", "the", "year"]
    assert text.splitlines()[:4] == [
        "| Kind | Fruit | Count |",
        "| --- | --- | --- |",
        "| Stone | Plum | 3 |",
        "| Pome | Pear | 5 |",
    ]
