"""Another embedder while a database holds nothing but the demo."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from importlib.resources import files

import pytest

from matrix.domain.ids import new_id
from matrix.domain.retrieval import SearchFilters
from matrix.errors import EmbedderMismatch
from matrix.graph.database import Database
from matrix.graph.schema.embedder_pin import EmbedderPin, pin_embedder, read_pin, repin
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.ingest.worker import work_off
from matrix.wiring.demo_embedding import CORPUS, demo_hashes, embed_demo_anew
from tests.fakes.embedder import FakeEmbedder
from tests.ingest.flow import Flow, new_flow

FAKE = EmbedderPin(FakeEmbedder.name, FakeEmbedder.dimensions)
EDITIONS = files("matrix").joinpath("cli", "demo")
DEMO = EDITIONS.joinpath("first")


class WideEmbedder(FakeEmbedder):
    name = "fake-512"
    dimensions = 512


@pytest.fixture
async def empty(database: Database) -> AsyncIterator[Database]:
    await database.write("MATCH (n:Knowledge|KnowledgeDocument|DocumentVersion|KnowledgeChunk|Memory) DETACH DELETE n")
    await database.write("MATCH (n:IngestJob) DETACH DELETE n")
    yield database
    if await read_pin(database) != FAKE:
        await repin(database, FAKE.name, FAKE.dimensions)


@pytest.fixture
async def demo(empty: Database) -> Flow:
    """Two documents of the demo, in its corpus."""
    flow = await new_flow(empty)
    await empty.write("MATCH (k:Knowledge {id: $id}) SET k.key = $key", id=flow.corpus, key=CORPUS)
    for name in ("warehouses.md", "suppliers.md"):
        await flow.ingest(name, DEMO.joinpath(name).read_bytes())
    return flow


async def statuses(database: Database) -> list[tuple[str, str, int]]:
    rows = await database.read(
        "MATCH (d:KnowledgeDocument)-[:LIVE]->(v) RETURN d.status AS shown, v.status AS status, v.number AS number"
    )
    return [(row["shown"], row["status"], row["number"]) for row in rows]


@pytest.mark.feature("A10")
async def test_another_embedder_embeds_the_demo_anew(demo: Flow, empty: Database) -> None:
    wide = WideEmbedder()
    assert await embed_demo_anew(empty, wide)
    assert await read_pin(empty) == EmbedderPin("fake-512", 512)
    assert await statuses(empty) == [("PENDING", "PENDING", 1)] * 2
    assert await demo.words("warehouse")

    await work_off(dataclasses.replace(demo.ports, embedder=wide))
    assert await statuses(empty) == [("COMPLETED", "COMPLETED", 1)] * 2
    left = await empty.read("MATCH (c:KnowledgeChunk) RETURN DISTINCT c.embeddingModel AS m, size(c.embedding) AS n")
    assert left == [{"m": "fake-512", "n": 512}]
    assert wide.embedded == 2  # a passage each
    found = await KnowledgeVectors(empty).search(
        demo.scope, [demo.corpus], await wide.embed_query("warehouse"), SearchFilters(), 3
    )
    assert found
    assert not await embed_demo_anew(empty, wide)


@pytest.mark.feature("A10")
async def test_an_empty_database_has_nothing_to_lose(empty: Database) -> None:
    assert await embed_demo_anew(empty, WideEmbedder())
    await pin_embedder(empty, "fake-512", 512)


@pytest.mark.feature("A10", "B19")
@pytest.mark.parametrize(
    "what", ["a document beside it", "a document in its corpus", "the same in another corpus", "a memory"]
)
async def test_anything_of_anybody_keeps_the_embedder(demo: Flow, empty: Database, what: str) -> None:
    match what:
        case "a document in its corpus":
            await demo.ingest("own.md", "own words")
        case "a document beside it":
            await (await new_flow(empty)).ingest("own.md", "own words")
        case "the same in another corpus":
            await (await new_flow(empty)).ingest("warehouses.md", DEMO.joinpath("warehouses.md").read_bytes())
        case _:
            await empty.write("CREATE (:Entity:Memory {id: $id, orgId: 'o'})", id=new_id())
    assert not await embed_demo_anew(empty, WideEmbedder())
    assert await read_pin(empty) == FAKE
    assert {shown for shown, _, _ in await statuses(empty)} == {"COMPLETED"}
    with pytest.raises(EmbedderMismatch) as refused:
        await pin_embedder(empty, WideEmbedder.name, WideEmbedder.dimensions)
    assert "nothing but the demo" in refused.value.advice


@pytest.mark.feature("A10")
async def test_what_a_crash_left_is_done_by_the_next_start(demo: Flow, empty: Database) -> None:
    """Pin and jobs are one write: here the start ended right after it."""
    await embed_demo_anew(empty, WideEmbedder())
    await empty.write("MATCH (pin:EmbedderPin) SET pin.emptying = true")
    await pin_embedder(empty, WideEmbedder.name, WideEmbedder.dimensions)
    await work_off(dataclasses.replace(demo.ports, embedder=WideEmbedder()))
    assert {row["n"] for row in await empty.read("MATCH (c:KnowledgeChunk) RETURN size(c.embedding) AS n")} == {512}


def test_the_demo_is_what_the_command_line_makes() -> None:
    from matrix.cli.demo_corpus import KNOWLEDGE

    assert KNOWLEDGE == CORPUS
    assert len(demo_hashes()) == sum(1 for edition in ("first", "then") for _ in EDITIONS.joinpath(edition).iterdir())
