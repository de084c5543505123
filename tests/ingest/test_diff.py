"""What must be embedded, and what is there already."""

from __future__ import annotations

import pytest

from matrix.domain.documents import Chunk
from matrix.ingest.chunking import place
from matrix.ingest.diff import split_new


@pytest.mark.feature("B9")
def test_known_chunks_are_reused_and_the_rest_is_new_in_order() -> None:
    placed = place("d", [Chunk(position=n, text=f"text {n}", start=0, end=6) for n in range(5)])
    new, reused = split_new(placed, frozenset({placed[1].id, placed[3].id, "of another version"}))
    assert [one.chunk.position for one in new] == [0, 2, 4]
    assert [one.chunk.position for one in reused] == [1, 3]


@pytest.mark.feature("B9")
def test_the_same_chunks_again_are_no_work() -> None:
    placed = place("d", [Chunk(position=n, text="the same text", start=0, end=13) for n in range(3)])
    assert split_new(placed, frozenset(one.id for one in placed)) == ((), placed)
