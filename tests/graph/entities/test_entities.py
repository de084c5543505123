"""Entities of the built-in types: created, read, changed, deleted; the other organization sees nothing of it."""

from __future__ import annotations

import pytest

from matrix.domain.access import Scope
from matrix.domain.entities import EntityFilter
from matrix.errors import Conflict, InvalidInput, NotFound, ReadOnly, UnknownField
from matrix.graph.database import Database
from matrix.graph.entities.entities import Neo4jEntities
from matrix.graph.entities.platform import ensure_platform_entities
from tests.graph.entities.makers import Maker, Types, ids

ALL = EntityFilter()


@pytest.mark.feature("A1")
async def test_an_entity_is_a_node_with_both_labels(database: Database, make: Maker, ours: Scope) -> None:
    made = await make("knowledge", "handbook", name="Handbook", topK=5)
    row = await database.read_one(
        "MATCH (n:Entity {id: $id}) RETURN labels(n) AS labels, n.entityType AS type, n.orgId AS org, n.key AS key",
        id=made.id,
    )
    assert row is not None
    assert set(row["labels"]) == {"Entity", "Knowledge"}
    assert (row["type"], row["org"], row["key"]) == ("Knowledge", ours.org_id, "handbook")
    assert made.entity_type == "Knowledge"
    assert made.created_at == made.updated_at
    assert made.created_at.tzinfo is not None


async def test_what_is_created_is_read_back_by_id_and_by_key(
    make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    made = await make("knowledge", "handbook", name="Handbook", acceptedTypes=["pdf", "md"], minScore=0.25)
    assert made.properties["acceptedTypes"] == ["pdf", "md"]
    assert made.properties["minScore"] == 0.25
    assert made.properties["chunkSize"] == 2000  # a default
    assert made.properties["description"] is None
    assert await entities.get(ours, types["knowledge"], made.id) == made
    assert await entities.get(ours, types["knowledge"], "handbook") == made


async def test_a_taken_key_is_a_conflict_within_type_and_organization(make: Maker, make_theirs: Maker) -> None:
    await make("knowledge", "docs")
    with pytest.raises(Conflict, match="docs"):
        await make("knowledge", "docs")
    await make("agents", "docs")
    await make_theirs("knowledge", "docs")


async def test_another_organizations_entity_is_not_there(
    make: Maker, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    made, kind = await make("knowledge", "secret"), types["knowledge"]
    for ref in (made.id, "secret"):
        with pytest.raises(NotFound):
            await entities.get(theirs, kind, ref)
        with pytest.raises(NotFound):
            await entities.update(theirs, kind, ref, {"name": "stolen"})
    assert await entities.get_many(theirs, kind, [made.id]) == {}
    assert await ids(entities, theirs, kind) == []
    agent = await make("agents", "spy")
    for ref in (agent.id, "spy"):
        with pytest.raises(NotFound):
            await entities.delete(theirs, types["agents"], ref)
    assert (await entities.get(ours, kind, made.id)) == made
    assert (await entities.get(ours, types["agents"], agent.id)) == agent


async def test_an_id_of_another_type_is_not_there(
    make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    made = await make("knowledge", "handbook")
    with pytest.raises(NotFound):
        await entities.get(ours, types["agents"], made.id)


async def test_absent_and_invisible_are_told_in_the_same_words(
    make: Maker, entities: Neo4jEntities, types: Types, theirs: Scope
) -> None:
    made = await make("knowledge", "handbook")
    messages = []
    for ref in (made.id, "0" * 32):
        with pytest.raises(NotFound) as caught:
            await entities.get(theirs, types["knowledge"], ref)
        messages.append(caught.value.message.replace(ref, "…"))
    assert messages[0] == messages[1]


async def test_an_id_wins_over_a_key_that_looks_the_same(
    make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    first = await make("knowledge", "first")
    second = await make("knowledge", first.id)
    assert (await entities.get(ours, types["knowledge"], first.id)).id == first.id
    assert (await entities.get_many(ours, types["knowledge"], [first.id])).keys() == {first.id}
    assert second.key == first.id


async def test_a_patch_changes_what_it_names_and_none_takes_away(
    make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    made = await make("knowledge", "handbook", description="old", topK=5)
    changed = await entities.update(ours, types["knowledge"], "handbook", {"description": "new"})
    assert changed.properties == {**made.properties, "description": "new"}
    assert changed.created_at == made.created_at
    assert changed.updated_at > made.updated_at
    bare = await entities.update(ours, types["knowledge"], made.id, {"description": None, "topK": None})
    assert bare.properties["description"] is None
    assert bare.properties["topK"] == 8  # back to the default


async def test_a_list_is_newest_first_and_its_pages_join_without_gap(
    make: Maker, make_theirs: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    made = [(await make("agents", f"a{i}")).id for i in range(7)]
    await make_theirs("agents", "other")
    seen: list[str] = []
    cursor = None
    while True:
        page = await entities.list(ours, types["agents"], ALL, 3, cursor)
        seen += [item.id for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == sorted(made, reverse=True)


@pytest.mark.parametrize("cursor", ["x", "%%%", "'; MATCH (n) DETACH DELETE n", "YQpi", "ä"])
async def test_a_made_up_cursor_is_refused(entities: Neo4jEntities, types: Types, ours: Scope, cursor: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await entities.list(ours, types["chunks"], EntityFilter({"document": "x"}), 3, "YQpi")
    assert caught.value.field == "cursor"
    if cursor != "YQpi":
        with pytest.raises(InvalidInput):
            await entities.list(ours, types["agents"], ALL, 3, cursor)


async def test_lists_are_narrowed_by_equality_and_by_a_piece_of_the_name(
    make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    kind = types["knowledge"]
    wiki = await make("knowledge", "wiki", name="Team WIKI", topK=3)
    files = await make("knowledge", "files", name="Files", acceptedTypes=["pdf", "md"])
    assert await ids(entities, ours, kind, topK=3) == [wiki.id]
    assert await ids(entities, ours, kind, topK="3") == [wiki.id]  # as a query string has it
    assert await ids(entities, ours, kind, topK=8) == [files.id]
    assert await ids(entities, ours, kind, acceptedTypes="md") == [files.id]
    assert await ids(entities, ours, kind, acceptedTypes="m") == []
    page = await entities.list(ours, kind, EntityFilter(text="wIk"), 10, None)
    assert [item.id for item in page.items] == [wiki.id]
    with pytest.raises(UnknownField):
        await ids(entities, ours, kind, orgId="x")
    with pytest.raises(InvalidInput):
        await ids(entities, ours, kind, topK="many")


@pytest.mark.feature("A2")
async def test_entity_properties_are_relationships_in_the_order_given(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    await ensure_platform_entities(database, types)
    corpora = [await make("knowledge", f"k{i}") for i in range(3)]
    order = [corpora[2].id, corpora[0].id, corpora[1].id]
    agent = await make("agents", "helper", knowledge=["k2", corpora[0].id, "k1", "k2"], tools=["recall"])
    assert agent.properties["knowledge"] == order
    tools = await entities.get_many(ours, types["tools"], list(agent.properties["tools"]))  # type: ignore[arg-type]  # ids
    assert [tool.key for tool in tools.values()] == ["recall"]
    rows = await database.read(
        "MATCH (:Agent {id: $id})-[r]->(k:Knowledge) RETURN type(r) AS type, k.id AS id ORDER BY r.position",
        id=agent.id,
    )
    assert [(row["type"], row["id"]) for row in rows] == [("USES_KNOWLEDGE", each) for each in order]
    changed = await entities.update(ours, types["agents"], "helper", {"knowledge": ["k1"]})
    assert changed.properties["knowledge"] == [corpora[1].id]
    assert changed.properties["tools"] == agent.properties["tools"]
    emptied = await entities.update(ours, types["agents"], "helper", {"knowledge": None})
    assert emptied.properties["knowledge"] == []


async def test_a_foreign_or_unknown_target_is_named_and_nothing_is_written(
    database: Database, make: Maker, make_theirs: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    foreign = await make_theirs("knowledge", "theirs")
    helper = await make("agents", "helper")
    for ref in (foreign.id, "theirs", "nothing", helper.id):
        with pytest.raises(InvalidInput) as caught:
            await make("agents", "thief", knowledge=[ref])
        assert caught.value.field == "knowledge"
        with pytest.raises(InvalidInput):
            await entities.update(ours, types["agents"], "helper", {"name": "changed", "knowledge": [ref]})
    assert await ids(entities, ours, types["agents"]) == [helper.id]
    assert (await entities.get(ours, types["agents"], "helper")) == helper


async def test_lists_are_narrowed_by_a_target(
    make: Maker, make_theirs: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    await make("knowledge", "k1")
    foreign = await make_theirs("knowledge", "k2")
    helper = await make("agents", "helper", knowledge=["k1"])
    await make("agents", "other")
    assert await ids(entities, ours, types["agents"], knowledge="k1") == [helper.id]
    assert await ids(entities, ours, types["agents"], knowledge=foreign.id) == []


async def test_hidden_properties_never_leave_but_to_the_service_that_asks(
    entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    kind = types["model-providers"]
    made = await entities.create(ours, kind, "gemini", {"name": "G", "kind": "GEMINI", "apiKey": "sealed"})
    assert "apiKey" not in made.properties
    assert "sealed" not in repr(await entities.list(ours, kind, ALL, 10, None))
    with pytest.raises(UnknownField):
        await ids(entities, ours, kind, apiKey="sealed")
    assert await entities.hidden_value(ours, kind, "gemini", "apiKey") == "sealed"
    with pytest.raises(NotFound):
        await entities.hidden_value(theirs, kind, made.id, "apiKey")


async def test_deleting_an_agent_takes_its_memories_and_nothing_else(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    corpus = await make("knowledge", "k1")
    agent = await make("agents", "helper", knowledge=["k1"])
    await database.write(
        "MATCH (a:Agent {id: $id}) UNWIND range(1, 450) AS i CREATE (a)-[:REMEMBERS]->(:Entity:Memory "
        "{id: $id + i, orgId: $org, entityType: 'Memory', scopeId: $id, ownerId: $user})",
        id=agent.id,
        org=ours.org_id,
        user=ours.user_id,
    )
    await entities.delete(ours, types["agents"], "helper")
    with pytest.raises(NotFound):
        await entities.get(ours, types["agents"], agent.id)
    left = await database.read_one("MATCH (n:Entity {orgId: $org}) RETURN collect(n.id) AS ids", org=ours.org_id)
    assert left == {"ids": [corpus.id]}


@pytest.mark.parametrize("kind", ["organizations", "users", "api-keys", "entity-types", "documents"])
async def test_what_other_stores_write_is_refused_here(
    entities: Neo4jEntities, types: Types, ours: Scope, kind: str
) -> None:
    with pytest.raises(ReadOnly):
        await entities.create(ours, types[kind], None, {"name": "x"})
    with pytest.raises(ReadOnly):
        await entities.update(ours, types[kind], "x", {"name": "x"})
    with pytest.raises(ReadOnly):
        await entities.delete(ours, types[kind], "x")
    with pytest.raises(ReadOnly):
        await entities.delete(ours, types["knowledge"], "x")
