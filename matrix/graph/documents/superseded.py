"""Versions that a newer one has taken the place of, and whether their blobs are stored still. To delete those is the
ingest service's."""

from __future__ import annotations

from matrix.graph.database import Database, Transaction

VERSIONS_AT_ONCE = 100

# Numbers have no holes. What is superseded stays so: LIVE and the newest number only move up.
SUPERSEDED_VERSIONS = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion)
WHERE v.number <= d.version - $kept AND v.blobsDroppedAt IS NULL AND NOT v.status IN ['PENDING', 'PROCESSING']
  AND NOT EXISTS { (d)-[:LIVE]->(v) }
RETURN v.id AS version ORDER BY v.number LIMIT $limit
"""

NOTE_DROPPED_BLOBS = """
MATCH (v:DocumentVersion:Entity {id: $version})
SET v.blobsDroppedAt = datetime.realtime()
"""


async def superseded_versions(database: Database, document_id: str, kept: int) -> tuple[str, ...]:
    """Some of them, oldest first: neither the serving one, nor one at work, nor among the `kept` newest."""
    rows = await database.read(SUPERSEDED_VERSIONS, document=document_id, kept=kept, limit=VERSIONS_AT_ONCE)
    return tuple(row["version"] for row in rows)


async def note_dropped_blobs(tx: Transaction, version_id: str) -> None:
    """The caller holds the document's lock."""
    await tx.run(NOTE_DROPPED_BLOBS, version=version_id)
