"""The parsed text as an unbroken row of stretches: the parser's blocks, and what it left between them as paragraphs.
Each knows the headings above it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from matrix.domain.documents import Block, BlockKind, ParsedDocument
from matrix.domain.graphemes import trim

LONGEST_HEADING = 200
# Kept whole where they fit; nothing overlaps into or out of them.
STANDING_ALONE = frozenset({BlockKind.CODE, BlockKind.TABLE, BlockKind.RECORD})

_MARKS_BEFORE = regex.compile(r"^#{1,6}\s+")
_MARKS_AFTER = regex.compile(r"\s+#+$|\s*\n\s*(=+|-+)$")
_LINK = regex.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = regex.compile(r"(\*\*|__|\*|`|(?<!\w)_(?=\S)|(?<=\S)_(?!\w))")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block's text without the white space around it. `path` holds the headings above, its own included."""

    kind: BlockKind
    start: int
    end: int
    level: int
    page: int | None
    path: tuple[str, ...]


def stretches_of(parsed: ParsedDocument) -> list[Stretch]:
    """In order, none blank, none overlapping; together they hold every character that is not white space."""
    found: list[Stretch] = []
    headings: list[tuple[int, str]] = []
    for block in _without_holes(parsed):
        start, end = trim(parsed.text, block.start, block.end)
        if start == end:
            continue
        if block.kind is BlockKind.HEADING:
            while headings and headings[-1][0] >= block.level:
                headings.pop()
            headings.append((block.level, clean_heading(parsed.text[start:end])))
        path = tuple(heading for _, heading in headings if heading)
        found.append(Stretch(block.kind, start, end, block.level, block.page, path))
    return found


def _without_holes(parsed: ParsedDocument) -> Iterator[Block]:
    reached = 0
    for block in parsed.blocks:
        yield Block(BlockKind.PARAGRAPH, reached, block.start)
        yield block
        reached = block.end
    yield Block(BlockKind.PARAGRAPH, reached, len(parsed.text))


def clean_heading(text: str) -> str:
    """A heading without Markdown's marks, on one line, of at most 200 characters."""
    text = _MARKS_AFTER.sub("", _MARKS_BEFORE.sub("", text[: 5 * LONGEST_HEADING]))
    text = _EMPHASIS.sub("", _LINK.sub(r"\1", text))
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_HEADING else text[: LONGEST_HEADING - 1].rstrip() + "…"
