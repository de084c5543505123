"""The comparison of a new version's chunks with those that its document already has."""

from __future__ import annotations

from collections.abc import Iterable

from matrix.domain.documents import PlacedChunk


def split_new(
    placed: Iterable[PlacedChunk], known_ids: frozenset[str]
) -> tuple[tuple[PlacedChunk, ...], tuple[PlacedChunk, ...]]:
    """(new, reused), each in order: those to embed, and those whose node, vector and claims are there already."""
    new: list[PlacedChunk] = []
    reused: list[PlacedChunk] = []
    for one in placed:
        (reused if one.id in known_ids else new).append(one)
    return tuple(new), tuple(reused)
