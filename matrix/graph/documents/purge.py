"""DeletionStore: what was deleted, taken away batch by batch by a PURGE job, and counted at the end. Blobs are the
ingest service's to delete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import LiteralString

from matrix.domain.documents import Deletion, DeletionReceipt
from matrix.domain.jobs import Lease
from matrix.errors import LeaseLost
from matrix.graph.database import Database, Transaction
from matrix.graph.documents import deletion as deletions
from matrix.graph.documents.chunks import CHUNKS_A_TRANSACTION
from matrix.graph.documents.deletion import DOCUMENT, count_subject, moment, read_receipt
from matrix.graph.documents.fence import fence_job

DOCUMENTS_AT_ONCE = 50

READ_DELETION = """
MATCH (r:DeletionReceipt:Entity {id: $receipt})
RETURN r.id AS id, r.orgId AS org, r.subject AS subject, r.subjectId AS subjectId,
  r.requestedAt.epochMillis AS requestedAt
"""

DELETED_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $id})
WHERE d.deletedAt IS NOT NULL
RETURN d.id AS id
"""

DELETED_DOCUMENTS = """
MATCH (d:KnowledgeDocument) WHERE d.knowledgeId = $id AND d.id > ''
RETURN d.id AS id ORDER BY id LIMIT $limit
"""

# A worker that holds the lock goes first; whoever takes it afterwards finds the document deleted.
LOCK_DELETED = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.locked = true, d.deletedAt = coalesce(d.deletedAt, datetime.realtime())
"""

# Given answers stay; what they quote does not.
BLANK_CITATIONS = """
MATCH (x:Citation) WHERE x.documentId = $document AND x.state <> 'DELETED'
WITH x LIMIT $limit
SET x.quote = '', x.state = 'DELETED'
RETURN count(x) AS gone
"""

PURGE_CHUNKS = """
MATCH (c:KnowledgeChunk) WHERE c.documentId = $document
WITH c LIMIT $limit
DETACH DELETE c
RETURN count(*) AS gone
"""

PURGE_VERSIONS = """
MATCH (v:DocumentVersion) WHERE v.documentId = $document AND v.number > 0
WITH v LIMIT $limit
DETACH DELETE v
RETURN count(*) AS gone
"""

PURGE_JOBS = """
MATCH (j:IngestJob) WHERE j.documentId = $document
WITH j LIMIT $limit
DETACH DELETE j
RETURN count(*) AS gone
"""

PURGE_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
DETACH DELETE d
RETURN count(*) AS gone
"""

PURGE_KNOWLEDGE = """
MATCH (k:Knowledge:Entity {id: $id})
DETACH DELETE k
"""

DOCUMENTS_LEFT = """
RETURN COUNT { MATCH (d:KnowledgeDocument:Entity {id: $id}) } + COUNT { MATCH (d:KnowledgeDocument)
  WHERE d.knowledgeId = $id AND d.id > '' } AS documents
"""

CLOSE_RECEIPT = """
MATCH (r:DeletionReceipt:Entity {id: $receipt})
SET r.remaining = $remaining, r.updatedAt = datetime.realtime(),
  r.purgedAt = CASE WHEN $done THEN datetime.realtime() END
"""

VERSIONS_AMONG = """
UNWIND $ids AS id
MATCH (v:DocumentVersion:Entity {id: id})
RETURN v.id AS id
"""


class Deletions:
    """DeletionStore on the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def to_purge(self, lease: Lease) -> Deletion:
        """The deletion of a PURGE job. Errors: LeaseLost."""
        row = await self._database.read_one(READ_DELETION, receipt=lease.subject_id)
        if row is None:
            raise LeaseLost("The receipt of the deletion is gone.")
        return Deletion(row["id"], row["org"], row["subject"], row["subjectId"], moment(row["requestedAt"]))

    async def documents_to_purge(self, deletion: Deletion) -> tuple[str, ...]:
        """Some of the documents that are still to go; none when all are gone."""
        query = DELETED_DOCUMENT if deletion.subject == DOCUMENT else DELETED_DOCUMENTS
        rows = await self._database.read(query, id=deletion.subject_id, limit=DOCUMENTS_AT_ONCE)
        return tuple(row["id"] for row in rows)

    async def purge_document(self, lease: Lease, document_id: str) -> None:
        """Takes a deleted document away, with all that hangs on it; the document itself last. Errors: LeaseLost."""
        for query in (BLANK_CITATIONS, PURGE_CHUNKS, PURGE_VERSIONS, PURGE_JOBS):
            while await self._purge(lease, document_id, query):
                pass
        await self._purge(lease, document_id, PURGE_DOCUMENT)

    async def close_deletion(self, lease: Lease, deletion: Deletion, blobs_left: int) -> DeletionReceipt:
        """Counts what is left. Only when that is nothing is the receipt a proof: `purged_at` is set."""

        async def close(tx: Transaction) -> DeletionReceipt:
            await fence_job(tx, lease)
            if deletion.subject != DOCUMENT:
                await tx.run(PURGE_KNOWLEDGE, id=deletion.subject_id)
            remaining = await count_subject(tx, deletion.subject, deletion.subject_id)
            remaining |= dict(await tx.one(DOCUMENTS_LEFT, id=deletion.subject_id) or {}) | {"blobs": blobs_left}
            await tx.run(
                CLOSE_RECEIPT,
                receipt=deletion.receipt_id,
                remaining=json.dumps(remaining),
                done=not any(remaining.values()),
            )
            return await read_receipt(tx, deletion.org_id, deletion.receipt_id)

        return await self._database.write_together(close)

    async def delete_again(self, deletion: Deletion) -> bool:
        """Repeats a logged deletion after a restore; False where there is nothing to delete."""
        return await deletions.delete_again(self._database, deletion)

    async def versions_among(self, version_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids that are versions: the blobs of the others belong to nobody."""
        rows = await self._database.read(VERSIONS_AMONG, ids=sorted(version_ids))
        return frozenset(row["id"] for row in rows)

    async def _purge(self, lease: Lease, document_id: str, query: LiteralString) -> int:
        async def purge(tx: Transaction) -> int:
            await tx.run(LOCK_DELETED, document=document_id)
            await fence_job(tx, lease)
            row = await tx.one(query, document=document_id, limit=CHUNKS_A_TRANSACTION)
            return int(row["gone"]) if row else 0

        return await self._database.write_together(purge)
