from __future__ import annotations

import pytest

from matrix.domain.entities import EntityType
from matrix.graph.database import Database
from matrix.graph.entities.type_files import read_entity_types
from matrix.graph.schema.preparation import add_stamp, indexes_are_ready, is_stamped, stamp_of
from matrix.wiring.databases import prepare_schema
from tests.fakes.embedder import FakeEmbedder


def test_a_stamp_tells_facts_apart() -> None:
    assert stamp_of("a", 1, "x") == stamp_of("a", 1, "x")
    assert len({stamp_of("a", 1), stamp_of("a", "1"), stamp_of("b", 1), stamp_of("a", 1, None)}) == 4


def test_the_types_of_two_reads_are_the_same_facts() -> None:
    def facts() -> list[tuple[str, EntityType]]:
        return sorted(read_entity_types().items())

    assert stamp_of("schema", facts()) == stamp_of("schema", facts())


async def test_one_stamp_of_a_kind_is_kept(database: Database) -> None:
    await add_stamp(database, stamp_of("first", 1))
    await add_stamp(database, stamp_of("second", 1))
    await add_stamp(database, stamp_of("first", 2))
    assert not await is_stamped(database, stamp_of("first", 1))
    assert await is_stamped(database, stamp_of("first", 2))
    assert await is_stamped(database, stamp_of("second", 1))


@pytest.mark.feature("A6", "A9")
async def test_a_second_preparation_does_nothing_but_look(database: Database) -> None:
    await prepare_schema(database, FakeEmbedder())
    before = await _changes(database)
    await prepare_schema(database, FakeEmbedder())
    assert await _changes(database) == before
    await database.write("MATCH (t:Tool {key: 'recall'}) SET t.description = 'old'")
    await database.write("MATCH (p:Preparation) DELETE p")
    await prepare_schema(database, FakeEmbedder())
    row = await database.read_one("MATCH (t:Tool {key: 'recall'}) RETURN t.description AS text")
    assert row is not None
    assert row["text"] != "old"


async def test_the_vector_index_must_be_there(database: Database) -> None:
    assert await indexes_are_ready(database)


async def _changes(database: Database) -> object:
    return await database.read("MATCH (p:Preparation) RETURN p.updatedAt AS at, p.stamps AS stamps")
