"""The parsed text as an unbroken row of stretches: the parser's blocks, and what it left between them as paragraphs.
Each knows the headings above it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import regex

from matrix.domain.documents import Block, BlockKind, ParsedDocument
from matrix.domain.graphemes import trim

LONGEST_HEADING = 200
# Kept whole where they fit; nothing overlaps into or out of them.
STANDING_ALONE = frozenset({BlockKind.CODE, BlockKind.TABLE, BlockKind.RECORD})

_WORD = regex.compile(r"[^\W_]")
_MARKS_BEFORE = regex.compile(r"^[>\s*+-]*+#{1,6}\s+")
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
    for found in parsed.blocks:
        block = _with_its_marks(parsed.text, found, reached) if found.kind is BlockKind.HEADING else found
        yield Block(BlockKind.PARAGRAPH, reached, block.start)
        yield block
        reached = block.end
    yield Block(BlockKind.PARAGRAPH, reached, len(parsed.text))


def _with_its_marks(text: str, heading: Block, reached: int) -> Block:
    """Marks before a heading in its line belong to it: as a paragraph they would stand in the section before."""
    line = max(reached, text.rfind("\n", reached, heading.start) + 1)
    return heading if _WORD.search(text, line, heading.start) else replace(heading, start=line)


def clean_heading(text: str) -> str:
    """A heading without Markdown's marks, on one line, of at most 200 characters."""
    text = _MARKS_AFTER.sub("", _MARKS_BEFORE.sub("", text[: 5 * LONGEST_HEADING]))
    text = _EMPHASIS.sub("", _LINK.sub(r"\1", text))
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_HEADING else text[: LONGEST_HEADING - 1].rstrip() + "…"
