"""How tests look at a parsed document: its blocks with their words, and the rules that hold for every document."""

from __future__ import annotations

from itertools import pairwise

from matrix.domain.documents import BlockKind, ParsedDocument


def words(document: ParsedDocument) -> list[tuple[BlockKind, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def of_kind(document: ParsedDocument, kind: BlockKind) -> list[str]:
    return [text for found, text in words(document) if found is kind]


def assert_whole(document: ParsedDocument) -> None:
    """Ranges are in order, do not overlap, lie in the text, and blocks begin and end with a visible character."""
    for spans in (document.blocks, document.lines, document.pages):
        ranges = [(span.start, span.end) for span in spans]
        assert all(0 <= start <= end <= len(document.text) for start, end in ranges)
        assert all(before[1] <= after[0] for before, after in pairwise(ranges))
    for _, text in words(document):
        assert text and text == text.strip()
    for block in document.blocks:
        assert (block.level > 0) == (block.kind is BlockKind.HEADING)
