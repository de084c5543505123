"""Made-up passages: prose with the word frequencies of a language, and clustered unit vectors, as those of real texts
are. Everything follows from a seed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.chunk_edits import Writer

Vectors = npt.NDArray[np.float32]

DIMENSIONS = 384
CLUSTERS = 500
SENTENCES = 3000  # to choose from
CHARACTERS = 1500  # of a passage: what chunks of the default size hold on average


class MadeUp:
    """Vectors lie around `CLUSTERS` directions, at a cosine of about .7 to them; questions lie there too."""

    def __init__(self, seed: int) -> None:
        self._numbers = np.random.default_rng(seed)
        self._random = random.Random(seed)
        writer = Writer(seed)
        self._sentences = [writer.sentence() for _ in range(SENTENCES)]
        self._centres = _unit(self._numbers.standard_normal((CLUSTERS, DIMENSIONS)))

    def vectors(self, count: int) -> Vectors:
        """(count, 384), each of length 1."""
        near = self._centres[self._numbers.integers(0, CLUSTERS, count)]
        return _unit(near + _unit(self._numbers.standard_normal((count, DIMENSIONS))))

    def text(self, characters: int = CHARACTERS) -> str:
        parts = [self._random.choice(self._sentences)]
        while sum(map(len, parts)) < characters:
            parts.append(self._random.choice(self._sentences))
        return " ".join(parts)

    def question(self) -> str:
        """A handful of words in a row, of which some passages have some."""
        words = self._random.choice(self._sentences)[:-1].split(" ")
        start = self._random.randrange(max(1, len(words) - 5))
        return " ".join(words[start : start + 6]).lower()


def _unit(vectors: npt.NDArray[np.floating[Any]]) -> Vectors:
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit
