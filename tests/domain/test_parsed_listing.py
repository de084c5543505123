from __future__ import annotations

from matrix.domain.documents import Block, BlockKind, ParsedDocument
from matrix.domain.parsed_listing import list_document


def test_a_document_is_listed_with_its_blocks() -> None:
    document = ParsedDocument(
        text="Herons\n\nThey wait.",
        blocks=(Block(BlockKind.HEADING, 0, 6, level=1, page=1), Block(BlockKind.PARAGRAPH, 8, 18)),
        media_type="application/pdf",
        title="Herons",
        warnings=("Page 2 holds only a picture.",),
    )
    assert list(list_document(document)) == [
        "title: Herons",
        "media type: application/pdf",
        "characters: 18, blocks: 2, pages: 0",
        "warning: Page 2 holds only a picture.",
        "",
        "[HEADING 1 page 1 0-6]",
        "Herons",
        "",
        "[PARAGRAPH 8-18]",
        "They wait.",
    ]
