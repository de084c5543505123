"""Memories on the index that passages use: found by nearness, private to their person."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from matrix.domain.access import Role, Scope
from matrix.domain.entities import EntityFilter, EntityType
from matrix.errors import EmbedderMismatch, NotAllowed, NotFound
from matrix.graph.conversation.memories import Neo4jMemories
from matrix.graph.database import Database
from matrix.graph.entities.entities import Neo4jEntities
from tests.fakes.embedder import FakeEmbedder
from tests.graph.scopes import scope

pytestmark = pytest.mark.feature("E4")


class Mind:
    """One agent's memory, by text."""

    def __init__(self, store: Neo4jMemories, embedder: FakeEmbedder, agent_id: str) -> None:
        self.store, self.embedder, self.agent_id = store, embedder, agent_id

    async def keep(self, who: Scope, text: str, shared: bool = False) -> str:
        [vector] = await self.embedder.embed_documents([text])
        return (await self.store.remember(who, self.agent_id, text, vector, shared)).id

    async def recall(self, who: Scope, question: str, limit: int = 5) -> list[str]:
        vector = await self.embedder.embed_query(question)
        return [memory.text for memory in await self.store.recall(who, self.agent_id, vector, limit)]

    async def recall_until(self, who: Scope, question: str, count: int) -> list[str]:
        """The vector index may lag a moment behind a commit."""
        for _ in range(100):
            found = await self.recall(who, question)
            if len(found) >= count:
                break
            await asyncio.sleep(0.05)
        return found


@pytest.fixture
async def mind(
    database: Database, embedder: FakeEmbedder, entities: Neo4jEntities, types: Mapping[str, EntityType], ours: Scope
) -> Mind:
    agent = await entities.create(ours, types["agents"], "helper", {"name": "Helper"})
    return Mind(Neo4jMemories(database), embedder, agent.id)


@pytest.mark.feature("A3")
async def test_the_nearest_memories_come_first_with_their_cosine(mind: Mind, ours: Scope) -> None:
    for text in ("I live in Oslo", "My dog is called Rex", "I like strong coffee"):
        await mind.keep(ours, text)
    assert len(await mind.recall_until(ours, "What is my dog called", 3)) == 3
    vector = await mind.embedder.embed_query("My dog is called Rex")
    memories = await mind.store.recall(ours, mind.agent_id, vector, 2)
    assert memories[0].text == "My dog is called Rex"
    assert len(memories) == 2
    assert memories[0].score == pytest.approx(1, abs=1e-3)
    assert memories[1].score is not None
    assert memories[1].score < 0.9
    assert memories[0].user_id == ours.user_id


async def test_a_memory_is_private_and_a_shared_one_is_the_agents(mind: Mind, ours: Scope, theirs: Scope) -> None:
    colleague = scope(ours.org_id, "eve", Role.ADMIN)
    await mind.keep(ours, "mine")
    await mind.keep(colleague, "hers")
    await mind.keep(ours, "everybodys", shared=True)
    assert set(await mind.recall_until(ours, "mine hers everybodys", 2)) == {"mine", "everybodys"}
    assert set(await mind.recall_until(colleague, "mine hers everybodys", 2)) == {"hers", "everybodys"}
    assert await mind.recall(theirs, "mine hers everybodys") == []
    assert await mind.recall(replace(theirs, user_id=ours.user_id), "mine hers everybodys") == []


@pytest.mark.feature("A3")
async def test_nearer_memories_of_others_do_not_crowd_out_ones_own(mind: Mind, ours: Scope) -> None:
    for number in range(20):
        await mind.keep(scope(ours.org_id, f"user{number}"), "the dog is called Rex")
    await mind.keep(ours, "a dog")
    await mind.recall_until(ours, "the dog is called Rex", 1)
    assert await mind.recall(ours, "the dog is called Rex", limit=1) == ["a dog"]


async def test_another_agent_remembers_nothing_of_it(
    mind: Mind, entities: Neo4jEntities, types: Mapping[str, EntityType], ours: Scope
) -> None:
    other = await entities.create(ours, types["agents"], "other", {"name": "Other"})
    await mind.keep(ours, "mine")
    await mind.recall_until(ours, "mine", 1)
    assert await Mind(mind.store, mind.embedder, other.id).recall(ours, "mine") == []


async def test_an_agent_of_another_organization_cannot_be_told_anything(mind: Mind, theirs: Scope) -> None:
    with pytest.raises(NotFound):
        await mind.keep(theirs, "planted")
    with pytest.raises(NotFound):
        await mind.keep(theirs, "planted", shared=True)


async def test_what_is_forgotten_is_gone(mind: Mind, ours: Scope, theirs: Scope) -> None:
    colleague = scope(ours.org_id, "eve", Role.OWNER)
    mine, shared = await mind.keep(ours, "mine"), await mind.keep(ours, "shared", shared=True)
    await mind.recall_until(ours, "mine shared", 2)
    for other in (colleague, theirs):
        with pytest.raises(NotFound):
            await mind.store.forget(other, mine)
    with pytest.raises(NotFound):
        await mind.store.forget(theirs, shared)
    with pytest.raises(NotAllowed):
        await mind.store.forget(replace(colleague, role=Role.VIEWER), shared)
    await mind.store.forget(ours, mine)
    await mind.store.forget(colleague, shared)
    assert await mind.recall(ours, "mine shared") == []
    with pytest.raises(NotFound):
        await mind.store.forget(ours, mine)


async def test_memories_are_entities_that_their_person_lists_and_deletes(
    mind: Mind, entities: Neo4jEntities, types: Mapping[str, EntityType], ours: Scope
) -> None:
    kind = types["memories"]
    mine = await mind.keep(ours, "mine")
    await mind.keep(scope(ours.org_id, "eve"), "hers")
    page = await entities.list(ours, kind, EntityFilter({"agent": mind.agent_id}), 10, None)
    assert [item.id for item in page.items] == [mine]
    assert (page.items[0].properties["agent"], page.items[0].properties["text"]) == (mind.agent_id, "mine")
    assert "embedding" not in page.items[0].properties
    await entities.delete(ours, kind, mine)
    assert await mind.recall(ours, "mine") == []


@pytest.mark.feature("A3")
async def test_the_vector_is_on_the_node_with_its_model(mind: Mind, database: Database, ours: Scope) -> None:
    memory = await mind.keep(ours, "mine")
    row = await database.read_one(
        "MATCH (m:Memory:Entity {id: $id}) RETURN size(m.embedding) AS size, m.embeddingModel AS model, "
        "m.scopeId AS scope, m.audienceId AS audience",
        id=memory,
    )
    assert row == {"size": 384, "model": "fake-384", "scope": mind.agent_id, "audience": ours.user_id}


async def test_a_vector_that_the_index_would_leave_out_is_refused(mind: Mind, ours: Scope) -> None:
    with pytest.raises(EmbedderMismatch):
        await mind.store.remember(ours, mind.agent_id, "mine", [1.0] * 10, shared=False)
