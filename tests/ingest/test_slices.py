"""Slices of a document come together as if it had been parsed in one piece."""

from __future__ import annotations

from matrix.domain.documents import Block, BlockKind, LineBox, PageSpan, ParsedDocument
from matrix.ingest.slices import PageSlice, merge_slices


def _slice(text: str, page: int, title: str | None = None, warnings: tuple[str, ...] = ()) -> PageSlice:
    end = len(text)
    document = ParsedDocument(
        text=text,
        blocks=(Block(BlockKind.PARAGRAPH, 0, end, page=page),) if text else (),
        media_type="application/pdf",
        title=title,
        pages=(PageSpan(page, 0, end, 612, 792),),
        lines=(LineBox(page, 0, end, 0, 0, 1, 1),) if text else (),
        warnings=warnings,
    )
    return PageSlice(document, 3)


def test_ranges_move_and_warnings_come_once() -> None:
    merged = merge_slices(
        [
            _slice("first", 1, "Title", ("damaged",)),
            _slice("", 2, None, ("damaged", "page 2")),
            _slice("third", 3, "No"),
        ]
    )
    assert merged.text == "first\n\nthird"
    assert [merged.text[block.start : block.end] for block in merged.blocks] == ["first", "third"]
    assert [merged.text[line.start : line.end] for line in merged.lines] == ["first", "third"]
    assert [(page.number, merged.text[page.start : page.end]) for page in merged.pages] == [
        (1, "first"),
        (2, ""),
        (3, "third"),
    ]
    assert merged.title == "Title"
    assert merged.warnings == ("damaged", "page 2")


def test_a_document_without_text_says_so() -> None:
    assert "no text" in merge_slices([_slice("", 1)]).warnings[0]
    assert merge_slices([_slice("", 1, warnings=("Page 1 holds only a picture",))]).warnings == (
        "Page 1 holds only a picture",
    )
