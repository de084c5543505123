"""Texts that are longer than a remote model reads: cut into pieces, and the pieces' vectors pooled again. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one text; `text` is the text's place in the call, `size` its weight: UTF-8 bytes, at least 1."""

    text: int
    words: str
    size: int


def cut_pieces(texts: Sequence[str], most_bytes: int) -> list[Piece]:
    """Pieces of at most `most_bytes` that together hold all of every text; most texts are one piece.

    Bytes, because they bound tokens in every script: a token has about four in English and three in Chinese.
    """
    return [
        Piece(number, words, max(1, len(words.encode())))
        for number, text in enumerate(texts)
        for words in _cut(text, most_bytes)
    ]


def pool_pieces(pieces: Sequence[Piece], vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """One unit vector a text: the mean of its pieces' unit vectors, weighted by their size."""
    sums: dict[int, list[float]] = {}
    for piece, vector in zip(pieces, vectors, strict=True):
        weighted = [x * piece.size for x in unit(vector)]
        sums[piece.text] = (
            [a + b for a, b in zip(sums[piece.text], weighted, strict=True)] if (piece.text in sums) else weighted
        )
    return [unit(sums[number]) for number in range(len(sums))]


def unit(vector: Sequence[float]) -> list[float]:
    """The vector with length 1; one without any length stays as it is."""
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else list(vector)


def batch_pieces(pieces: Sequence[Piece], most: int, most_bytes: int) -> list[list[Piece]]:
    """The pieces in order, in requests of at most `most` pieces and (but for a single one) `most_bytes`."""
    return _group(pieces, lambda batch: len(batch) <= most and sum(p.size for p in batch) <= most_bytes)


def _group(pieces: Sequence[Piece], fits: Callable[[list[Piece]], bool]) -> list[list[Piece]]:
    batches: list[list[Piece]] = []
    for piece in pieces:
        if batches and fits([*batches[-1], piece]):
            batches[-1].append(piece)
        else:
            batches.append([piece])
    return batches


def _cut(text: str, most_bytes: int) -> list[str]:
    if len(text.encode()) <= most_bytes:
        return [text]
    # halve at the white space nearest to the middle, so that pieces are about equal
    middle = len(text) // 2
    spaces = [n for n in (text.rfind(" ", len(text) // 4, middle), text.find(" ", middle, 3 * len(text) // 4)) if n > 0]
    at = min(spaces, key=lambda n: abs(n - middle)) if spaces else middle
    return [*_cut(text[:at], most_bytes), *_cut(text[at:], most_bytes)]
