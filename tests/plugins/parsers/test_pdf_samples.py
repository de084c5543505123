"""Odd PDFs that others have met: each is read, or refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matrix.errors import DocumentError
from matrix.plugins.parsers.pdf.document import parse_pdf
from tests.plugins.parsers.blocks import assert_whole

SAMPLES = Path(__file__).parents[3] / "../shared/benchmarks/extraction/pdf"
FILES = sorted(SAMPLES.glob("*/*.pdf"))
pytestmark = pytest.mark.skipif(not FILES, reason="../shared/benchmarks is absent: its PDFs were not read")


@pytest.mark.feature("B1", "B11")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_sample_is_read_or_refused_with_a_reason(path: Path) -> None:
    known = {entry["path"]: entry for entry in json.loads((SAMPLES / "files.json").read_text("utf-8"))["data"]}
    entry = known[f"{path.parent.name}/{path.name}"]
    try:
        document, count = parse_pdf(path.read_bytes())
    except DocumentError as refusal:
        assert (refusal.code, entry["encrypted"]) == ("encrypted", True)
    else:
        assert count == entry["pages"]
        assert document.blocks or document.warnings
        assert_whole(document)


@pytest.mark.feature("B11")
@pytest.mark.parametrize("name", ["habibi.pdf", "habibi-oneline-cmap.pdf", "habibi-rotated.pdf"])
def test_arabic_keeps_its_letters(name: str) -> None:
    text = parse_pdf((SAMPLES / "015-arabic" / name).read_bytes())[0].text
    assert "habibi" in text
    assert "ي" in text


@pytest.mark.feature("B11")
def test_two_columns_of_a_paper_are_read_in_order() -> None:
    document, _ = parse_pdf((SAMPLES / "026-latex-multicolumn/multicolumn.pdf").read_bytes())
    text = document.text
    marks = ["Abstract", "consectetuer adipiscing elit. Ut purus", "Donec nonummy pellentesque ante", "Fusce mauris."]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "| Austria | 8.9 | 83,879 | Vienna | German |" in text
