"""PDFs written for the purpose: each shows one thing that pages do."""

from __future__ import annotations

import pytest

from matrix.domain.documents import BlockKind, ChunkingSettings
from matrix.errors import DocumentError
from matrix.ingest.chunking import chunk_document
from matrix.plugins.parsers import limits
from matrix.plugins.parsers.pdf.document import parse_pdf
from tests.plugins.parsers.blocks import assert_whole, of_kind, words
from tests.plugins.parsers.pdf_writer import PdfPage, Words, lines, write_pdf

FULL = "The grey heron stands in the shallow water of the marsh and waits there"


@pytest.mark.feature("B11")
def test_lines_become_paragraphs_and_broken_words_whole() -> None:
    page = [
        *lines(FULL + " for an hour exam-", "ple after another, until a fish comes near and then it moves.", top=700),
        *lines("A second paragraph begins after a gap.", top=640),
    ]
    document, _ = parse_pdf(write_pdf([PdfPage(page)]))
    assert [text for _, text in words(document)] == [
        FULL + " for an hour example after another, until a fish comes near and then it moves.",
        "A second paragraph begins after a gap.",
    ]
    assert_whole(document)


@pytest.mark.feature("B11")
def test_sizes_weight_and_outline_make_headings() -> None:
    page = [
        Words("Herons", y=740, size=22),
        *lines(*[FULL] * 3, top=700),
        Words("Listed in the outline", y=630, size=11),
        *lines(*[FULL] * 3, top=600),
        Words("Bold and alone", y=530, size=11, bold=True),
        *lines(*[FULL] * 3, top=500),
    ]
    document, _ = parse_pdf(write_pdf([PdfPage(page)], outline=[("Listed in the outline", 1)]))
    found = [(block.level, document.text[block.start : block.end]) for block in document.blocks if block.level]
    assert found == [(1, "Herons"), (1, "Listed in the outline"), (4, "Bold and alone")]


@pytest.mark.feature("B11")
def test_columns_are_read_one_after_the_other() -> None:
    left = lines(*[f"left column line {n} of the page" for n in range(8)], x=72, size=10)
    right = lines(*[f"right column line {n} of the page" for n in range(8)], x=320, size=10)
    rows = [word for pair in zip(left, right, strict=True) for word in pair]
    for drawn in ([*left, *right], rows, [*rows[::-1]]):
        text = parse_pdf(write_pdf([PdfPage(drawn)]))[0].text
        places = [text.index(f"{side} column line {n}") for side in ("left", "right") for n in range(8)]
        assert places == sorted(places)


@pytest.mark.feature("B11")
def test_every_line_knows_its_place() -> None:
    document, _ = parse_pdf(write_pdf([PdfPage([Words("Top left", x=72, y=700, size=20)])]))
    box = document.lines[0]
    assert document.text[box.start : box.end] == "Top left"
    assert box.page == 1
    assert box.x0 == pytest.approx(72, abs=1)
    assert box.bottom == pytest.approx(792 - 700, abs=5)  # the p hangs below the line
    assert 72 < box.top < box.bottom
    assert box.x0 < box.x1 < 160


@pytest.mark.feature("B11")
@pytest.mark.parametrize(
    ("rotation", "width", "height"), [(0, 612, 792), (90, 792, 612), (180, 612, 792), (270, 792, 612)]
)
def test_boxes_lie_on_the_page_as_it_is_seen(rotation: int, width: int, height: int) -> None:
    document, _ = parse_pdf(write_pdf([PdfPage(lines("Some words", "and more"), rotation=rotation)]))
    page = document.pages[0]
    assert (page.width, page.height) == (width, height)
    for box in document.lines:
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.top < box.bottom <= height


@pytest.mark.feature("B11")
def test_pages_are_counted_and_found_in_the_text() -> None:
    pages = [PdfPage(lines(f"On page {n} stands this sentence.")) for n in range(1, 4)]
    document, count = parse_pdf(write_pdf([*pages[:2], PdfPage(), pages[2]]))
    assert count == 4
    assert [(page.number, document.text[page.start : page.end]) for page in document.pages] == [
        (1, "On page 1 stands this sentence."),
        (2, "On page 2 stands this sentence."),
        (3, ""),
        (4, "On page 3 stands this sentence."),
    ]
    assert [block.page for block in document.blocks] == [1, 2, 4]


@pytest.mark.feature("B11")
def test_a_sentence_runs_on_over_the_page() -> None:
    first = PdfPage([*lines(FULL, FULL + " and")])
    second = PdfPage(lines("goes on here on the next page with more."))
    document, _ = parse_pdf(write_pdf([first, second]))
    assert [text for _, text in words(document)] == [f"{FULL} {FULL} and goes on here on the next page with more."]
    assert document.text[document.pages[1].start :].startswith("goes on")


@pytest.mark.feature("B11")
def test_running_headers_and_page_numbers_are_left_out() -> None:
    def page(number: int) -> PdfPage:
        body = lines(*[f"{FULL} {number}{line}" for line in range(4)], top=650)
        return PdfPage([Words("The Heron's Year", y=760), *body, Words(f"{number}", x=300, y=40)])

    document, _ = parse_pdf(write_pdf([page(number) for number in range(1, 6)]))
    assert "Heron's Year" not in document.text
    assert of_kind(document, BlockKind.PARAGRAPH)[0].endswith("13")


@pytest.mark.feature("B11")
def test_a_large_running_header_does_not_part_a_sentence() -> None:
    running = Words("Manual of the pump", x=300, y=760, size=14)
    pages = [PdfPage([running, *lines(*[f"and {FULL.lower()} {page}{row}" for row in range(6)])]) for page in "abcd"]
    document, _ = parse_pdf(write_pdf(pages))
    assert "Manual" not in document.text
    assert len(of_kind(document, BlockKind.PARAGRAPH)) == 1


@pytest.mark.feature("B11")
def test_page_numbers_are_left_out_however_large_and_whenever_they_were_drawn() -> None:
    text = "The horn is sounded in fog, and the keeper writes down when it was."
    pages = [
        [Words(f"Page {n}", x=270, y=40, size=14), *lines(*[f"{text} {n}.{m}" for m in range(9)])] for n in (1, 2, 3, 4)
    ]
    document, _ = parse_pdf(write_pdf([PdfPage(page) for page in pages]))
    assert "Page" not in document.text
    assert "The horn" in document.text


@pytest.mark.feature("B11")
def test_what_differs_in_other_numbers_than_the_pages_is_no_footer() -> None:
    def page(n: int) -> PdfPage:
        foot = [
            Words(f"{n} Repair costs of gate {n} were {n * 1317} euros.", y=60, size=8),
            Words(f"Manual of the heron, edition 4, page {n} of 6", y=25, size=8),
        ]
        return PdfPage([*lines(*[f"{FULL} {n}{line}" for line in range(4)], top=650), *foot])

    text = parse_pdf(write_pdf([page(n) for n in range(1, 7)]))[0].text
    assert all(f"were {n * 1317} euros" in text for n in range(1, 7))
    assert "edition" not in text


def test_numbered_chapters_at_the_top_of_their_pages_stay() -> None:
    pages = [
        PdfPage([Words(f"Chapter {n}", y=740, size=18), *lines(*[f"{FULL} {n}"] * 5, top=690)]) for n in range(1, 6)
    ]
    headings = of_kind(parse_pdf(write_pdf(pages))[0], BlockKind.HEADING)
    assert headings == [f"Chapter {n}" for n in range(1, 6)]


@pytest.mark.feature("B11")
def test_a_line_that_repeats_inside_the_text_stays() -> None:
    pages = [PdfPage(lines("Chapter summary", f"{FULL} {number}", FULL)) for number in range(5)]
    assert parse_pdf(write_pdf(pages))[0].text.count("Chapter summary") == 5


@pytest.mark.feature("B11")
def test_lists_and_tables_keep_their_items_and_rows() -> None:
    page = [
        *lines("\u2022 First thing to do", "\u2022 Second thing to do", top=700),
        *[
            Words(cell, x=x, y=600 - 15 * row)
            for row, cells in enumerate([("Month", "Nests", "Eggs"), ("May", "12", "40"), ("June", "9", "31")])
            for x, cell in zip((72, 200, 300), cells, strict=True)
        ],
    ]
    document, _ = parse_pdf(write_pdf([PdfPage(page)]))
    assert of_kind(document, BlockKind.LIST_ITEM) == ["\u2022 First thing to do", "\u2022 Second thing to do"]
    assert of_kind(document, BlockKind.TABLE) == [
        "| Month | Nests | Eggs |\n| --- | --- | --- |\n| May | 12 | 40 |\n| June | 9 | 31 |"
    ]
    assert_whole(document)


@pytest.mark.feature("B11")
def test_what_was_written_into_a_form_is_read() -> None:
    page = PdfPage(
        [Words("Captain:", y=700), Words("Remarks:", y=660)],
        fields=[("Ingrid Solberg-Vance", 140, 696), ("All well on board.", 72, 630), ("Off", 300, 630)],
    )
    text = parse_pdf(write_pdf([page]))[0].text
    assert "Captain: Ingrid Solberg-Vance" in text
    assert text.index("Remarks:") < text.index("All well on board.") and "Off" not in text


@pytest.mark.feature("B11")
def test_attached_files_are_named_in_a_warning() -> None:
    document, _ = parse_pdf(write_pdf([[FULL]], attached=["inside.txt", "more.csv"]))
    assert [warning for warning in document.warnings if "inside.txt, more.csv" in warning]
    assert parse_pdf(write_pdf([[FULL]]))[0].warnings == ()


@pytest.mark.feature("B11")
def test_a_scan_is_a_warning_that_names_its_pages() -> None:
    scan = PdfPage(picture=True)
    document, _ = parse_pdf(write_pdf([PdfPage(lines("Cover")), scan, scan, PdfPage(), scan]))
    (warning,) = document.warnings
    assert warning.startswith(
        "Pages 2-3, 5 hold only a picture and no text; reading pictures (OCR) is not available yet"
    )


@pytest.mark.feature("B1", "B11")
def test_an_encrypted_file_is_reported_as_such() -> None:
    with pytest.raises(DocumentError) as refusal:
        parse_pdf(write_pdf([["secret"]], encrypted=True))
    assert refusal.value.code == "encrypted"
    assert "password" in refusal.value.advice


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"%PDF-1.7\n" + bytes(5000), b"not a PDF at all"])
def test_a_broken_file_is_reported_as_such(data: bytes) -> None:
    with pytest.raises(DocumentError) as refusal:
        parse_pdf(data)
    assert refusal.value.code == "corrupt"


@pytest.mark.feature("B11")
def test_a_damaged_file_is_read_by_the_second_reader_and_says_so() -> None:
    whole = write_pdf([[FULL, "and more of it."]])
    document, count = parse_pdf(b"\x00" * 2000 + whole)  # too late a header for PDFium
    assert (document.text, count) == (f"{FULL} and more of it.", 1)
    assert "damaged" in document.warnings[0]


@pytest.mark.parametrize(
    ("given", "read"), [("The heron's year", "The heron's year"), ("untitled", "Herons"), ("heron.docx", "Herons")]
)
def test_a_title_that_is_none_gives_way_to_the_printed_one(given: str, read: str) -> None:
    page = PdfPage([Words("Herons", y=740, size=22), *lines(*[FULL] * 3, top=700)])
    assert parse_pdf(write_pdf([page], title=given))[0].title == read


def test_limits_of_pages_and_characters_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    too_many = write_pdf([[]] * (limits.MAX_PAGES + 1))
    with pytest.raises(DocumentError) as refusal:
        parse_pdf(too_many, 0, 1)
    assert refusal.value.code == "too_long"
    too_full = write_pdf([["x" * 100] * (limits.MAX_PAGE_CHARACTERS // 100 + 1)])
    with pytest.raises(DocumentError) as refusal:
        parse_pdf(too_full)
    assert refusal.value.code == "too_long"


def _passages(data: bytes) -> dict[str, tuple[int | None, tuple[str, ...]]]:
    """Page and headings of each passage, by its first line."""
    made = chunk_document(parse_pdf(data)[0], ChunkingSettings(size=600, overlap=0))
    return {chunk.text.splitlines()[0]: (chunk.page, chunk.section_path) for chunk in made}


@pytest.mark.feature("B11", "B16")
@pytest.mark.parametrize("outlined", [True, False])
def test_a_passage_that_begins_at_a_heading_bears_it_and_its_page(outlined: bool) -> None:
    pages = [
        [Words(f"{page}. Chapter of the {name}", y=720, size=16), *lines(*[f"{FULL} {name}"] * 5, top=690)]
        for page, name in enumerate(("heron", "stork", "crane"), 1)
    ]
    outline = [(f"Chapter of the {name}", page) for page, name in enumerate(("heron", "stork", "crane"), 1)]
    found = _passages(write_pdf([PdfPage(page) for page in pages], outline=outline if outlined else ()))
    assert found == {
        f"{page}. Chapter of the {name}": (page, (f"{page}. Chapter of the {name}",))
        for page, name in enumerate(("heron", "stork", "crane"), 1)
    }


@pytest.mark.feature("B11")
def test_a_sentence_that_ends_in_the_words_of_a_title_is_no_heading() -> None:
    page = [
        Words("1 Calibration", y=740, size=16),
        *lines(FULL, "until the cabinet is checked as told under Calibration", FULL, top=700),
        Words("2 Transport of the", y=600, size=16),
        Words("calibrated cabinet", y=582, size=16),
        *lines(*[FULL] * 3, top=550),
    ]
    outline = [("Calibration", 1), ("2 Transport of the calibrated cabinet", 1)]
    document, _ = parse_pdf(write_pdf([PdfPage(page)], outline=outline))
    found = [(block.level, document.text[block.start : block.end]) for block in document.blocks if block.level]
    assert found == [(1, "1 Calibration"), (1, "2 Transport of the calibrated cabinet")]
