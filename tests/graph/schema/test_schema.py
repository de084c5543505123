"""The schema as it is in the database: what it refuses, what it indexes, and that graph_schema/README.md tells it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from matrix.domain.access import Scope
from matrix.domain.chat import Answer, Citation, Turn
from matrix.domain.entities import EntityType, PropertyDefinition, Value
from matrix.domain.ids import new_id
from matrix.errors import Conflict
from matrix.graph.conversation.memories import Neo4jMemories
from matrix.graph.conversation.sessions import Neo4jSessions
from matrix.graph.database import Database
from matrix.graph.entities.custom_types import Neo4jEntityTypes
from matrix.graph.entities.entities import Neo4jEntities
from matrix.graph.entities.lists import (
    filter_parameters,
    finder_for,
    listing_for,
    page_parameters,
    scope_parameters,
)
from matrix.graph.entities.rows import columns_of
from matrix.graph.schema.folder import schema_folder
from tests.graph.scopes import add_document

Types = Mapping[str, EntityType]


@pytest.fixture(scope="module")
def readme() -> str:
    return (schema_folder() / "README.md").read_text(encoding="utf-8")


async def test_the_readme_names_every_index_and_no_other(database: Database, readme: str) -> None:
    rows = await database.read("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN collect(name) AS names")
    section = readme.split("## Constraints and indexes")[1].split("## Files")[0]
    named = {
        name
        for line in section.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    assert named == set(rows[0]["names"])


def test_the_readme_names_every_type_and_relationship_of_the_files(types: Types, readme: str) -> None:
    for entity_type in types.values():
        assert f"`{entity_type.label}`" in readme
        for definition in entity_type.properties:
            assert definition.relationship is None or f":{definition.relationship}" in readme


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE (:Entity {id: $id})",
        "CREATE (:Entity {id: $id + '2', orgId: $id, entityType: 'Agent', key: 'k'})",
        "CREATE (:KnowledgeDocument {knowledgeId: $id, nameKey: 'a.txt'})",
    ],
)
@pytest.mark.feature("A9")
async def test_what_must_be_unique_is(database: Database, ours: Scope, statement: str) -> None:
    await database.write(
        "CREATE (:Entity {id: $id, orgId: $id, entityType: 'Agent', key: 'k'}) "
        "CREATE (:KnowledgeDocument:Entity {knowledgeId: $id, nameKey: 'a.txt', orgId: $id})",
        id=ours.org_id,
    )
    with pytest.raises(Conflict):
        await database.write(statement, id=ours.org_id)


async def test_the_text_index_holds_passages_alone(
    database: Database, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    word = f"zebra{ours.org_id}"
    corpus = await entities.create(ours, types["knowledge"], "k", {"name": word, "description": word})
    document = await add_document(database, ours, corpus.id, word, [f"The {word} of it"])
    await database.write(
        "CREATE (:Entity:Message {id: $word, orgId: $org, entityType: 'Message', text: $word}) "
        "CREATE (:Entity:Memory {id: $word + '2', orgId: $org, entityType: 'Memory', text: $word})",
        word=word,
        org=ours.org_id,
    )
    search = "CALL db.index.fulltext.queryNodes('entity_text', $query) YIELD node RETURN node.id AS id"
    assert [row["id"] for row in await database.read(search, query=f"text:{word}")] == [f"{document}-0"]
    stop_words = await database.read(search, query=f'text:"the {word} of it"')
    assert [row["id"] for row in stop_words] == [f"{document}-0"]


def operators(plan: Mapping[str, Any]) -> list[str]:
    children = [name for child in plan.get("children", []) for name in operators(child)]
    return [str(plan["operatorType"]).split("@")[0], *children]


async def plan_of(database: Database, query: str, parameters: Mapping[str, object]) -> list[str]:
    """The operators by which Neo4j would answer the query."""
    explained = query.strip().replace("CYPHER 25", "CYPHER 25 EXPLAIN", 1)
    async with database._driver.session() as session:
        summary = await (await session.run(explained, dict(parameters))).consume()
    assert summary.plan is not None
    return operators(summary.plan)


LISTS: list[tuple[str, dict[str, Value]]] = [
    ("knowledge", {}),
    ("documents", {}),
    ("documents", {"knowledge": "x"}),
    ("chunks", {}),
    ("chunks", {"knowledge": "x"}),
    ("agents", {}),
    ("sessions", {}),
    ("messages", {}),
    ("memories", {}),
    ("jobs", {}),
    ("teams", {}),
    ("model-providers", {}),
    ("api-keys", {}),
]


@pytest.mark.parametrize(("kind", "where"), LISTS)
async def test_a_page_is_read_from_an_index_in_order(
    database: Database, types: Types, ours: Scope, kind: str, where: dict[str, Value]
) -> None:
    entity_type = types[kind]
    listing = listing_for(entity_type, where)
    parameters = {
        "limit": 51,
        **scope_parameters(ours, entity_type),
        **columns_of(entity_type),
        **filter_parameters(entity_type, where, None, listing),
        **page_parameters(listing, None),
    }
    plan = await plan_of(database, listing.query, parameters)
    assert "NodeIndexSeek" in plan
    assert not {name for name in plan if name.endswith("Scan") or name in ("Sort", "Top")}


async def test_everything_is_found_through_an_index(database: Database, types: Types, ours: Scope) -> None:
    for entity_type in types.values():
        parameters = {"refs": ["x"], **scope_parameters(ours, entity_type), **columns_of(entity_type)}
        plan = await plan_of(database, finder_for(entity_type), parameters)
        assert not {name for name in plan if name.endswith("Scan")}, entity_type.key


@pytest.mark.feature("A1")
async def test_every_node_is_an_entity_with_its_type_and_organization(
    database: Database, entities: Neo4jEntities, type_store: Neo4jEntityTypes, types: Types, ours: Scope
) -> None:
    own = await type_store.save_type(ours, EntityType("thing", "", "Thing", (PropertyDefinition("name"),), {}))
    await entities.create(ours, own, "t", {"name": "T"})
    agent = await entities.create(ours, types["agents"], "a", {"name": "A"})
    citation = Citation(1, "c", "d", "v", "k", "a.pdf", "quote")
    answer = Answer(new_id(), new_id(), "Because.", True, (citation,))
    await Neo4jSessions(database).save(ours, Turn(answer.session_id, agent.id, None, "Why?", answer))
    await Neo4jMemories(database).remember(ours, agent.id, "kept", [1.0] * 384, shared=False)
    rows = await database.read(
        "MATCH (n {orgId: $org}) RETURN labels(n) AS labels, n.entityType AS type, "
        "all(name IN ['id', 'createdAt', 'updatedAt'] WHERE n[name] IS NOT NULL) AS complete",
        org=ours.org_id,
    )
    assert {row["type"] for row in rows} == {"thing", "EntityType", "Agent", "Session", "Message", "Citation", "Memory"}
    for row in rows:
        assert row["complete"], row
        assert set(row["labels"]) == {"Entity", "CustomEntity" if row["type"] == "thing" else row["type"]}
