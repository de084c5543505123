"""Passages of a document as nodes: placed under a version, written with their vectors, dropped when no version holds
them. A transaction touches at most 200 indexed nodes. The caller holds the document's lock, by `fence`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from matrix.domain.documents import EmbeddedChunk, PlacedChunk, VersionToProcess
from matrix.graph.database import Transaction

CHUNKS_A_TRANSACTION = 200
PLACES_A_TRANSACTION = 1000  # relationships alone: no index is touched

# `fresh` marks passages whose vector was made for this version: what was embedded can be counted after any crash.
PLACE_CHUNKS = """
MATCH (v:DocumentVersion:Entity {id: $version})
UNWIND $places AS place
MATCH (c:KnowledgeChunk:Entity {id: place.id}) WHERE c.embeddingModel IS NOT NULL
MERGE (v)-[h:HAS_CHUNK]->(c)
SET h += place.at
RETURN collect(c.id) AS placed
"""

WRITE_CHUNKS = """
MATCH (v:DocumentVersion:Entity {id: $version})
UNWIND $chunks AS row
MERGE (c:Entity {id: row.place.id})
ON CREATE SET c:KnowledgeChunk, c.createdAt = datetime.realtime()
SET c += $shared, c += row.own, c.updatedAt = datetime.realtime()
MERGE (v)-[h:HAS_CHUNK]->(c)
ON CREATE SET h.fresh = true
SET h += row.place.at
WITH c, row
CALL db.create.setNodeVectorProperty(c, 'embedding', row.embedding)
RETURN count(c) AS written
"""

# Only an earlier attempt that read the file otherwise leaves such places behind.
DROP_OTHER_PLACES = """
MATCH (v:DocumentVersion:Entity {id: $version})-[h:HAS_CHUNK]->(c:KnowledgeChunk)
WHERE NOT c.id IN $keep
DELETE h
"""

# What a finished version held and the serving one does not. Deleting the places first lets the second part see
# which passages nothing holds any more.
DROP_STALE_CHUNKS = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion)
WHERE NOT v.status IN ['PENDING', 'PROCESSING'] AND NOT EXISTS { (d)-[:LIVE]->(v) }
MATCH (v)-[h:HAS_CHUNK]->(c:KnowledgeChunk)
WITH h, c LIMIT $limit
DELETE h
WITH DISTINCT c
WHERE NOT EXISTS { (c)<-[:HAS_CHUNK]-(:DocumentVersion) }
OPTIONAL MATCH (x:Citation)-[:CITES]->(c)
SET x.state = 'CHANGED'
WITH DISTINCT c
DETACH DELETE c
RETURN count(*) AS dropped
"""

# Passages that no version holds at all: left by DROP_OTHER_PLACES.
DROP_LOOSE_CHUNKS = """
MATCH (c:KnowledgeChunk) WHERE c.documentId = $document AND NOT EXISTS { (c)<-[:HAS_CHUNK]-(:DocumentVersion) }
WITH c LIMIT $limit
DETACH DELETE c
RETURN count(*) AS dropped
"""

STALE_PLACES_LEFT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion)
WHERE NOT v.status IN ['PENDING', 'PROCESSING'] AND NOT EXISTS { (d)-[:LIVE]->(v) }
  AND EXISTS { (v)-[:HAS_CHUNK]->() }
RETURN v.id AS version LIMIT 1
"""


async def place_chunks(tx: Transaction, version_id: str, placed: Sequence[PlacedChunk]) -> list[str]:
    """Puts those that exist with a vector under the version, and returns their ids: from then on nothing drops them."""
    row = await tx.one(PLACE_CHUNKS, version=version_id, places=[_place(one) for one in placed])
    return list(row["placed"]) if row else []


async def write_chunks(
    tx: Transaction, version: VersionToProcess, new: Sequence[EmbeddedChunk], shared: dict[str, object]
) -> None:
    """Passages with their vectors, under the version. `shared` are properties that all of a document's have."""
    rows = [
        {"place": _place(one.placed), "own": _own_properties(one.placed), "embedding": one.embedding} for one in new
    ]
    await tx.run(WRITE_CHUNKS, version=version.version_id, chunks=rows, shared=shared)


def _place(placed: PlacedChunk) -> dict[str, object]:
    chunk = placed.chunk
    at = {
        "position": chunk.position,
        "page": chunk.page,
        "start": chunk.start,
        "end": chunk.end,
        "pages": [page.number for page in chunk.page_starts] or None,
        "pageStarts": [page.start for page in chunk.page_starts] or None,
        "sections": [json.dumps(section.path, ensure_ascii=False) for section in chunk.section_starts] or None,
        "sectionStarts": [section.start for section in chunk.section_starts] or None,
    }
    return {"id": placed.id, "at": at}


def _own_properties(placed: PlacedChunk) -> dict[str, object]:
    chunk = placed.chunk
    return {
        "text": chunk.text,
        "context": chunk.context,
        "heading": chunk.section_path[-1] if chunk.section_path else None,
        "sectionPath": list(chunk.section_path),
        "language": chunk.language,
        "contentHash": hashlib.sha256(chunk.embedded_text.encode()).hexdigest(),
    }
