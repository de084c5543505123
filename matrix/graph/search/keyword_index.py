"""KeywordIndex: the full-text index proposes passages that hold the question's words, the graph confirms. How the
query is written is in `keyword_query`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matrix.domain.access import Scope
from matrix.domain.retrieval import Candidate, SearchFilters
from matrix.graph.database import Database
from matrix.graph.search.candidates import AS_CANDIDATE, CONFIRMED, FILTERED, candidates, filter_values
from matrix.graph.search.keyword_query import keyword_query

WIDE = 3
WIDER = 1000

SEARCH_WORDS = (
    """
CALL db.index.fulltext.queryNodes('entity_text', $query, {limit: $wide}) YIELD node, score
WITH collect({chunk: node, score: score}) AS proposals
RETURN size(proposals) AS proposed, COLLECT {
  UNWIND proposals AS proposal
  WITH proposal.chunk AS c, proposal.score AS score
"""
    + CONFIRMED
    + FILTERED
    + AS_CANDIDATE
    + "} AS hits"
)

LIVE_VERSIONS = """
UNWIND $documents AS document
MATCH (d:KnowledgeDocument:Entity {id: document})-[:LIVE]->(v:DocumentVersion)
MATCH (d)<-[:HAS_DOCUMENT]-(k:Knowledge)
WHERE d.orgId = $org AND d.deletedAt IS NULL AND k.deletedAt IS NULL AND d.audienceId IN $audiences
RETURN d.id AS document, v.id AS version
"""


class Keywords:
    """KeywordIndex on the graph. `second_tries` counts for the metrics."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.second_tries = 0

    async def search(
        self, scope: Scope, knowledge_ids: Sequence[str], query: str, filters: SearchFilters, limit: int
    ) -> list[Candidate]:
        """The `limit` best passages for the words of `query`, best first. The score is good for this order only."""
        text = keyword_query(scope, knowledge_ids, query, filters)
        if text is None or not knowledge_ids:
            return []
        asked = {
            "query": text,
            "org": scope.org_id,
            "corpora": list(knowledge_ids),
            "audiences": list(scope.audiences),
            "limit": limit,
        } | filter_values(filters)
        row = await self._database.read_one(SEARCH_WORDS, **asked, wide=WIDE * limit)
        if row is None or len(row["hits"]) >= limit or row["proposed"] < WIDE * limit:
            return candidates(row["hits"] if row else [])
        self.second_tries += 1
        row = await self._database.read_one(SEARCH_WORDS, **asked, wide=WIDER)
        return candidates(row["hits"] if row else [], second_try=True)

    async def live_versions(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, str]:
        """The version that serves now, by document; documents that the caller may not see are left out."""
        rows = await self._database.read(
            LIVE_VERSIONS, documents=sorted(set(document_ids)), org=scope.org_id, audiences=list(scope.audiences)
        )
        return {row["document"]: row["version"] for row in rows}
