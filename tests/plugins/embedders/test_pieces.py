"""Pieces of long texts hold all of them, in bounded size, and are pooled by weight."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.plugins.embedders.pieces import Piece, batch_pieces, cut_pieces, pool_pieces

texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=200), max_size=6)


@given(texts, st.integers(8, 60))
def test_nothing_is_lost_and_no_piece_is_too_long(texts: list[str], most: int) -> None:
    pieces = cut_pieces(texts, most)
    for number, text in enumerate(texts):
        assert "".join(piece.words for piece in pieces if piece.text == number) == text
    assert all(len(piece.words.encode()) <= most for piece in pieces)


@given(texts, st.integers(1, 5), st.integers(10, 300))
def test_batches_keep_order_and_bounds(texts: list[str], most: int, most_bytes: int) -> None:
    pieces = cut_pieces(texts, 50)
    batches = batch_pieces(pieces, most, most_bytes)
    assert [piece for batch in batches for piece in batch] == pieces
    assert all(len(b) <= most and (len(b) == 1 or sum(p.size for p in b) <= most_bytes) for b in batches)


def test_words_are_not_cut_where_there_are_spaces() -> None:
    text = "alpha beta gamma delta " * 10
    assert all(piece.words.strip().split()[-1] in text.split() for piece in cut_pieces([text], 60))


def test_pieces_are_pooled_by_size_and_normalised() -> None:
    pieces = [Piece(0, "…", 3), Piece(0, "…", 1), Piece(1, "…", 5)]
    first, second = pool_pieces(pieces, [[5.0, 0.0], [0.0, 0.1], [0.0, 2.0]])
    assert first == pytest.approx([3 / math.sqrt(10), 1 / math.sqrt(10)])
    assert second == [0.0, 1.0]
