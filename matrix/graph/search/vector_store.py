"""KnowledgeVectorStore: the vector index proposes about three times what is wanted, inside the caller's scope; the
graph confirms. Too few confirmed, and the documents are found first and searched alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from matrix.domain.access import Scope
from matrix.domain.retrieval import Candidate, SearchFilters
from matrix.graph.database import Database, Row
from matrix.graph.search.candidates import AS_CANDIDATE, CONFIRMED, FILTERED, candidates, filter_values

WIDE = 3  # proposals per wanted hit: recall 1.000 on 88,000 passages, where 1 gave .993
WIDER = 1000  # proposals of a second try
EXACT_UP_TO = 2000  # passages: comparing them all takes about 20 ms
MANY_AUDIENCES = 5000  # beyond it, those of the corpora are found first
MANY_DOCUMENTS = 20_000  # ids in one filter

_SEARCH = """CYPHER 25
MATCH (c:Entity)
SEARCH c IN (VECTOR INDEX entity_node_embedding FOR $vector
  WHERE c.entityType = 'KnowledgeChunk' AND c.orgId = $org AND c.scopeId IN $corpora AND c.audienceId IN $audiences
"""

_PROPOSED = """
  LIMIT $wide) SCORE AS similarity
WITH collect({chunk: c, score: 2 * similarity - 1}) AS proposals
RETURN size(proposals) AS proposed, COLLECT {
  UNWIND proposals AS proposal
  WITH proposal.chunk AS c, proposal.score AS score
"""

SEARCH_CORPORA = _SEARCH + _PROPOSED + CONFIRMED + AS_CANDIDATE + "} AS hits"
SEARCH_KINDS = _SEARCH + "AND c.sourceKind IN $kinds" + _PROPOSED + CONFIRMED + AS_CANDIDATE + "} AS hits"
SEARCH_DOCUMENTS = _SEARCH + "AND c.documentId IN $documents" + _PROPOSED + CONFIRMED + AS_CANDIDATE + "} AS hits"

COMPARE_ALL = (
    """CYPHER 25
UNWIND $documents AS document
MATCH (:KnowledgeDocument:Entity {id: document})-[:LIVE]->(:DocumentVersion)-[:HAS_CHUNK]->(c:KnowledgeChunk)
WITH c, 2 * vector.similarity.cosine(c.embedding, $vector) - 1 AS score
WITH collect({chunk: c, score: score}) AS proposals
RETURN size(proposals) AS proposed, COLLECT {
  UNWIND proposals AS proposal
  WITH proposal.chunk AS c, proposal.score AS score
"""
    + CONFIRMED
    + AS_CANDIDATE
    + "} AS hits"
)

VISIBLE_DOCUMENTS = (
    """
MATCH (k:Knowledge:Entity)-[:HAS_DOCUMENT]->(d:KnowledgeDocument)
WHERE k.id IN $corpora AND k.deletedAt IS NULL AND d.orgId = $org AND d.deletedAt IS NULL
    AND d.audienceId IN $audiences AND d.chunkCount > 0
"""
    + FILTERED
    + """
WITH d LIMIT $limit
RETURN collect(d.id) AS documents, coalesce(sum(d.chunkCount), 0) AS chunks
"""
)

AUDIENCES_OF_CORPORA = """
MATCH (k:Knowledge:Entity)-[:HAS_DOCUMENT]->(d:KnowledgeDocument)
WHERE k.id IN $corpora AND d.orgId = $org
RETURN collect(DISTINCT d.audienceId) AS audiences
"""


@dataclass(frozen=True, slots=True)
class _Found:
    documents: list[str]
    chunks: int


class KnowledgeVectors:
    """KnowledgeVectorStore on the graph. `second_tries` counts for the metrics."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.second_tries = 0

    async def search(
        self, scope: Scope, knowledge_ids: Sequence[str], vector: list[float], filters: SearchFilters, limit: int
    ) -> list[Candidate]:
        """The `limit` nearest passages that the caller may see, nearest first; `score` is the cosine, -1 to 1."""
        asked = {
            "org": scope.org_id,
            "corpora": list(knowledge_ids),
            "audiences": await self._audiences(scope, knowledge_ids),
            "vector": vector,
            "limit": limit,
        }
        first = await self._first_try(asked, filters, WIDE * limit)
        if len(first["hits"]) >= limit or first["proposed"] < WIDE * limit:
            return candidates(first["hits"])
        self.second_tries += 1
        second = await self._second_try(asked, filters)
        return candidates(second["hits"], second_try=True)

    async def _first_try(self, asked: dict[str, object], filters: SearchFilters, wide: int) -> Row:
        if filters.empty:
            return await self._run(SEARCH_CORPORA, asked, wide=wide)
        if filters == SearchFilters(source_kinds=filters.source_kinds):
            return await self._run(SEARCH_KINDS, asked, wide=wide, kinds=list(filters.source_kinds))
        found = await self._documents(asked, filters)
        return await self._run(SEARCH_DOCUMENTS, asked, wide=wide, documents=found.documents)

    async def _second_try(self, asked: dict[str, object], filters: SearchFilters) -> Row:
        found = await self._documents(asked, filters)
        if found.chunks <= EXACT_UP_TO:
            return await self._run(COMPARE_ALL, asked, documents=found.documents)
        return await self._run(SEARCH_DOCUMENTS, asked, wide=WIDER, documents=found.documents)

    async def _run(self, query: LiteralString, asked: dict[str, object], **more: object) -> Row:
        row = await self._database.read_one(query, **asked, **more)
        return row or {"proposed": 0, "hits": []}

    async def _documents(self, asked: dict[str, object], filters: SearchFilters) -> _Found:
        values = filter_values(filters) | {name: asked[name] for name in ("org", "corpora", "audiences")}
        row = await self._database.read_one(VISIBLE_DOCUMENTS, **values, limit=MANY_DOCUMENTS)
        return _Found(row["documents"], row["chunks"]) if row else _Found([], 0)

    async def _audiences(self, scope: Scope, knowledge_ids: Sequence[str]) -> list[str]:
        if len(scope.audiences) <= MANY_AUDIENCES:
            return list(scope.audiences)
        row = await self._database.read_one(AUDIENCES_OF_CORPORA, org=scope.org_id, corpora=list(knowledge_ids))
        return sorted(set(scope.audiences).intersection(row["audiences"] if row else ()))
