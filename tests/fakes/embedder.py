"""An embedder without a model: each word has a fixed direction, so texts that share words are near each other."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence

WORD = re.compile(r"\w+")


class FakeEmbedder:
    """Deterministic unit vectors of `dimensions` numbers; counts the texts that it was given."""

    name = "fake-384"
    dimensions = 384
    languages: tuple[str, ...] | None = None

    def __init__(self) -> None:
        self.embedded = 0

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += len(texts)
        return [self._vector(text) for text in texts]

    async def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        for word in WORD.findall(text.lower()):
            digest = hashlib.sha256(word.encode()).digest()
            for i in range(4):
                vector[int.from_bytes(digest[2 * i : 2 * i + 2], "big") % self.dimensions] += (
                    1 if digest[16 + i] % 2 else -1
                )
        length = math.sqrt(sum(x * x for x in vector)) or 1.0
        return [x / length for x in vector] if any(vector) else [1.0] + [0.0] * (self.dimensions - 1)
