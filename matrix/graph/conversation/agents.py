"""Agents as a turn needs them, and the corpora attached to them. Creating and changing agents is the business of
`entities`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matrix.domain.access import Scope
from matrix.domain.chat import AgentCard, KnowledgeCard
from matrix.domain.entities import EntityType
from matrix.errors import NotFound
from matrix.graph.access.cache import AccessCache
from matrix.graph.database import Database, Row, Transaction
from matrix.graph.entities.links import id_of, no_entity

_KNOWLEDGE_CARD = """{id: k.id, key: k.key, name: k.name, description: k.description, topK: k.topK,
  mode: k.retrievalStrategy, minScore: k.minScore}"""

READ_AGENT = f"""
CYPHER 25
MATCH (a:Entity:Agent {{id: $id}})
RETURN a.id AS id, a.key AS key, a.name AS name, a.instructions AS instructions, a.systemPrompt AS systemPrompt,
  a.noAnswer AS noAnswer, a.topK AS topK, a.minScore AS minScore, a.historyMessages AS historyMessages,
  COLLECT {{ MATCH (a)-[:USES_MODEL]->(m:ModelProvider) RETURN m.id LIMIT 1 }} AS models,
  COLLECT {{ MATCH (a)-[u:USES_TOOL]->(t:Tool) RETURN t.key ORDER BY u.position, t.key }} AS tools,
  COLLECT {{ MATCH (a)-[u:USES_KNOWLEDGE]->(k:Knowledge)
    WHERE k.deletedAt IS NULL AND (k.audienceId IS NULL OR k.audienceId IN $audiences)
    RETURN {_KNOWLEDGE_CARD} ORDER BY u.position, k.id }} AS knowledge
"""

# Every search begins with it, so it is one query: an id wins over a key that looks the same.
READ_KNOWLEDGE_CARD = f"""
CYPHER 25
CALL () {{
  MATCH (k:Entity:Knowledge {{id: $ref}}) RETURN k, 0 AS place
  UNION
  MATCH (k:Entity {{orgId: $org, entityType: 'Knowledge', key: $ref}}) RETURN k, 1 AS place
}}
WITH k, place
WHERE k.orgId = $org AND k.deletedAt IS NULL AND (k.audienceId IS NULL OR k.audienceId IN $audiences)
RETURN {_KNOWLEDGE_CARD} AS card ORDER BY place LIMIT 1
"""

# Jobs have a `dueAt` until they end: what waits is few beside what is done.
COUNT_BEING_READ = """
MATCH (j:IngestJob) WHERE j.orgId = $org AND j.dueAt > datetime({epochSeconds: 0})
WITH DISTINCT j.documentId AS document
MATCH (d:Entity:KnowledgeDocument {id: document})
WHERE d.knowledgeId IN $knowledge AND d.status IN ['PENDING', 'PROCESSING'] AND d.deletedAt IS NULL
  AND d.audienceId IN $audiences
RETURN count(d) AS documents
"""

# Writing the agent first locks it, so that two at once do not take the same place.
ATTACH_KNOWLEDGE = """
CYPHER 25
MATCH (a:Entity:Agent {id: $agent}), (k:Entity:Knowledge {id: $knowledge})
SET a.updatedAt = datetime()
WITH a, k, COLLECT { MATCH (a)-[u:USES_KNOWLEDGE]->() RETURN coalesce(u.position, 0) } AS taken
MERGE (a)-[u:USES_KNOWLEDGE]->(k)
ON CREATE SET u.position = reduce(next = 0, position IN taken |
  CASE WHEN position >= next THEN position + 1 ELSE next END)
"""

DETACH_KNOWLEDGE = """
MATCH (a:Entity:Agent {id: $agent})-[u:USES_KNOWLEDGE]->(:Entity:Knowledge {id: $knowledge})
SET a.updatedAt = datetime()
DELETE u
RETURN a.id AS id
"""


class Neo4jAgents:
    """AgentStore on the graph. `types` are the platform's entity types. Corpora are kept for a few seconds in `cache`,
    which those who change them forget."""

    def __init__(self, database: Database, types: Mapping[str, EntityType], cache: AccessCache | None = None) -> None:
        self._database = database
        self._cache = cache
        self._agents = types["agents"]
        self._knowledge = types["knowledge"]

    async def agent(self, scope: Scope, id_or_key: str) -> AgentCard:
        """The agent with the corpora that the caller may see, in the order in which they were attached.

        Errors: NotFound.
        """

        async def read(tx: Transaction) -> Row | None:
            found = await id_of(tx, scope, self._agents, id_or_key)
            return await tx.one(READ_AGENT, id=found, audiences=list(scope.audiences))

        row = await self._database.read_together(read)
        if row is None:
            raise no_entity(self._agents, id_or_key)
        return _agent_card(row)

    async def knowledge(self, scope: Scope, id_or_key: str) -> KnowledgeCard:
        """Errors: NotFound."""
        if self._cache is None:
            return await self._read_knowledge(scope, id_or_key)
        key = ("corpus", scope.org_id, scope.user_id, id_or_key)
        return await self._cache.get(key, lambda: self._read_knowledge(scope, id_or_key))

    async def _read_knowledge(self, scope: Scope, id_or_key: str) -> KnowledgeCard:
        row = await self._database.read_one(
            READ_KNOWLEDGE_CARD, ref=id_or_key, org=scope.org_id, audiences=list(scope.audiences)
        )
        if row is None:
            raise no_entity(self._knowledge, id_or_key)
        return _knowledge_card(row["card"])

    async def being_read(self, scope: Scope, knowledge_ids: Sequence[str]) -> int:
        """How many documents of these corpora, as far as the caller may see them, have a newest version that is not
        yet searched."""
        row = await self._database.read_one(
            COUNT_BEING_READ, org=scope.org_id, knowledge=list(knowledge_ids), audiences=list(scope.audiences)
        )
        return int(row["documents"]) if row else 0

    async def attach(self, scope: Scope, agent: str, knowledge: str) -> None:
        """Both by id or key; attaching again changes nothing. Errors: NotFound."""

        async def attach(tx: Transaction) -> None:
            ids = await self._both(tx, scope, agent, knowledge)
            await tx.run(ATTACH_KNOWLEDGE, **ids)

        await self._database.write_together(attach)

    async def detach(self, scope: Scope, agent: str, knowledge: str) -> None:
        """Errors: NotFound, also where it is not attached."""

        async def detach(tx: Transaction) -> None:
            ids = await self._both(tx, scope, agent, knowledge)
            if await tx.one(DETACH_KNOWLEDGE, **ids) is None:
                raise NotFound(f"The corpus «{knowledge[:80]}» is not attached to this agent.")

        await self._database.write_together(detach)

    async def _both(self, tx: Transaction, scope: Scope, agent: str, knowledge: str) -> dict[str, str]:
        return {
            "agent": await id_of(tx, scope, self._agents, agent),
            "knowledge": await id_of(tx, scope, self._knowledge, knowledge),
        }


def _agent_card(row: Row) -> AgentCard:
    return AgentCard(
        id=row["id"],
        key=row["key"],
        name=row["name"],
        instructions=row["instructions"] or "",
        system_prompt=row["systemPrompt"],
        no_answer=row["noAnswer"] or "",
        model_provider_id=next(iter(row["models"]), None),
        top_k=row["topK"],
        min_score=row["minScore"],
        history_messages=10 if row["historyMessages"] is None else int(row["historyMessages"]),
        knowledge=tuple(_knowledge_card(card) for card in row["knowledge"]),
        tools=tuple(row["tools"]),
    )


def _knowledge_card(card: Row) -> KnowledgeCard:
    return KnowledgeCard(
        id=card["id"],
        key=card["key"],
        name=card["name"],
        description=card["description"] or "",
        top_k=int(card["topK"] or 8),
        mode=card["mode"] or "HYBRID",
        min_score=card["minScore"],
    )
