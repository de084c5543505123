"""Plain text: its paragraphs, parted by blank lines, are its blocks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from matrix.domain.documents import Block, BlockKind, ParsedDocument
from matrix.plugins.parsers.decoding import decode

MEDIA_TYPE = "text/plain"


def parse_plain_text(data: bytes) -> ParsedDocument:
    decoded = decode(data)
    return ParsedDocument(
        text=decoded.text,
        blocks=tuple(paragraphs(decoded.text)),
        media_type=MEDIA_TYPE,
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def paragraphs(text: str) -> Iterator[Block]:
    """Stretches of lines without a blank one between them, without white space at their ends."""
    for blank, lines in groupby(_lines(text), key=lambda line: line[0] == line[1]):
        if not blank:
            bounds = list(lines)
            yield Block(BlockKind.PARAGRAPH, bounds[0][0], bounds[-1][1])


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each line's own text; equal where the line is blank."""
    offset = 0
    for line in text.split("\n"):
        start = offset + len(line) - len(line.lstrip())
        yield start, max(start, offset + len(line.rstrip()))
        offset += len(line) + 1
