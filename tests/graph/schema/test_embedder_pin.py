"""The embedder pinned in the database, and the one vector index that was made for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from matrix.errors import EmbedderMismatch
from matrix.graph.database import Database
from matrix.graph.schema.embedder_pin import EmbedderPin, pin_embedder, read_pin, repin
from tests.fakes.embedder import FakeEmbedder

FAKE = EmbedderPin(FakeEmbedder.name, FakeEmbedder.dimensions)


@pytest.fixture
async def pinned(database: Database) -> AsyncIterator[Database]:
    yield database
    if await read_pin(database) != FAKE:
        await repin(database, FAKE.name, FAKE.dimensions)


async def index(database: Database) -> dict[str, object]:
    rows = await database.read(
        "SHOW VECTOR INDEXES YIELD name, state, labelsOrTypes, properties, options "
        "WHERE name = 'entity_node_embedding' "
        "RETURN state, labelsOrTypes AS labels, properties, options.indexConfig AS config"
    )
    assert len(rows) == 1
    return dict(rows[0])


@pytest.mark.feature("A10")
async def test_the_first_start_pins_and_later_ones_find_the_same(pinned: Database) -> None:
    assert await read_pin(pinned) == FAKE
    assert await asyncio.gather(*(pin_embedder(pinned, FAKE.name, FAKE.dimensions) for _ in range(3))) == [FAKE] * 3


@pytest.mark.feature("A3")
async def test_one_index_over_every_entity_with_its_filters_inside(pinned: Database) -> None:
    found = await index(pinned)
    assert found["state"] == "ONLINE"
    assert found["labels"] == ["Entity"]
    assert found["properties"] == [
        "embedding",
        "entityType",
        "orgId",
        "scopeId",
        "audienceId",
        "documentId",
        "sourceKind",
    ]
    config = found["config"]
    assert isinstance(config, dict)
    assert (config["vector.dimensions"], config["vector.similarity_function"]) == (384, "COSINE")
    assert config["vector.quantization.type"] == "NONE"


@pytest.mark.feature("A10")
@pytest.mark.parametrize(("name", "dimensions"), [("another", 384), (FAKE.name, 768)])
async def test_another_embedder_is_refused_with_both_names(pinned: Database, name: str, dimensions: int) -> None:
    with pytest.raises(EmbedderMismatch) as caught:
        await pin_embedder(pinned, name, dimensions)
    assert FAKE.name in caught.value.message
    assert name in caught.value.message
    assert "MATRIX_EMBEDDER__PROVIDER" in caught.value.advice
    assert await read_pin(pinned) == FAKE


async def test_an_impossible_dimension_is_refused_before_anything_is_pinned(pinned: Database) -> None:
    with pytest.raises(EmbedderMismatch, match="4097"):
        await pin_embedder(pinned, FAKE.name, 4097)


async def test_pinning_another_takes_the_vectors_away_and_makes_the_index_anew(pinned: Database) -> None:
    await pinned.write(
        "CREATE (n:Entity {id: 'pin-probe', orgId: 'pin-probe'}) "
        "WITH n CALL db.create.setNodeVectorProperty(n, 'embedding', $v)",
        v=[1.0] * 384,
    )
    assert await repin(pinned, "wider", 768) == EmbedderPin("wider", 768)
    config = (await index(pinned))["config"]
    assert isinstance(config, dict)
    assert config["vector.dimensions"] == 768
    left = await pinned.read("MATCH (n:Entity) WHERE n.embedding IS NOT NULL RETURN n.id AS id")
    assert left == []


async def test_a_repin_that_was_killed_is_finished_by_the_next_start(pinned: Database) -> None:
    await pinned.write(
        "CREATE (n:Entity {id: 'pin-stale', orgId: 'pin-probe'}) "
        "WITH n CALL db.create.setNodeVectorProperty(n, 'embedding', $v)",
        v=[1.0] * 384,
    )
    await pinned.write("MATCH (pin:EmbedderPin) SET pin.name = 'next', pin.dimensions = 384, pin.emptying = true")
    with pytest.raises(EmbedderMismatch):
        await pin_embedder(pinned, FAKE.name, FAKE.dimensions)
    await pin_embedder(pinned, "next", 384)
    left = await pinned.read("MATCH (n:Entity) WHERE n.embedding IS NOT NULL RETURN n.id AS id")
    assert left == []
