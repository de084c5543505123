"""Chunks with their ids in a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from matrix.domain.documents import Chunk, PlacedChunk
from matrix.domain.ids import chunk_id


def place(document_id: str, chunks: Iterable[Chunk]) -> tuple[PlacedChunk, ...]:
    """Each chunk with its id. Equal passages are counted: one more of them makes one new id, wherever it stands."""
    seen: Counter[str] = Counter()
    placed = []
    for chunk in chunks:
        text = chunk.embedded_text
        placed.append(PlacedChunk(chunk_id(document_id, text, seen[text]), chunk))
        seen[text] += 1
    return tuple(placed)
