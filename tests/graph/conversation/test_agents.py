"""Agents as a turn needs them, with the corpora attached to them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from matrix.domain.access import Scope
from matrix.domain.entities import EntityType, validate_new
from matrix.errors import NotFound
from matrix.graph.access.audiences import everyone_in
from matrix.graph.access.cache import AccessCache
from matrix.graph.conversation.agents import Neo4jAgents
from matrix.graph.database import Database
from matrix.graph.documents.documents import Documents
from matrix.graph.entities.custom_types import Neo4jEntityTypes
from matrix.graph.entities.entities import Neo4jEntities
from matrix.graph.entities.platform import ensure_platform_entities

pytestmark = pytest.mark.feature("E1")
Types = Mapping[str, EntityType]


@pytest.fixture
def agents(database: Database, types: Types) -> Neo4jAgents:
    return Neo4jAgents(database, types)


async def make(entities: Neo4jEntities, types: Types, who: Scope, collection: str, key: str, **values: object) -> str:
    values = {"name": key.upper(), **values}
    return (await entities.create(who, types[collection], key, validate_new(types[collection], values))).id


async def test_a_card_holds_what_a_turn_needs(
    database: Database, agents: Neo4jAgents, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    await ensure_platform_entities(database, types)
    provider = await make(entities, types, ours, "model-providers", "gemini", kind="GEMINI")
    corpus = await make(entities, types, ours, "knowledge", "k1", description="Rules", topK=4, minScore=0.3)
    made = await make(
        entities,
        types,
        ours,
        "agents",
        "helper",
        instructions="Be brief.",
        systemPrompt="You are…",
        noAnswer="No idea.",
        topK=6,
        minScore=0.2,
        historyMessages=0,
        modelProvider="gemini",
        knowledge=["k1"],
        tools=["remember", "recall"],
    )
    card = await agents.agent(ours, "helper")
    assert card == await agents.agent(ours, made)
    assert (card.id, card.key, card.name) == (made, "helper", "HELPER")
    assert (card.instructions, card.system_prompt, card.no_answer) == ("Be brief.", "You are…", "No idea.")
    assert (card.top_k, card.min_score, card.history_messages) == (6, 0.2, 0)
    assert card.model_provider_id == provider
    assert card.tools == ("remember", "recall")
    assert card.knowledge == (await agents.knowledge(ours, corpus),)
    assert (card.knowledge[0].description, card.knowledge[0].top_k, card.knowledge[0].min_score) == ("Rules", 4, 0.3)


async def test_a_bare_agent_has_defaults(
    agents: Neo4jAgents, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    await make(entities, types, ours, "agents", "bare")
    card = await agents.agent(ours, "bare")
    assert (card.knowledge, card.tools, card.model_provider_id, card.history_messages) == ((), (), None, 10)
    assert card.no_answer


@pytest.mark.feature("E2")
async def test_corpora_come_in_the_order_in_which_they_were_attached(
    agents: Neo4jAgents, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    ids = {key: await make(entities, types, ours, "knowledge", key) for key in ("k1", "k2", "k3")}
    await make(entities, types, ours, "agents", "helper", knowledge=["k3"])
    await agents.attach(ours, "helper", ids["k1"])
    await agents.attach(ours, "helper", "k2")
    await agents.attach(ours, "helper", "k1")
    assert [each.key for each in (await agents.agent(ours, "helper")).knowledge] == ["k3", "k1", "k2"]
    await agents.detach(ours, "helper", "k3")
    await agents.attach(ours, "helper", "k3")
    assert [each.key for each in (await agents.agent(ours, "helper")).knowledge] == ["k1", "k2", "k3"]
    shown = await entities.get(ours, types["agents"], "helper")
    assert shown.properties["knowledge"] == [ids["k1"], ids["k2"], ids["k3"]]


async def test_two_attached_at_once_are_both_there(
    agents: Neo4jAgents, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    keys = [f"k{i}" for i in range(4)]
    for key in keys:
        await make(entities, types, ours, "knowledge", key)
    await make(entities, types, ours, "agents", "helper")
    await asyncio.gather(*(agents.attach(ours, "helper", key) for key in keys * 2))
    assert sorted(each.key for each in (await agents.agent(ours, "helper")).knowledge) == keys


async def test_nothing_crosses_organizations(
    agents: Neo4jAgents, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    corpus = await make(entities, types, ours, "knowledge", "k1")
    agent = await make(entities, types, ours, "agents", "helper", knowledge=["k1"])
    foreign = await make(entities, types, theirs, "knowledge", "k2")
    spy = await make(entities, types, theirs, "agents", "spy")
    for call in (
        agents.agent(theirs, agent),
        agents.agent(theirs, "helper"),
        agents.knowledge(theirs, corpus),
        agents.attach(theirs, spy, corpus),
        agents.attach(theirs, agent, foreign),
        agents.attach(ours, "helper", foreign),
        agents.detach(theirs, agent, corpus),
        agents.detach(ours, "helper", foreign),
        agents.attach(ours, "nobody", corpus),
    ):
        with pytest.raises(NotFound):
            await call
    assert [each.id for each in (await agents.agent(ours, "helper")).knowledge] == [corpus]
    assert (await agents.agent(theirs, "spy")).knowledge == ()


async def test_what_is_not_attached_cannot_be_detached(
    agents: Neo4jAgents, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    await make(entities, types, ours, "knowledge", "k1")
    await make(entities, types, ours, "agents", "helper")
    with pytest.raises(NotFound, match="k1"):
        await agents.detach(ours, "helper", "k1")


async def test_deleted_and_hidden_corpora_are_left_out(
    database: Database, agents: Neo4jAgents, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    gone, few, kept = [await make(entities, types, ours, "knowledge", key) for key in ("gone", "few", "kept")]
    await make(entities, types, ours, "agents", "helper", knowledge=[gone, few, kept])
    await database.write("MATCH (n:Entity {id: $id}) SET n.deletedAt = datetime()", id=gone)
    await database.write("MATCH (n:Entity {id: $id}) SET n.audienceId = 'few'", id=few)
    assert [each.key for each in (await agents.agent(ours, "helper")).knowledge] == ["kept"]
    insider = replace(ours, audiences=("few",))
    assert [each.key for each in (await agents.agent(insider, "helper")).knowledge] == ["few", "kept"]
    for ref in ("gone", "few"):
        with pytest.raises(NotFound):
            await agents.knowledge(ours, ref)
        with pytest.raises(NotFound):
            await agents.attach(ours, "helper", ref)


@pytest.mark.feature("C1")
async def test_a_kept_corpus_is_forgotten_by_who_changes_or_deletes_it(
    database: Database, type_store: Neo4jEntityTypes, types: Types, ours: Scope
) -> None:
    cache, ours = AccessCache(), replace(ours, audiences=(everyone_in(ours.org_id),))
    agents, entities = Neo4jAgents(database, types, cache), Neo4jEntities(database, type_store, cache)
    corpus = await make(entities, types, ours, "knowledge", "k1", topK=4)
    assert (await agents.knowledge(ours, "k1")).top_k == 4
    await Neo4jEntities(database, type_store).update(ours, types["knowledge"], "k1", {"topK": 5})
    assert (await agents.knowledge(ours, "k1")).top_k == 4, "this process asks no more than every few seconds"
    await entities.update(ours, types["knowledge"], "k1", {"topK": 6})
    assert (await agents.knowledge(ours, "k1")).top_k == 6
    await Documents(database, cache).delete_knowledge(ours, corpus)
    with pytest.raises(NotFound):
        await agents.knowledge(ours, "k1")


async def test_a_kept_corpus_is_kept_for_its_own_organization_and_person(
    database: Database, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    agents = Neo4jAgents(database, types, AccessCache())
    await make(entities, types, ours, "knowledge", "k1")
    await agents.knowledge(ours, "k1")
    with pytest.raises(NotFound):
        await agents.knowledge(theirs, "k1")
