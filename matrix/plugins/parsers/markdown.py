"""Markdown: the parsed text is the source itself, its blocks are ranges in it. Raw HTML in it stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from matrix.domain.documents import Block, BlockKind, ParsedDocument
from matrix.plugins.parsers.decoding import decode
from matrix.plugins.parsers.front_matter import split_front_matter
from matrix.plugins.parsers.limits import MAX_MARKUP_BYTES, MAX_NESTING, too_long

MEDIA_TYPE = "text/markdown"
_INLINE_MARKS = re.compile(r"[*_`~]+|!?\[([^\]]*)\]\([^)]*\)")
_LEAVES = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "html_block": BlockKind.PARAGRAPH,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
}
_CONTAINERS = {"blockquote_open": BlockKind.QUOTE, "list_item_open": BlockKind.LIST_ITEM}
_TOO_DEEP = (
    f"Quotes or lists are nested too deep (more than {MAX_NESTING} elements); what stands deeper was read as plain "
    "text. Save the file with less nesting and upload it again if that text matters."
)


@dataclass(frozen=True, slots=True)
class _Source:
    """The text with the offset at which each of its lines begins, and one more for its end."""

    text: str
    starts: tuple[int, ...]

    def lines(self, first: int, after: int) -> tuple[int, int]:
        """Offsets of lines `first` to `after` (exclusive), without white space at their ends."""
        start, end = self.starts[first], self.starts[min(after, len(self.starts) - 1)]
        piece = self.text[start:end]
        return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def parse_markdown(data: bytes) -> ParsedDocument:
    if len(data) > MAX_MARKUP_BYTES:
        raise too_long(f"The Markdown file is larger than {MAX_MARKUP_BYTES >> 20} MiB.")
    decoded = decode(data)
    front, body = split_front_matter(decoded.text)
    tokens = _reader().parse(decoded.text[body:])
    blocks = tuple(_blocks(decoded.text, body, tokens))
    return ParsedDocument(
        text=decoded.text,
        blocks=blocks,
        media_type=MEDIA_TYPE,
        title=front.title or _first_heading(decoded.text, blocks),
        language=front.language,
        encoding=decoded.encoding,
        warnings=(*decoded.warnings, *front.warnings, *([_TOO_DEEP] if _is_cut_off(tokens) else [])),
    )


def _is_cut_off(tokens: Sequence[Token]) -> bool:
    """Whether something is nested so deep that the reader went no further in."""
    return any(token.type in _CONTAINERS and token.level >= MAX_NESTING - 1 for token in tokens)


def _blocks(text: str, body: int, tokens: Sequence[Token]) -> Iterator[Block]:
    """Blocks of the text from `body` on; the front matter before it is none."""
    lines = text[body:].split("\n")
    source = _Source(text, tuple(accumulate((len(line) + 1 for line in lines), initial=body)))
    containers: list[BlockKind] = []
    after = body
    for token, following in pairwise([*tokens, Token("end", "", 0)]):
        if token.type in _CONTAINERS:
            containers.append(_CONTAINERS[token.type])
        elif token.type in ("blockquote_close", "list_item_close"):
            containers.pop()
        elif token.type in _LEAVES:
            block = _block(token, following, source, containers)
            if after <= block.start < block.end:
                after = block.end
                yield block


def _reader() -> MarkdownIt:
    """Blocks only: words stay as they stand. Link definitions count as paragraphs, so that no text is lost."""
    reader = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table").disable("reference")
    reader.core.ruler.disable(["inline", "text_join"])
    return reader


def _block(token: Token, following: Token, source: _Source, containers: list[BlockKind]) -> Block:
    first, after = token.map or (0, 0)
    start, end = source.lines(first, after)
    kind = _LEAVES[token.type]
    if kind is BlockKind.HEADING:
        words = following.content.strip()
        found = source.text.find(words, start, end)
        start, end = (found, found + len(words)) if found >= 0 else (start, end)
        return Block(kind, start, end, level=int(token.tag[1]))
    if kind is BlockKind.PARAGRAPH and containers:
        kind = containers[-1]
    return Block(kind, start, end)


def _first_heading(text: str, blocks: tuple[Block, ...]) -> str | None:
    heading = next((block for block in blocks if block.kind is BlockKind.HEADING and block.level == 1), None)
    return _INLINE_MARKS.sub(r"\1", text[heading.start : heading.end]).strip() or None if heading else None
