"""A parsed document as lines for a person: what `matrix extract` prints. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from matrix.domain.documents import Block, ParsedDocument


def list_document(document: ParsedDocument) -> Iterator[str]:
    """What is known of the document, its warnings, then each block with its kind, page and text."""
    for name in ("title", "media_type", "language", "encoding", "canonical_url"):
        if value := getattr(document, name):
            yield f"{name.replace('_', ' ')}: {value}"
    yield f"characters: {len(document.text)}, blocks: {len(document.blocks)}, pages: {len(document.pages)}"
    yield from (f"warning: {warning}" for warning in document.warnings)
    for block in document.blocks:
        yield ""
        yield f"[{_label(block)} {block.start}-{block.end}]"
        yield document.text[block.start : block.end]


def _label(block: Block) -> str:
    level = f" {block.level}" if block.level else ""
    page = f" page {block.page}" if block.page is not None else ""
    return f"{block.kind}{level}{page}"
