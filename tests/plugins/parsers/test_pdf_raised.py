"""Raised characters of a PDF: notes and exponents are no part of the number or word before them."""

from __future__ import annotations

import pytest

from matrix.plugins.parsers.pdf.document import parse_pdf
from matrix.plugins.parsers.pdf.raised import with_raised_runs
from tests.plugins.parsers.pdf_writer import PdfPage, Words, lines, write_pdf

FULL = "The grey heron stands in the shallow water of the marsh and waits there"


@pytest.mark.feature("B11")
@pytest.mark.parametrize(
    ("before", "mark", "after", "read"),
    [
        ("The pump weighs 450", "3", "kilograms when it is dry", "The pump weighs 450 ³ kilograms when it is dry"),
        ("All depends on the pump", "12", "of the cabinet", "All depends on the pump ¹² of the cabinet"),
        ("The yard is 25 m", "2", "in all, and empty", "The yard is 25 m² in all, and empty"),
        ("This is the 1", "st", "edition of the book", "This is the 1st edition of the book"),
    ],
)
@pytest.mark.parametrize("rise", [4, 6])
def test_raised_numbers_are_no_part_of_what_they_follow(
    before: str, mark: str, after: str, read: str, rise: float
) -> None:
    end = 72 + _width(before, 11)
    following = end + _width(mark, 6.5) + 3.2
    row = [Words(before, y=700), Words(mark, end, 700 + rise, 6.5), Words(after, following, 700)]
    document, _ = parse_pdf(write_pdf([PdfPage([*row, *lines(FULL, top=680)])]))
    assert document.text.splitlines()[0].startswith(read)


def test_the_upper_half_of_a_fraction_stays_as_it_is() -> None:
    assert with_raised_runs("2 1/3", [False, False, True, False, False]) == "2 1/3"
    assert with_raised_runs("x1+2y", [False, True, True, True, False]) == "x¹⁺²y"


def test_a_lowered_number_is_none_of_them() -> None:
    end = 72 + _width("The gas is CO", 11)
    row = [Words("The gas is CO", y=700), Words("2", end, 697, 6.5), Words("and heavy", end + 8, 700)]
    assert "²" not in parse_pdf(write_pdf([PdfPage(row)]))[0].text


def _width(text: str, size: float) -> float:
    """Where Helvetica ends, in points."""
    widths = {" ": 278, "m": 833, "i": 222, "l": 222, "t": 278, "f": 278, "r": 333, "k": 500, "s": 500, "y": 500,
              "c": 500, "w": 722, "v": 500, "T": 611, "A": 667, "C": 722, "O": 778, "I": 278, "j": 222}  # fmt: skip
    return sum(widths.get(letter, 556) for letter in text) * size / 1000
