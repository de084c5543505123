from __future__ import annotations

import dataclasses

import pytest

from matrix.domain.access import Scope
from matrix.domain.entities import EntityFilter
from matrix.domain.ids import new_id
from matrix.domain.retrieval import SearchFilters
from matrix.errors import Conflict, InvalidInput, NotFound
from matrix.graph.access.audiences import audiences_of, everyone_in
from matrix.graph.database import Database
from matrix.graph.entities.custom_types import Neo4jEntityTypes
from matrix.graph.entities.entities import Neo4jEntities
from matrix.graph.entities.type_files import read_entity_types
from matrix.graph.search.keyword_index import Keywords
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.ingest.worker import work_off
from tests.ingest.flow import Flow, new_flow, sections

JOIN = """
MATCH (o:Organization {id: $org})
CREATE (u:Entity:User {id: $user, entityType: 'User', orgId: 'platform'})-[:MEMBER_OF {role: 'VIEWER'}]->(o)
"""
MAKE_TEAM = """
MATCH (u:User:Entity {id: $user})
CREATE (t:Entity:Team {id: $team, entityType: 'Team', orgId: $org, key: 't' + $team})<-[:MEMBER_OF]-(u)
"""


@pytest.fixture
async def flow(database: Database) -> Flow:
    return await new_flow(database)


async def member(flow: Flow) -> Scope:
    """Another person of the organization."""
    user = new_id()
    await flow.database.write(JOIN, org=flow.scope.org_id, user=user)
    return await scope_of(flow, user)


async def counted(flow: Flow, scope: Scope) -> tuple[object, object]:
    """Documents and passages that the corpus has for this person, alone and in a list."""
    types = read_entity_types()
    store = Neo4jEntities(flow.database, Neo4jEntityTypes(flow.database, types))
    one = await store.get(scope, types["knowledge"], flow.corpus)
    [listed] = (await store.list(scope, types["knowledge"], EntityFilter(), 10, None)).items
    for name in ("documentCount", "chunkCount"):  # numbers that are hidden cannot be guessed one by one
        with pytest.raises(InvalidInput):
            await store.list(scope, types["knowledge"], EntityFilter({name: "1"}), 10, None)
    assert one == listed
    return one.properties["documentCount"], one.properties["chunkCount"]


async def scope_of(flow: Flow, user: str) -> Scope:
    access = await audiences_of(flow.database, flow.scope.org_id, user)
    return dataclasses.replace(flow.scope, user_id=user, audiences=access.audiences, principals=access.principals)


async def found(flow: Flow, scope: Scope, filters: SearchFilters | None = None) -> tuple[int, int]:
    """How many passages each leg shows to this person."""
    vector = await flow.embedder.embed_query("word")
    dense = await KnowledgeVectors(flow.database).search(scope, [flow.corpus], vector, filters or SearchFilters(), 50)
    words = await Keywords(flow.database).search(scope, [flow.corpus], "told", filters or SearchFilters(), 50)
    return len(dense), len(words)


async def test_a_renamed_document_is_found_by_its_new_name_and_not_embedded_anew(flow: Flow) -> None:
    document_id = await flow.ingest("draft.md", sections(3))
    embedded = flow.embedder.embedded
    await flow.documents.rename(flow.scope, document_id, "handbook.md")
    assert flow.embedder.embedded == embedded
    assert await flow.words("draft") == []
    assert len(await flow.words("handbook")) == 3
    receipt = await flow.send("handbook.md", sections(3))
    assert (receipt.document_id, receipt.unchanged) == (document_id, True)


async def test_a_name_that_is_taken_is_a_conflict(flow: Flow) -> None:
    first, _ = await flow.ingest("a.md", "one"), await flow.ingest("b.md", "two")
    with pytest.raises(Conflict):
        await flow.documents.rename(flow.scope, first, "b.md")
    assert (await flow.document(first))["name"] == "a.md"


async def test_tags_narrow_both_legs_at_once(flow: Flow) -> None:
    tagged, _ = await flow.ingest("a.md", sections(2)), await flow.ingest("b.md", sections(3, first=5))
    assert await found(flow, flow.scope, SearchFilters(tags=("Zoll & Steuer",))) == (0, 0)
    await flow.documents.set_tags(flow.scope, tagged, ["Zoll & Steuer", "2026"])
    assert await found(flow, flow.scope, SearchFilters(tags=("Zoll & Steuer", "none"))) == (2, 2)
    assert await found(flow, flow.scope, SearchFilters(languages=("en",))) == (5, 5)
    assert await found(flow, flow.scope, SearchFilters(languages=("de",))) == (0, 0)
    assert await found(flow, flow.scope, SearchFilters(document_ids=(tagged,))) == (2, 2)
    await flow.documents.set_tags(flow.scope, tagged, [])
    assert await found(flow, flow.scope, SearchFilters(tags=("2026",))) == (0, 0)


@pytest.mark.feature("C7")
async def test_a_document_shows_only_to_its_audience(flow: Flow, database: Database) -> None:
    document_id = await flow.ingest("a.md", sections(2))
    await flow.ingest("b.md", sections(3, first=5))
    other = await member(flow)
    assert await found(flow, other) == (5, 5)

    await flow.documents.set_audience(flow.scope, document_id, [flow.scope.user_id])
    assert await found(flow, other) == (3, 3)
    assert await counted(flow, other) == (1, 3)
    owner = await scope_of(flow, flow.scope.user_id)
    assert await found(flow, owner) == (5, 5)
    assert await counted(flow, owner) == (2, 5)
    for hidden in (
        flow.documents.original(other, document_id),
        flow.documents.cancel(other, document_id),
        flow.documents.delete_document(other, document_id),
        flow.documents.set_audience(other, document_id, [other.user_id]),
    ):
        with pytest.raises(NotFound):
            await hidden

    team = new_id()
    await database.write(MAKE_TEAM, team=team, user=other.user_id, org=flow.scope.org_id)
    await flow.documents.set_audience(owner, document_id, [team, flow.scope.user_id])
    assert await found(flow, await scope_of(flow, other.user_id)) == (5, 5)
    await flow.documents.set_audience(await scope_of(flow, other.user_id), document_id, [flow.scope.org_id])
    assert await found(flow, await member(flow)) == (5, 5)
    assert (await flow.document(document_id))["audienceId"] == everyone_in(flow.scope.org_id)


@pytest.mark.feature("C7")
async def test_a_tightened_audience_acts_before_its_copies_follow(flow: Flow, database: Database) -> None:
    document_id = await flow.ingest("a.md", sections(2))
    await database.write("MATCH (d:KnowledgeDocument:Entity {id: $id}) SET d.audienceId = 'nobody'", id=document_id)
    assert await found(flow, flow.scope) == (0, 0)


async def test_copies_on_many_passages_follow_by_a_job(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", sections(230))
    await flow.documents.set_tags(flow.scope, document_id, ["late"])
    assert await flow.ports.jobs.claim("w", 0.01) is not None
    while await work_off(flow.ports) == 0:
        continue
    assert len(await words_with_tag(flow)) == 230


async def words_with_tag(flow: Flow) -> list[str]:
    hits = await Keywords(flow.database).search(flow.scope, [flow.corpus], "told", SearchFilters(tags=("late",)), 300)
    return [hit.chunk_id for hit in hits]


async def test_an_audience_takes_only_members_of_the_organization(flow: Flow, database: Database) -> None:
    document_id = await flow.ingest("a.md", "text")
    stranger = (await new_flow(database)).scope
    for members in ([], [stranger.user_id], [stranger.org_id], ["none"], [flow.scope.user_id, stranger.user_id]):
        with pytest.raises(InvalidInput):
            await flow.documents.set_audience(flow.scope, document_id, members)


async def test_who_left_the_organization_sees_nothing(flow: Flow, database: Database) -> None:
    other = await member(flow)
    await database.write("MATCH (:User {id: $id})-[m:MEMBER_OF]->() DELETE m", id=other.user_id)
    assert await scope_of(flow, other.user_id) == dataclasses.replace(other, audiences=(), principals=())


async def test_a_restricted_name_cannot_be_overwritten_by_others(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", "secret")
    other = await member(flow)
    await flow.documents.set_audience(flow.scope, document_id, [flow.scope.user_id])
    blind = dataclasses.replace(flow, scope=other)
    receipt = await blind.send("a.md", "mine")
    assert (receipt.document_id, receipt.code) == (None, "conflict")
