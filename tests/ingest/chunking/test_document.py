"""What the chunks of a document look like, kind of text by kind of text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from matrix.domain.documents import Block, BlockKind, Chunk, ChunkingSettings, PageSpan, PageStart, ParsedDocument
from matrix.errors import InvalidInput
from matrix.ingest.chunking import chunk_document
from matrix.plugins.parsers.markdown import parse_markdown
from tests.ingest.chunking.documents import chunks, heading, paragraph, parsed, prose


def holder(made: tuple[Chunk, ...], text: str) -> Chunk:
    return next(chunk for chunk in made if text in chunk.text)


@pytest.mark.feature("B15")
def test_a_small_document_is_one_chunk_and_a_blank_one_none() -> None:
    (only,) = chunks(heading("Rules"), paragraph("Close the gate."))
    assert only.text == "## Rules\n\nClose the gate."
    assert chunks(paragraph(" \n\n \t")) == ()
    assert chunk_document(ParsedDocument("", (), "text/plain"), ChunkingSettings()) == ()


@pytest.mark.feature("B15")
def test_sections_that_are_large_enough_begin_their_own_chunks() -> None:
    made = chunks(heading("Lorries"), prose("lorry", 900), heading("Ships"), prose("ship", 900))
    assert [chunk.text.splitlines()[0] for chunk in made] == ["## Lorries", "## Ships"]
    assert [chunk.section_path for chunk in made] == [("Lorries",), ("Ships",)]


@pytest.mark.feature("B15", "B16")
def test_tiny_sections_share_a_chunk_that_bears_their_common_heading() -> None:
    parts = [heading("Gates", 1)]
    for name in ("North", "East", "South"):
        parts += [heading(name), paragraph(f"The {name} gate opens at six.")]
    (only,) = chunks(*parts)
    assert only.section_path == ("Gates",)
    assert only.context == "Gates"
    assert [section.path for section in only.section_starts] == [
        ("Gates",),
        ("Gates", "North"),
        ("Gates", "East"),
        ("Gates", "South"),
    ]
    assert [only.text[section.start :].splitlines()[0] for section in only.section_starts] == [
        "# Gates",
        "## North",
        "## East",
        "## South",
    ]


@pytest.mark.feature("B15", "B16")
def test_tiny_sections_without_a_common_heading_bear_the_first() -> None:
    (only,) = chunks(heading("North", 1), paragraph("It opens at six."), heading("East", 1), paragraph("At seven."))
    assert only.section_path == ("North",)
    assert only.context == ""
    assert [section.path for section in only.section_starts] == [("North",), ("East",)]


@pytest.mark.feature("B16")
def test_a_passage_that_is_a_heading_alone_bears_it() -> None:
    made = chunks(heading("Gates", 1), heading("North"))
    assert [chunk.section_path for chunk in made] == [("Gates",)]
    (alone,) = chunks(heading("North"))
    assert (alone.section_path, alone.section_starts) == (("North",), ())


@pytest.mark.feature("B15", "B16")
def test_headings_prefix_every_chunk_of_their_section() -> None:
    made = chunks(heading("Manual", 1), heading("Care of **the** [pump](http://x)"), prose("pump", 6000))
    assert len(made) > 3
    assert {chunk.section_path for chunk in made} == {("Manual", "Care of the pump")}
    assert made[2].embedded_text.startswith("Manual > Care of the pump\n\n")


def test_a_heading_is_never_the_end_of_a_chunk() -> None:
    parts = []
    for number in range(40):
        parts += [heading(f"Section {number}"), prose(f"item{number}", 150 + 60 * (number % 7))]
    assert all(not chunk.text.splitlines()[-1].startswith("#") for chunk in chunks(*parts))


@pytest.mark.feature("B15")
def test_sentences_are_whole() -> None:
    made = chunks(prose("box", 9000))
    assert len(made) > 4
    assert all(chunk.text.startswith("The box") and chunk.text.endswith("noon.") for chunk in made)


def test_paragraphs_are_whole_where_there_is_a_choice() -> None:
    paragraphs = [prose(f"item{number}", 300) for number in range(40)]
    ends = {text for _, text in paragraphs}
    for chunk in chunks(*paragraphs):
        assert any(chunk.text.endswith(text) for text in ends)


@pytest.mark.feature("B15")
def test_overlap_is_the_last_whole_sentences_of_the_chunk_before() -> None:
    made = chunks(prose("box", 9000))
    for before, after in pairwise(made):
        assert 0 < before.end - after.start <= 200
        assert after.text.startswith("The box")


def test_one_sentence_longer_than_the_overlap_is_taken_in_part_from_a_word() -> None:
    long_sentences = [
        " ".join(f"{word}{number}" for word in ("pallet", "crane", "ferry") * 20) + "." for number in "ABCDE"
    ]
    made = chunks(paragraph(" ".join(long_sentences)), size=1000, overlap=100)
    for before, after in pairwise(made):
        assert 0 < before.end - after.start <= 100
        assert after.text.split(maxsplit=1)[0][:-1] in ("pallet", "crane", "ferry")


def test_nothing_overlaps_across_a_heading_or_into_code() -> None:
    made = chunks(
        prose("box", 1500), heading("Next"), prose("pump", 1500), (BlockKind.CODE, "run()\n" * 250), prose("ship", 1500)
    )
    assert [chunk.text[:5] for chunk in made] == ["The b", "## Ne", "run()", "The s"]


@pytest.mark.feature("B15")
def test_code_that_fits_is_whole() -> None:
    code = "def load(crate):\n    lift(crate)\n\n\n    drop(crate)\n" * 35
    made = chunks(prose("box", 900), (BlockKind.CODE, code.strip()), prose("pump", 900))
    assert code.strip() in holder(made, "def load").text


def test_code_that_does_not_fit_is_cut_at_blank_lines() -> None:
    code = "\n\n".join(f"def load{number}(crate):\n    lift(crate)\n    drop(crate, {number})" for number in range(120))
    made = chunks((BlockKind.CODE, code))
    assert len(made) > 3
    assert all(chunk.text.startswith("def load") for chunk in made)


@pytest.mark.feature("B15")
def test_a_record_is_whole() -> None:
    records = [(BlockKind.RECORD, f"name: Box {n}\n\nnote: " + f"Came in {n}. Went out. " * 30) for n in range(12)]
    made = chunks(*records)
    for _, record in records:
        assert any(record.strip() in chunk.text for chunk in made)


@pytest.mark.feature("B15")
def test_table_rows_are_whole_and_the_header_comes_along() -> None:
    header = "| crate | place |\n|---|---|"
    rows = [f"| crate {number}. Heavy. | yard {number} |" for number in range(300)]
    made = chunks(heading("Stock"), (BlockKind.TABLE, "\n".join([header, *rows])))
    assert len(made) > 3
    assert made[0].context == "Stock"
    for chunk in made[1:]:
        assert chunk.context == f"Stock\n\n{header}"
        assert all(line in rows for line in chunk.text.splitlines())


def test_a_row_longer_than_a_chunk_is_cut_after_all() -> None:
    made = chunks((BlockKind.TABLE, "| a |\n|---|\n| " + "word " * 900 + "|\n| last |"))
    assert max(len(chunk.text) for chunk in made) <= 2000


def test_list_items_are_whole_and_stay_with_their_lead_in() -> None:
    items = [(BlockKind.LIST_ITEM, f"- Step {n}: lift the crate. Then put it down. Then rest.") for n in range(12)]
    made = chunks(prose("box", 1300), paragraph("Do this:"), *items)
    assert any("Do this:\n\n- Step 0" in chunk.text for chunk in made)
    assert all(chunk.text.rsplit("\n\n", 1)[-1][:3] in ("The", "- S") for chunk in made)


def test_text_that_no_block_covers_is_not_lost() -> None:
    document = ParsedDocument("before. block after", (Block(BlockKind.PARAGRAPH, 8, 13),), "text/plain")
    (only,) = chunk_document(document, ChunkingSettings())
    assert only.text == "before. block after"


@pytest.mark.feature("B16")
def test_a_chunk_records_position_offsets_page_and_language() -> None:
    document = parsed(prose("box", 3000), prose("pump", 3000), language="en")
    turn = document.text.index("The pump number 20")
    pages = (PageSpan(1, 0, turn, 595, 842), PageSpan(2, turn, len(document.text), 595, 842))
    document = ParsedDocument(document.text, document.blocks, "application/pdf", language="en", pages=pages)
    made = chunk_document(document, ChunkingSettings())
    assert [chunk.position for chunk in made] == list(range(len(made)))
    for before, after in pairwise(made):
        assert after.text == document.text[after.start : after.end]
        assert after.page == (1 if before.end < turn - 1 else 2)  # its own text begins where the chunk before ends
    assert {chunk.page for chunk in made} == {1, 2}
    assert {chunk.language for chunk in made} == {"en"}


def test_without_pages_a_chunk_has_the_page_of_its_block() -> None:
    document = ParsedDocument("one", (Block(BlockKind.PARAGRAPH, 0, 3, page=7),), "application/pdf")
    assert chunk_document(document, ChunkingSettings())[0].page == 7


@pytest.mark.feature("B15")
def test_sizes_in_tokens_are_four_characters_each() -> None:
    document = parsed(prose("box", 30_000))
    in_tokens = chunk_document(document, ChunkingSettings(size=800, overlap=100, unit="TOKENS"))
    assert in_tokens == chunk_document(document, ChunkingSettings(size=3200, overlap=400))


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        (ChunkingSettings(size=99, overlap=0), "chunkSize"),
        (ChunkingSettings(size=32_001), "chunkSize"),
        (ChunkingSettings(size=8_001, unit="TOKENS"), "chunkSize"),
        (ChunkingSettings(size=500, overlap=500), "chunkOverlap"),
        (ChunkingSettings(overlap=-1), "chunkOverlap"),
        (ChunkingSettings(unit="WORDS"), "chunkUnit"),
        (ChunkingSettings(strategy="MAGIC"), "chunkingStrategy"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(settings: ChunkingSettings, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        chunk_document(parsed(paragraph("x")), settings)
    assert refused.value.field == field


@pytest.mark.feature("B16")
def test_a_chunk_over_two_pages_knows_where_each_begins() -> None:
    text = "First page.\n\nSecond page."
    blocks = (Block(BlockKind.PARAGRAPH, 0, 11, page=1), Block(BlockKind.PARAGRAPH, 13, 25, page=2))
    pages = (PageSpan(1, 0, 11, 600, 800), PageSpan(2, 13, 25, 600, 800))
    [chunk] = chunk_document(ParsedDocument(text, blocks, "application/pdf", pages=pages), ChunkingSettings())
    assert chunk.page_starts == (PageStart(1, 0), PageStart(2, 13))
    [alone] = chunk_document(
        ParsedDocument(text[:11], blocks[:1], "application/pdf", pages=pages[:1]), ChunkingSettings()
    )
    assert alone.page_starts == ()


@pytest.mark.feature("B15", "B16")
def test_the_marks_of_a_heading_stay_with_it_and_its_section() -> None:
    body = "The pump hums in the yard until noon and then it stops. " * 20
    source = (
        f"# Manual\n\n## Care\n\n{body}\n\n## Calibration\n\n{body}\n\nSetext\n======\n\n{body}\n\n> # Quoted\n\n{body}"
    )
    made = chunk_document(parse_markdown(source.encode()), ChunkingSettings(size=1300, overlap=100))
    assert [(chunk.text.splitlines()[0], chunk.section_path) for chunk in made] == [
        ("# Manual", ("Manual", "Care")),
        ("## Calibration", ("Manual", "Calibration")),
        ("Setext", ("Setext",)),
        ("> # Quoted", ("Quoted",)),
    ]
    assert all(chunk.text.endswith("then it stops.") for chunk in made)
    assert made[1].context == "Manual > Calibration"
