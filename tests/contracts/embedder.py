"""What every Embedder must do, fake or real. A test class inherits it and gives the fixture `embedder`."""

from __future__ import annotations

import math

from matrix.ports import Embedder

TEXTS = ["The contract ends in May.", "", "Ünïcödé 漢字 🎉", "The contract ends in May.", "tax " * 700]


class EmbedderContract:
    many = 205  # more than one request takes

    async def test_it_names_itself_for_the_pin(self, embedder: Embedder) -> None:
        assert embedder.name
        assert embedder.dimensions >= 8
        assert embedder.languages is None or all(len(code) == 2 for code in embedder.languages)

    async def test_each_text_has_one_unit_vector(self, embedder: Embedder) -> None:
        vectors = await embedder.embed_documents(TEXTS)
        assert [len(vector) for vector in vectors] == [embedder.dimensions] * len(TEXTS)
        assert all(type(x) is float for vector in vectors for x in vector)
        assert all(math.isclose(sum(x * x for x in vector), 1, abs_tol=1e-4) for vector in vectors)

    async def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        together = await embedder.embed_documents(TEXTS)
        alone = [(await embedder.embed_documents([text]))[0] for text in TEXTS]
        for one, other in zip(together, alone, strict=True):
            assert sum(a * b for a, b in zip(one, other, strict=True)) > 0.999
        assert together[0] == together[3] != together[2]

    async def test_many_texts(self, embedder: Embedder) -> None:
        texts = [f"text {n % 3}" for n in range(self.many)]
        vectors = await embedder.embed_documents(texts)
        assert len(vectors) == self.many
        assert vectors[0] == vectors[3] == vectors[self.many - 1 - (self.many - 1) % 3]
        assert vectors[0] != vectors[1]

    async def test_no_texts_no_vectors(self, embedder: Embedder) -> None:
        assert await embedder.embed_documents([]) == []

    async def test_a_question_lives_in_the_same_space(self, embedder: Embedder) -> None:
        vector = await embedder.embed_query("When does the contract end?")
        assert len(vector) == embedder.dimensions
        assert math.isclose(sum(x * x for x in vector), 1, abs_tol=1e-4)
