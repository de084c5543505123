"""Parsed documents for the tests of chunking, written as parts and joined by blank lines."""

from __future__ import annotations

from matrix.domain.documents import Block, BlockKind, Chunk, ChunkingSettings, PageSpan, ParsedDocument
from matrix.ingest.chunking import chunk_document

Part = tuple[BlockKind, str]
LOREM = "The crate stood in the yard until noon. "


def heading(text: str, level: int = 2) -> Part:
    return BlockKind.HEADING, f"{'#' * level} {text}"


def paragraph(text: str) -> Part:
    return BlockKind.PARAGRAPH, text


def prose(name: str, characters: int) -> Part:
    """Different sentences, each with its number, of about so many characters together."""
    sentences: list[str] = []
    while sum(map(len, sentences)) + len(sentences) < characters:
        sentences.append(f"The {name} number {len(sentences)} went from the yard to the harbour before noon.")
    return BlockKind.PARAGRAPH, " ".join(sentences)


def parsed(*parts: Part, pages: tuple[PageSpan, ...] = (), language: str | None = None) -> ParsedDocument:
    blocks, start = [], 0
    for kind, text in parts:
        level = text.index(" ") if kind is BlockKind.HEADING else 0
        blocks.append(Block(kind, start, start + len(text), level=level))
        start += len(text) + 2
    text = "\n\n".join(text for _, text in parts)
    return ParsedDocument(text, tuple(blocks), "text/markdown", pages=pages, language=language)


def chunks(*parts: Part, size: int = 2000, overlap: int = 200) -> tuple[Chunk, ...]:
    return chunk_document(parsed(*parts), ChunkingSettings(size=size, overlap=overlap))
