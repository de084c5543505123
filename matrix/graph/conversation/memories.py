"""What agents remember: nodes with their vectors in the index that passages use too, found by agent and person inside
the index."""

from __future__ import annotations

from datetime import datetime

from matrix.domain.access import Role, Scope
from matrix.domain.chat import Memory
from matrix.domain.ids import new_id
from matrix.errors import EmbedderMismatch, NotAllowed, NotFound
from matrix.graph.database import Database, Row, Transaction
from matrix.graph.schema.embedder_pin import READ_PIN

_WIDER = 3  # candidates asked of the index for each one wanted: what it says may lag

ADD_MEMORY = """
MATCH (a:Entity:Agent {id: $agent}) WHERE a.orgId = $org
CREATE (a)-[:REMEMBERS]->(m:Entity:Memory {id: $id, entityType: 'Memory', orgId: $org, scopeId: a.id,
  audienceId: $audience, ownerId: $owner, text: $text, embeddingModel: $model, embeddingDimensions: $dimensions,
  createdAt: datetime(), updatedAt: datetime()})
WITH m
CALL db.create.setNodeVectorProperty(m, 'embedding', $embedding)
RETURN m.id AS id, toString(m.createdAt) AS createdAt
"""

RECALL_MEMORIES = """
CYPHER 25
MATCH (m:Entity)
SEARCH m IN (VECTOR INDEX entity_node_embedding FOR $vector
  WHERE m.entityType = 'Memory' AND m.orgId = $org AND m.scopeId = $agent AND m.audienceId IN $audiences LIMIT $wide)
  SCORE AS score
MATCH (a:Entity:Agent {id: $agent})-[:REMEMBERS]->(m)
WHERE a.orgId = $org AND m.audienceId IN $audiences
RETURN m.id AS id, m.ownerId AS owner, m.text AS text, toString(m.createdAt) AS createdAt, 2 * score - 1 AS cosine
ORDER BY cosine DESC, id LIMIT $limit
"""

FIND_MEMORY = """
MATCH (m:Entity:Memory {id: $id}) WHERE m.orgId = $org AND (m.ownerId = $user OR m.ownerId IS NULL)
RETURN m.ownerId AS owner
"""

FORGET_MEMORY = "MATCH (m:Entity:Memory {id: $id}) DETACH DELETE m"


class Neo4jMemories:
    """MemoryStore on the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def remember(self, scope: Scope, agent_id: str, text: str, embedding: list[float], shared: bool) -> Memory:
        """Keeps a text for the person, or, `shared`, for all who talk with the agent.

        Errors: NotFound (the agent), EmbedderMismatch (a vector that the index would leave out).
        """
        memory_id, owner = new_id(), None if shared else scope.user_id

        async def write(tx: Transaction) -> Row | None:
            pin = await tx.one(READ_PIN)
            if pin is None or pin["dimensions"] != len(embedding):
                raise EmbedderMismatch(f"A vector of {len(embedding)} dimensions does not fit this database's index.")
            return await tx.one(
                ADD_MEMORY,
                agent=agent_id,
                org=scope.org_id,
                id=memory_id,
                audience=owner or agent_id,
                owner=owner,
                text=text,
                model=pin["name"],
                dimensions=len(embedding),
                embedding=embedding,
            )

        row = await self._database.write_together(write)
        if row is None:
            raise NotFound(f"There is no agent «{agent_id[:80]}».")
        return Memory(memory_id, agent_id, owner, text, datetime.fromisoformat(row["createdAt"]))

    async def recall(self, scope: Scope, agent_id: str, vector: list[float], limit: int) -> list[Memory]:
        """The person's own memories and the shared ones, nearest first; `score` is the cosine."""
        rows = await self._database.read(
            RECALL_MEMORIES,
            vector=vector,
            org=scope.org_id,
            agent=agent_id,
            audiences=[scope.user_id, agent_id],
            wide=limit * _WIDER,
            limit=limit,
        )
        return [
            Memory(
                id=row["id"],
                agent_id=agent_id,
                user_id=row["owner"],
                text=row["text"],
                created_at=datetime.fromisoformat(row["createdAt"]),
                score=row["cosine"],
            )
            for row in rows
        ]

    async def forget(self, scope: Scope, memory_id: str) -> None:
        """One's own, or, as an editor, a shared one. Errors: NotFound, NotAllowed."""

        async def forget(tx: Transaction) -> None:
            row = await tx.one(FIND_MEMORY, id=memory_id, org=scope.org_id, user=scope.user_id)
            if row is None:
                raise NotFound(f"There is no memory «{memory_id[:80]}».")
            if row["owner"] is None and scope.role < Role.EDITOR:
                raise NotAllowed("A memory that all users share is forgotten by an editor.")
            await tx.run(FORGET_MEMORY, id=memory_id)

        await self._database.write_together(forget)
