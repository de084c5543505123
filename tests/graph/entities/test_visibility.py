"""What of each type is seen by whom: audiences, owners, members, what is deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrix.domain.access import Scope
from matrix.domain.entities import EntityFilter
from matrix.errors import InvalidInput, NotFound
from matrix.graph.database import Database
from matrix.graph.entities.entities import Neo4jEntities
from matrix.graph.entities.platform import ensure_platform_entities
from tests.graph.entities.makers import Maker, Types, ids
from tests.graph.scopes import add_document, add_member, scope

ALL = EntityFilter()


async def test_documents_show_only_to_their_audience_and_only_while_undeleted(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    corpus, kind = await make("knowledge", "k1"), types["documents"]
    shown = await add_document(database, ours, corpus.id, "shown", ["a"])
    hidden = await add_document(database, ours, corpus.id, "hidden", ["b"], audience="few")
    assert await ids(entities, ours, kind) == [shown]
    assert await ids(entities, ours, kind, knowledge="k1") == [shown]
    assert await ids(entities, ours, kind, tags="red") == [shown]
    assert await ids(entities, theirs, kind) == []
    assert await ids(entities, replace(ours, audiences=("few",)), kind) == [hidden]
    document = await entities.get(ours, kind, shown)
    assert (document.properties["knowledge"], document.properties["name"]) == (corpus.id, "shown")
    with pytest.raises(NotFound):
        await entities.get(ours, kind, hidden)
    for label, entity_id in (("KnowledgeDocument", shown), ("Knowledge", corpus.id)):
        await database.write("MATCH (n:Entity {id: $id}) SET n.deletedAt = datetime()", id=entity_id)
        assert await ids(entities, ours, kind) == [], label
        with pytest.raises(NotFound):
            await entities.get(ours, kind, shown)
        await database.write("MATCH (n:Entity {id: $id}) REMOVE n.deletedAt", id=entity_id)
    assert await ids(entities, ours, kind) == [shown]


async def test_a_deleted_corpus_is_gone_and_so_is_its_place_in_agents(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    corpus = await make("knowledge", "k1")
    await make("agents", "helper", knowledge=["k1"])
    await database.write("MATCH (n:Entity {id: $id}) SET n.deletedAt = datetime()", id=corpus.id)
    with pytest.raises(NotFound):
        await entities.get(ours, types["knowledge"], "k1")
    assert await ids(entities, ours, types["knowledge"]) == []
    assert (await entities.get(ours, types["agents"], "helper")).properties["knowledge"] == []
    with pytest.raises(InvalidInput):
        await make("agents", "late", knowledge=[corpus.id])


async def test_a_corpus_for_few_is_hidden_from_the_rest(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    corpus = await make("knowledge", "k1")
    await make("agents", "helper", knowledge=["k1"])
    await database.write("MATCH (n:Entity {id: $id}) SET n.audienceId = 'few'", id=corpus.id)
    assert await ids(entities, ours, types["knowledge"]) == []
    assert (await entities.get(ours, types["agents"], "helper")).properties["knowledge"] == []
    assert await ids(entities, replace(ours, audiences=("few",)), types["knowledge"]) == [corpus.id]


async def test_passages_come_from_live_versions_in_reading_order(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    first, second = await make("knowledge", "k1"), await make("knowledge", "k2")
    older = await add_document(database, ours, first.id, "older", ["a", "b", "c"])
    newer = await add_document(database, ours, second.id, "newer", ["d", "e"])
    await add_document(database, ours, first.id, "hidden", ["f"], audience="few")
    kind = types["chunks"]
    in_order = [f"{newer}-0", f"{newer}-1", f"{older}-0", f"{older}-1", f"{older}-2"]
    assert await ids(entities, ours, kind) == in_order
    assert await ids(entities, ours, kind, knowledge="k1") == in_order[2:]
    assert await ids(entities, ours, kind, document=newer) == in_order[:2]
    assert await ids(entities, ours, kind, document=older, page=2) == [f"{older}-1"]
    assert await ids(entities, theirs, kind) == []
    chunk = await entities.get(ours, kind, f"{older}-1")
    assert chunk.properties["document"] == older
    assert chunk.properties["knowledge"] == first.id
    assert [chunk.properties[name] for name in ("text", "position", "page", "start", "end")] == ["b", 1, 2, 10, 20]
    assert chunk.properties["sectionPath"] == ["Part", "Chapter"]
    assert chunk.properties["sourceUrl"] == "https://example.org/older"
    await database.write("MATCH (:Entity {id: $id})-[live:LIVE]->() DELETE live", id=older)
    with pytest.raises(NotFound):
        await entities.get(ours, kind, chunk.id)
    assert await ids(entities, ours, kind) == in_order[:2]


@pytest.mark.parametrize("narrow", ["all", "knowledge", "document"])
async def test_pages_of_passages_join_without_gap(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope, narrow: str
) -> None:
    corpus = await make("knowledge", "k1")
    documents = [await add_document(database, ours, corpus.id, f"d{i}", ["x"] * 4) for i in range(3)]
    where = {"all": {}, "knowledge": {"knowledge": corpus.id}, "document": {"document": documents[1]}}[narrow]
    whole = await ids(entities, ours, types["chunks"], **where)
    seen: list[str] = []
    cursor = None
    while True:
        page = await entities.list(ours, types["chunks"], EntityFilter(where), 3, cursor)
        seen += [item.id for item in page.items]
        if (cursor := page.next_cursor) is None:
            break
    assert seen == whole
    assert len(whole) == (4 if narrow == "document" else 12)


async def test_jobs_hide_with_their_document(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    corpus = await make("knowledge", "k1")
    shown = await add_document(database, ours, corpus.id, "shown", ["a"])
    hidden = await add_document(database, ours, corpus.id, "hidden", ["b"], audience="few")
    for document in (shown, hidden, "purged"):
        await database.write(
            "CREATE (:Entity:IngestJob {id: 'job-' + $d, entityType: 'IngestJob', orgId: $org, documentId: $d, "
            "kind: 'INGEST', state: 'DONE', createdAt: datetime(), updatedAt: datetime()})",
            d=document,
            org=ours.org_id,
        )
    assert set(await ids(entities, ours, types["jobs"])) == {f"job-{shown}", "job-purged"}
    assert await ids(entities, ours, types["jobs"], document=shown) == [f"job-{shown}"]
    assert await ids(entities, theirs, types["jobs"]) == []


# ------------------------------------------------------------------------------------------------ people


async def test_users_are_seen_as_members_of_the_organization(
    database: Database, make: Maker, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    await add_member(database, ours, "Ann")
    await add_member(database, theirs, "Bob")
    ann = await entities.get(ours, types["users"], ours.user_id)
    assert (ann.properties["name"], ann.properties["role"], ann.properties["suspended"]) == ("Ann", "OWNER", False)
    assert "passwordHash" not in ann.properties
    with pytest.raises(NotFound):
        await entities.get(ours, types["users"], theirs.user_id)
    assert await ids(entities, ours, types["users"]) == [ours.user_id]
    team = await make("teams", "crew", members=[ours.user_id])
    assert team.properties["members"] == [ours.user_id]
    with pytest.raises(InvalidInput):
        await entities.update(ours, types["teams"], "crew", {"members": [theirs.user_id]})
    assert await ids(entities, ours, types["teams"], members=ours.user_id) == [team.id]
    await entities.delete(ours, types["teams"], "crew")
    assert await ids(entities, ours, types["users"]) == [ours.user_id]


async def test_an_organization_sees_itself_alone(
    database: Database, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    await add_member(database, ours)
    await add_member(database, theirs)
    assert await ids(entities, ours, types["organizations"]) == [ours.org_id]
    with pytest.raises(NotFound):
        await entities.get(ours, types["organizations"], theirs.org_id)


@pytest.mark.parametrize("kind", ["sessions", "memories", "messages", "api-keys"])
async def test_private_types_show_to_their_owner_alone(
    database: Database, entities: Neo4jEntities, types: Types, ours: Scope, kind: str
) -> None:
    colleague = scope(ours.org_id, "eve")
    label = types[kind].label
    for who in (ours, colleague):
        await database.write(
            "CREATE (:Entity {id: $id, entityType: $label, orgId: $org, ownerId: $user, createdAt: datetime(), "
            "updatedAt: datetime()})",
            id=f"{kind}-{who.user_id}",
            label=label,
            org=who.org_id,
            user=who.user_id,
        )
    assert await ids(entities, ours, types[kind]) == [f"{kind}-{ours.user_id}"]
    assert (await entities.get(ours, types[kind], f"{kind}-{ours.user_id}")).id == f"{kind}-{ours.user_id}"
    with pytest.raises(NotFound):
        await entities.get(ours, types[kind], f"{kind}-{colleague.user_id}")
    assert await entities.get_many(ours, types[kind], [f"{kind}-{colleague.user_id}"]) == {}


async def test_the_platforms_tools_and_types_show_to_everybody(
    database: Database, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    for _ in range(2):
        await ensure_platform_entities(database, types)
    page = await entities.list(ours, types["tools"], ALL, 100, None)
    assert {item.key for item in page.items} == {"remember", "recall"}
    assert {item.org_id for item in page.items} == {"platform"}
    assert (await entities.get(ours, types["tools"], "recall")).properties["kind"] == "INTERNAL"
    kinds = await entities.list(ours, types["entity-types"], ALL, 100, None)
    assert {item.key for item in kinds.items} == types.keys()
