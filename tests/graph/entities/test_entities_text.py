"""Whatever is written in a value, a key, a filter or a reference is data, never Cypher."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matrix.domain.access import Scope
from matrix.domain.entities import EntityFilter, EntityType
from matrix.errors import NotFound, UnknownField
from matrix.graph.database import Database
from matrix.graph.entities.entities import Neo4jEntities

HOSTILE = [
    "`",
    "``) DETACH DELETE (n",
    "' OR 1=1 //",
    '" }) MATCH (n) DETACH DELETE n //',
    "\\",
    "\\u0027",
    "$org",
    "\t\n\r",
    "𝒰 ñ ﷽ \u202e",
    "} RETURN 1 UNION MATCH (n) RETURN n",
]
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=60),
    st.text(alphabet="`'\"\\\t${}[]():;\n ", min_size=1, max_size=30),
)
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def nodes(database: Database) -> int:
    row = await database.read_one("MATCH (n) RETURN count(n) AS nodes")
    return int(row["nodes"]) if row else 0


@few
@given(text=texts, other=texts)
async def test_values_come_back_as_they_were_written_and_are_found_by_it(
    database: Database,
    entities: Neo4jEntities,
    types: Mapping[str, EntityType],
    ours: Scope,
    text: str,
    other: str,
) -> None:
    kind = types["knowledge"]
    before = await nodes(database)
    made = await entities.create(ours, kind, None, {"name": text, "description": other, "acceptedTypes": [text, other]})
    assert (made.properties["name"], made.properties["description"]) == (text, other)
    assert made.properties["acceptedTypes"] == [text, other]
    found = await entities.list(ours, kind, EntityFilter({"name": text, "acceptedTypes": other}), 100, None)
    assert made.id in {item.id for item in found.items}
    pieces = await entities.list(ours, kind, EntityFilter(text=text), 100, None)
    assert made.id in {item.id for item in pieces.items}
    assert await nodes(database) == before + 1
    await database.write("MATCH (n:Entity {id: $id}) DETACH DELETE n", id=made.id)


@few
@given(ref=texts)
async def test_references_and_names_of_filters_find_nothing(
    database: Database, entities: Neo4jEntities, types: Mapping[str, EntityType], ours: Scope, ref: str
) -> None:
    before = await nodes(database)
    with pytest.raises(NotFound):
        await entities.get(ours, types["agents"], ref)
    assert await entities.get_many(ours, types["agents"], [ref]) == {}
    page = await entities.list(ours, types["agents"], EntityFilter({"knowledge": ref}), 10, None)
    assert page.items == ()
    if types["agents"].definition_of(ref) is None:
        with pytest.raises(UnknownField):
            await entities.list(ours, types["agents"], EntityFilter({ref: ref}), 10, None)
    assert await nodes(database) == before
