"""What a corpus is in the graph, told without anything that differs between two runs: no ids, no times, no jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matrix.graph.database import Database

CORPUS = """
MATCH (k:Knowledge {key: $key})
RETURN k.documentCount AS documents, k.chunkCount AS chunks,
  COUNT { (k)-[:HAS_DOCUMENT]->() } AS documentsThere,
  COUNT { MATCH (c:KnowledgeChunk {scopeId: k.id}) } AS chunksThere,
  COUNT { MATCH (v:DocumentVersion {knowledgeId: k.id}) } AS versionsThere
"""
DOCUMENTS = """
MATCH (:Knowledge {key: $key})-[:HAS_DOCUMENT]->(d:KnowledgeDocument)
RETURN d.name AS name, d.nameKey AS nameKey, d.status AS status, d.step AS step, d.progress AS progress,
  d.version AS version, d.servingVersion AS servingVersion, d.chunkCount AS chunkCount, d.title AS title,
  d.sha256 AS sha256, d.chunksEmbedded AS embedded, d.chunksReused AS reused, d.errorCode AS errorCode,
  COUNT { (d)-[:LIVE]->() } AS live
ORDER BY name
"""
VERSIONS = """
MATCH (:Knowledge {key: $key})-[:HAS_DOCUMENT]->(d)-[:HAS_VERSION]->(v:DocumentVersion)
RETURN d.name AS name, v.number AS number, v.status AS status, v.chunkCount AS chunkCount, v.sha256 AS sha256,
  v.chunksEmbedded AS embedded, v.chunksReused AS reused, EXISTS { (d)-[:LIVE]->(v) } AS live,
  COUNT { (v)-[:HAS_CHUNK]->() } AS chunksThere
ORDER BY name, number
"""
CHUNKS = """
MATCH (:Knowledge {key: $key})-[:HAS_DOCUMENT]->(d)-[:HAS_VERSION]->(v)-[at:HAS_CHUNK]->(c:KnowledgeChunk)
RETURN d.name AS name, v.number AS version, at.position AS position, at.page AS page, at.start AS start, at.end AS end,
  c.text AS text, c.context AS context, c.heading AS heading, c.sectionPath AS sectionPath, c.title AS title,
  c.language AS language, c.contentHash AS contentHash, c.embedding AS embedding, c.embeddingModel AS model
ORDER BY name, version, position
"""
ORPHANS = """
CALL () {
  MATCH (c:KnowledgeChunk) WHERE NOT EXISTS { (:DocumentVersion)-[:HAS_CHUNK]->(c) } RETURN c AS node
  UNION ALL
  MATCH (v:DocumentVersion) WHERE NOT EXISTS { (:KnowledgeDocument)-[:HAS_VERSION]->(v) } RETURN v AS node
  UNION ALL
  MATCH (d:KnowledgeDocument) WHERE NOT EXISTS { (:Knowledge)-[:HAS_DOCUMENT]->(d) } RETURN d AS node
}
RETURN labels(node) AS labels, node.id AS id
"""
UNDONE_JOBS = "MATCH (j:IngestJob) WHERE NOT j.state IN ['DONE', 'CANCELLED'] RETURN j.state AS state, j.kind AS kind"


async def told(database: Database, key: str) -> Mapping[str, Any]:
    """Equal for two corpora that were made of the same files in the same order."""
    return {
        "corpus": await database.read(CORPUS, key=key),
        "documents": await database.read(DOCUMENTS, key=key),
        "versions": await database.read(VERSIONS, key=key),
        "chunks": await database.read(CHUNKS, key=key),
    }


async def orphans(database: Database) -> list[Any]:
    return list(await database.read(ORPHANS))


async def undone_jobs(database: Database) -> list[Any]:
    return list(await database.read(UNDONE_JOBS))
