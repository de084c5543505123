"""The local embedder on the real model: what is alike, that nothing is cut off, that the event loop stays free."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from matrix.plugins.embedders.minilm import WINDOW, MiniLmEmbedder
from tests.contracts.embedder import EmbedderContract


@pytest.fixture
async def embedder(prepared: Path) -> AsyncIterator[MiniLmEmbedder]:
    embedder = MiniLmEmbedder(prepared, threads=1)
    yield embedder
    await embedder.aclose()


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


@pytest.mark.feature("A10")
class TestContract(EmbedderContract):
    many = 13


@pytest.mark.feature("A10")
async def test_like_texts_lie_near_each_other(embedder: MiniLmEmbedder) -> None:
    cat, kitten, tax = await embedder.embed_documents(
        ["A cat sleeps on the sofa.", "A kitten naps on the couch.", "Income tax is due in April."]
    )
    assert cosine(cat, kitten) > cosine(cat, tax) + 0.3
    question = await embedder.embed_query("When must I pay tax?")
    assert cosine(question, tax) > cosine(question, cat) + 0.3


async def test_vectors_have_length_one_and_keep_the_order_of_the_texts(embedder: MiniLmEmbedder) -> None:
    texts = ["word " * 300, "short", "", "some more words here", "short"]
    together = await embedder.embed_documents(texts)
    assert [len(v) for v in together] == [384] * 5
    assert all(abs(cosine(v, v) - 1) < 1e-5 for v in together)
    for text, vector in zip(texts, together, strict=True):
        assert vector == await embedder.embed_query(text)


async def test_the_end_of_a_long_text_counts(embedder: MiniLmEmbedder) -> None:
    start = "The harbour was built of granite and has two basins. " * 55
    plain, with_end = await embedder.embed_documents(
        [start, start + "The lighthouse keeper was called Aurelia Finch. " * 20]
    )
    keeper = await embedder.embed_query("Who kept the lighthouse?")
    assert len(start.split()) > WINDOW  # the end lies outside of the model's own window
    assert cosine(keeper, with_end) > cosine(keeper, plain) + 0.1


async def test_no_texts_give_no_vectors(embedder: MiniLmEmbedder) -> None:
    assert await embedder.embed_documents([]) == []


async def test_the_event_loop_runs_on_while_texts_are_embedded(embedder: MiniLmEmbedder) -> None:
    await embedder.prepare()
    work = asyncio.create_task(embedder.embed_documents(["some words to embed " * 100] * 6))
    turns = 0
    while not work.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 10


async def test_a_question_does_not_wait_for_all_documents(embedder: MiniLmEmbedder) -> None:
    documents = asyncio.create_task(embedder.embed_documents(["some words to embed " * 60] * 12))
    await asyncio.sleep(0.01)
    await embedder.embed_query("a question")
    assert not documents.done()
    await documents
