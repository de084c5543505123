"""An organization's own types and fields: at once usable, additive, and nobody else's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from matrix.domain.access import Scope
from matrix.domain.entities import (
    EntityFilter,
    EntityType,
    PropertyDefinition,
    PropertyType,
    Value,
    validate_new,
    validate_patch,
)
from matrix.errors import InvalidInput, NotFound, UnknownField
from matrix.graph.database import Database
from matrix.graph.entities.custom_types import CACHE_SECONDS, Neo4jEntityTypes
from matrix.graph.entities.entities import Neo4jEntities
from tests.graph.scopes import add_document

pytestmark = pytest.mark.feature("A2")
Types = Mapping[str, EntityType]
NUMBER, ENTITY = PropertyType.NUMBER, PropertyType.ENTITY


def own(key: str, *properties: PropertyDefinition, name: str = "Thing") -> EntityType:
    return EntityType(key, "", name, properties, {})


def field(name: str, kind: PropertyType = PropertyType.STRING, **rest: object) -> PropertyDefinition:
    return PropertyDefinition(name, kind, **rest)  # type: ignore[arg-type]  # the dataclass's own fields


PRODUCT = own(
    "product",
    field("name", required=True),
    field("price", NUMBER, minimum=0),
    field("handbook", ENTITY, target_entity_type="knowledge"),
    field("parts", ENTITY, target_entity_type="product", multi=True),
)


async def test_an_own_type_is_usable_at_once_and_is_a_custom_entity(
    database: Database, type_store: Neo4jEntityTypes, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    assert "product" not in await type_store.for_org(ours)
    await type_store.save_type(ours, PRODUCT)
    kind = (await type_store.for_org(ours))["product"]
    assert (kind.label, kind.owner_org) == ("CustomEntity", ours.org_id)
    handbook = await entities.create(ours, types["knowledge"], "handbook", {"name": "H"})
    bolt = await entities.create(ours, kind, "bolt", validate_new(kind, {"name": "Bolt", "price": 2.5}))
    drill = await entities.create(
        ours, kind, "drill", validate_new(kind, {"name": "Drill", "handbook": "handbook", "parts": ["bolt"]})
    )
    assert drill.entity_type == "product"
    assert drill.properties == {"name": "Drill", "price": None, "handbook": handbook.id, "parts": [bolt.id]}
    rows = await database.read(
        "MATCH (n:CustomEntity:Entity {id: $id})-[r:REFERS_TO]->(t) RETURN n.entityType AS type, "
        "r.property AS property, t.id AS target ORDER BY property",
        id=drill.id,
    )
    assert [(row["type"], row["property"], row["target"]) for row in rows] == [
        ("product", "handbook", handbook.id),
        ("product", "parts", bolt.id),
    ]
    changed = await entities.update(ours, kind, "drill", {"handbook": None, "price": 3})
    assert changed.properties == {"name": "Drill", "price": 3, "handbook": None, "parts": [bolt.id]}
    page = await entities.list(ours, kind, EntityFilter({"parts": "bolt"}), 10, None)
    assert [item.id for item in page.items] == [drill.id]
    await entities.delete(ours, kind, "bolt")
    assert (await entities.get(ours, kind, "drill")).properties["parts"] == []


async def test_who_writes_a_list_back_leaves_what_they_do_not_see(
    database: Database, type_store: Neo4jEntityTypes, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    kind = await type_store.save_type(
        ours,
        own(
            "reading-list",
            field("name"),
            field("documents", ENTITY, target_entity_type="documents", multi=True),
            field("best", ENTITY, target_entity_type="documents"),
            field("passage", ENTITY, target_entity_type="chunks"),
        ),
    )
    corpus = await entities.create(ours, types["knowledge"], None, {"name": "Shelf"})
    shown = await add_document(database, ours, corpus.id, "shown.md", ["a"])
    hidden = await add_document(database, ours, corpus.id, "hidden.md", ["b"], audience="few")
    insider = replace(ours, audiences=(*ours.audiences, "few"))
    values: dict[str, Value] = {"documents": [hidden, shown], "best": hidden, "passage": f"{hidden}-0"}
    made = await entities.create(insider, kind, "mine", {"name": "Mine", **values})
    assert made.properties["passage"] == f"{hidden}-0"
    seen = await entities.get(ours, kind, made.id)
    assert seen.properties["passage"] is None
    assert (seen.properties["documents"], seen.properties["best"]) == ([shown], None)

    await entities.update(ours, kind, made.id, {"documents": seen.properties["documents"], "best": None})
    kept = await entities.get(insider, kind, made.id)
    assert set(kept.properties["documents"]) == {hidden, shown}  # type: ignore[arg-type]  # a list of ids
    assert kept.properties["best"] == hidden
    await entities.update(ours, kind, made.id, {"documents": [], "best": shown})
    left = await entities.get(insider, kind, made.id)
    assert (left.properties["documents"], left.properties["best"]) == ([hidden], shown)
    await entities.update(insider, kind, made.id, {"documents": []})
    assert (await entities.get(insider, kind, made.id)).properties["documents"] == []


async def test_another_organization_has_neither_the_type_nor_its_entities(
    type_store: Neo4jEntityTypes, entities: Neo4jEntities, ours: Scope, theirs: Scope
) -> None:
    kind = await type_store.save_type(ours, PRODUCT)
    made = await entities.create(ours, kind, "bolt", {"name": "Bolt"})
    assert "product" not in await type_store.for_org(theirs)
    same = await type_store.save_type(theirs, PRODUCT)
    with pytest.raises(NotFound):
        await entities.get(theirs, same, made.id)
    with pytest.raises(InvalidInput):
        await entities.create(theirs, same, "drill", {"name": "Drill", "parts": [made.id]})


async def test_own_fields_on_a_built_in_type(
    database: Database, type_store: Neo4jEntityTypes, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    before = await entities.create(ours, types["knowledge"], "old", {"name": "Old"})
    wanted = replace(
        types["knowledge"],
        properties=(
            *types["knowledge"].properties,
            field("costCentre", required=True, default="none"),
            field("related", ENTITY, target_entity_type="agents"),
        ),
    )
    with pytest.raises(InvalidInput, match="reserved"):
        await type_store.save_type(ours, wanted)
    await type_store.save_type(
        ours,
        own(
            "knowledge",
            field("costCentre", required=True, default="none"),
            field("speaker", ENTITY, target_entity_type="agents"),
        ),
    )
    kind = (await type_store.for_org(ours))["knowledge"]
    assert kind.label == "Knowledge"
    assert (await entities.get(ours, kind, "old")).properties["costCentre"] == "none"
    agent = await entities.create(ours, types["agents"], "helper", {"name": "Helper"})
    changed = await entities.update(
        ours, kind, before.id, validate_patch(kind, {"costCentre": "R&D", "speaker": "helper"})
    )
    assert (changed.properties["costCentre"], changed.properties["speaker"]) == ("R&D", agent.id)
    page = await entities.list(ours, kind, EntityFilter({"costCentre": "R&D", "speaker": agent.id}), 10, None)
    assert [item.id for item in page.items] == [before.id]
    assert (await type_store.for_org(theirs))["knowledge"] == types["knowledge"]
    with pytest.raises(UnknownField):
        validate_new((await type_store.for_org(theirs))["knowledge"], {"name": "x", "costCentre": "x"})
    left = await database.read_one("MATCH (n:EntityType {orgId: $org}) RETURN count(n) AS types", org=ours.org_id)
    assert left == {"types": 0}


async def test_own_fields_on_documents_are_written_like_others(
    database: Database, type_store: Neo4jEntityTypes, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    await type_store.save_type(ours, own("documents", field("reviewer")))
    kind = (await type_store.for_org(ours))["documents"]
    corpus = await entities.create(ours, types["knowledge"], "k", {"name": "K"})
    document = await add_document(database, ours, corpus.id, "a.txt", ["a"])
    assert (await entities.update(ours, kind, document, {"reviewer": "Ann"})).properties["reviewer"] == "Ann"


@pytest.mark.parametrize(
    "key",
    [
        "knowledge-",
        "Product",
        "1st",
        "a b",
        "",
        "a" * 64,
        "x`) DETACH DELETE (n",
        "skills",
        "audit-events",
        "invitations",
        "receipts",
    ],
)
async def test_malformed_and_reserved_keys_are_refused(type_store: Neo4jEntityTypes, ours: Scope, key: str) -> None:
    if key == "knowledge-":
        key = "knowledge-" + "-" * 60
    with pytest.raises(InvalidInput) as caught:
        await type_store.save_type(ours, own(key, field("name")))
    assert caught.value.field == "key"
    assert key not in await type_store.for_org(ours)


@pytest.mark.parametrize(
    "definition",
    [
        field("id"),
        field("embedding"),
        field("orgId"),
        field("scopeTokens"),
        field("Name"),
        field("a b"),
        field("a`b"),
        field("é"),
        field(""),
        field("x", ENTITY),
        field("x", ENTITY, target_entity_type="nothing"),
        field("x", target_entity_type="knowledge"),
        field("x", ENTITY, target_entity_type="knowledge", default="y"),
        field("x", minimum=1),
        field("x", NUMBER, choices=("a",)),
        field("x", NUMBER, default="many"),
        field("x", NUMBER, minimum=5, default=1),
        field("x", description="d" * 1001),
    ],
)
async def test_impossible_properties_are_refused(
    type_store: Neo4jEntityTypes, ours: Scope, definition: PropertyDefinition
) -> None:
    with pytest.raises(InvalidInput):
        await type_store.save_type(ours, own("thing", definition))
    assert "thing" not in await type_store.for_org(ours)


async def test_what_a_client_cannot_say_about_a_property_is_not_believed(
    type_store: Neo4jEntityTypes, ours: Scope
) -> None:
    sly = field("x", hidden=True, writable="never", stored_as="embedding", relationship="MEMBER_OF", incoming=True)
    kind = await type_store.save_type(ours, own("thing", sly))
    assert kind.properties == (field("x", custom=True),)


BASE = own(
    "thing",
    field("name"),
    field("size", NUMBER, minimum=0, maximum=10),
    field("colour", choices=("red", "blue")),
    field("owner", ENTITY, target_entity_type="agents"),
)


@pytest.mark.parametrize(
    "change",
    [
        field("name", NUMBER),
        field("name", multi=True),
        field("name", required=True),
        field("name", choices=("a",)),
        field("size", NUMBER, minimum=1, maximum=10),
        field("size", NUMBER, minimum=0, maximum=9),
        field("colour", choices=("red",)),
        field("owner", ENTITY, target_entity_type="knowledge"),
        field("fresh", required=True),
    ],
)
async def test_changes_that_would_break_stored_values_are_refused(
    type_store: Neo4jEntityTypes, ours: Scope, change: PropertyDefinition
) -> None:
    saved = await type_store.save_type(ours, BASE)
    with pytest.raises(InvalidInput) as caught:
        await type_store.save_type(ours, own("thing", change))
    assert caught.value.field == change.name
    assert (await type_store.for_org(ours))["thing"] == saved


async def test_harmless_changes_are_made_and_nothing_is_lost(type_store: Neo4jEntityTypes, ours: Scope) -> None:
    await type_store.save_type(ours, BASE)
    changed = await type_store.save_type(
        ours,
        own(
            "thing",
            field("name", description="What it is called", required=True, default="?"),
            field("size", NUMBER, maximum=100),
            field("colour", choices=("red", "blue", "green")),
            field("fresh", required=True, default="x"),
            name="Renamed",
        ),
    )
    assert changed.name == "Renamed"
    assert [definition.name for definition in changed.properties] == ["name", "size", "colour", "owner", "fresh"]
    assert (await type_store.for_org(ours))["thing"] == changed


@pytest.mark.parametrize("key", ["chunks", "messages", "jobs", "sessions"])
async def test_what_matrix_writes_itself_takes_no_fields(type_store: Neo4jEntityTypes, ours: Scope, key: str) -> None:
    with pytest.raises(InvalidInput):
        await type_store.save_type(ours, own(key, field("extra")))


async def test_built_in_properties_stay_as_they_are(type_store: Neo4jEntityTypes, ours: Scope) -> None:
    with pytest.raises(InvalidInput) as caught:
        await type_store.save_type(ours, own("knowledge", field("topK", NUMBER, maximum=9999)))
    assert caught.value.field == "topK"


async def test_two_who_add_at_once_lose_nothing(type_store: Neo4jEntityTypes, ours: Scope) -> None:
    names = [f"p{i}" for i in range(5)]
    await asyncio.gather(*(type_store.save_type(ours, own("thing", field(name))) for name in names))
    kind = (await type_store.for_org(ours))["thing"]
    assert {definition.name for definition in kind.properties} == set(names)


async def test_another_process_sees_a_new_type_within_seconds(database: Database, types: Types, ours: Scope) -> None:
    now = 0.0
    here, there = Neo4jEntityTypes(database, types), Neo4jEntityTypes(database, types, clock=lambda: now)
    assert "thing" not in await there.for_org(ours)
    await here.save_type(ours, own("thing", field("name")))
    assert "thing" in await here.for_org(ours)
    now = CACHE_SECONDS + 0.1
    assert "thing" in await there.for_org(ours)
