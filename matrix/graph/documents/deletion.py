"""Deletion as people ask for it: a preview, one write that hides, a receipt. What follows is in `purge`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import LiteralString

from matrix.domain.access import Role, Scope
from matrix.domain.documents import Deletion, DeletionPreview, DeletionReceipt
from matrix.domain.ids import new_id
from matrix.domain.jobs import JobKind
from matrix.errors import NotAllowed, NotFound
from matrix.graph.access.audiences import everyone_in
from matrix.graph.database import Database, Transaction
from matrix.graph.documents.corpus_counts import counts_changed
from matrix.graph.documents.jobs import add_job, cancel_jobs

DOCUMENT, KNOWLEDGE = "document", "knowledge"

# Without $audiences nobody asks: a restored database is brought up to date.
_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $id})<-[:HAS_DOCUMENT]-(k:Knowledge)
WHERE d.orgId = $org AND ($audiences IS NULL OR d.audienceId IN $audiences)
  AND d.deletedAt IS NULL AND k.deletedAt IS NULL
"""
_KNOWLEDGE = """
MATCH (k:Knowledge:Entity {id: $id})
WHERE k.orgId = $org AND k.deletedAt IS NULL
  AND ($audiences IS NULL OR coalesce(k.audienceId, $everyone) IN $audiences)
"""
FIND_DOCUMENT = _DOCUMENT + "RETURN k.id AS knowledge"
FIND_KNOWLEDGE = _KNOWLEDGE + "RETURN k.id AS knowledge"
LOCK_DOCUMENT_TO_DELETE = _DOCUMENT + "SET d.locked = true RETURN k.id AS knowledge"
LOCK_KNOWLEDGE_TO_DELETE = _KNOWLEDGE + "SET k.locked = true RETURN k.id AS knowledge"

HOLDS_HIDDEN = """
MATCH (k:Knowledge:Entity {id: $knowledge})
RETURN EXISTS { (k)-[:HAS_DOCUMENT]->(d:KnowledgeDocument)
  WHERE d.deletedAt IS NULL AND NOT d.audienceId IN $audiences } AS hidden
"""

# An index on two properties is used only where both are asked for.
COUNT_DOCUMENT = """
RETURN 1 AS documents,
  COUNT { MATCH (v:DocumentVersion) WHERE v.documentId = $id AND v.number > 0 } AS versions,
  COUNT { MATCH (c:KnowledgeChunk) WHERE c.documentId = $id } AS chunks,
  COUNT { MATCH (x:Citation) WHERE x.documentId = $id AND x.state <> 'DELETED' } AS citations
"""

COUNT_KNOWLEDGE = """
RETURN COUNT { MATCH (d:KnowledgeDocument) WHERE d.knowledgeId = $id AND d.id > '' } AS documents,
  COUNT { MATCH (v:DocumentVersion) WHERE v.knowledgeId = $id } AS versions,
  COUNT { MATCH (c:KnowledgeChunk) WHERE c.scopeId = $id } AS chunks,
  COUNT { MATCH (x:Citation) WHERE x.knowledgeId = $id AND x.state <> 'DELETED' } AS citations
"""

# Superseded versions have no blobs any more.
COUNT_STORED_OF_DOCUMENT = """
MATCH (v:DocumentVersion) WHERE v.documentId = $id AND v.number > 0 AND v.blobsDroppedAt IS NULL
RETURN count(v) AS stored
"""

COUNT_STORED_OF_KNOWLEDGE = """
MATCH (v:DocumentVersion) WHERE v.knowledgeId = $id AND v.blobsDroppedAt IS NULL
RETURN count(v) AS stored
"""

# Without its nameKey the name is free at once.
HIDE_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.deletedAt = datetime.realtime(), d.updatedAt = datetime.realtime()
REMOVE d.nameKey
"""

# Its key is free at once too, and no agent searches it any more. Its documents are hidden by hanging under it.
HIDE_KNOWLEDGE = """
MATCH (k:Knowledge:Entity {id: $knowledge})
SET k.deletedAt = datetime.realtime(), k.updatedAt = datetime.realtime()
REMOVE k.key, k.uncountedSince
WITH k
MATCH (:Agent)-[uses:USES_KNOWLEDGE]->(k)
DELETE uses
"""

ADD_RECEIPT = """
MERGE (r:Entity {id: $receipt})
ON CREATE SET r:DeletionReceipt, r.entityType = 'DeletionReceipt', r.orgId = $org, r.createdAt = datetime.realtime()
SET r.subject = $subject, r.subjectId = $id, r.requestedBy = $user, r.counts = $counts,
  r.requestedAt = datetime({epochMillis: $requestedAt}), r.updatedAt = datetime.realtime()
REMOVE r.purgedAt, r.remaining
"""

READ_RECEIPT = """
MATCH (r:DeletionReceipt:Entity {id: $receipt})
WHERE r.orgId = $org AND ($user IS NULL OR r.requestedBy = $user)
RETURN r.id AS id, r.subject AS subject, r.subjectId AS subjectId, r.requestedAt.epochMillis AS requestedAt,
  r.counts AS counts, r.purgedAt.epochMillis AS purgedAt, coalesce(r.remaining, '{}') AS remaining
"""


def deletion_of(org_id: str, subject: str, subject_id: str) -> Deletion:
    """A new deletion, ordered now."""
    return Deletion(new_id(), org_id, subject, subject_id, datetime.now(UTC))


async def preview_deletion(database: Database, scope: Scope, subject: str, subject_id: str) -> DeletionPreview:
    """What a deletion would take away; changes nothing. Errors: as for `delete`."""

    async def read(tx: Transaction) -> DeletionPreview:
        find = FIND_DOCUMENT if subject == DOCUMENT else FIND_KNOWLEDGE
        knowledge = await _found(tx, find, scope.org_id, subject_id, scope.audiences)
        await _check_may_delete(tx, scope, subject, knowledge)
        counts = await count_subject(tx, subject, subject_id)
        stored = await tx.one(
            COUNT_STORED_OF_DOCUMENT if subject == DOCUMENT else COUNT_STORED_OF_KNOWLEDGE, id=subject_id
        )
        return DeletionPreview(**counts, blobs=2 * stored["stored"] if stored else 0)  # an original and its text each

    return await database.read_together(read)


async def delete(database: Database, scope: Scope, subject: str, subject_id: str) -> DeletionReceipt:
    """Hides it in one write and orders its purge. Errors: NotFound; NotAllowed: a corpus that holds documents which the
    caller may not see is an administrator's to delete, who is told of all that goes."""
    deletion = deletion_of(scope.org_id, subject, subject_id)

    async def hide(tx: Transaction) -> DeletionReceipt:
        knowledge = await _hide(tx, deletion, scope.audiences, scope.user_id)
        await _check_may_delete(tx, scope, subject, knowledge)  # under the lock; a refusal takes all of it back
        return await read_receipt(tx, scope.org_id, deletion.receipt_id)

    return await database.write_together(hide)


async def delete_again(database: Database, deletion: Deletion) -> bool:
    """Repeats a deletion on a restored database that does not know of it; False where there is nothing to delete."""
    try:
        await database.write_together(lambda tx: _hide(tx, deletion, None, None))
    except NotFound:
        return False
    return True


async def _check_may_delete(tx: Transaction, scope: Scope, subject: str, knowledge_id: str) -> None:
    if subject == DOCUMENT or scope.role >= Role.ADMIN:
        return
    row = await tx.one(HOLDS_HIDDEN, knowledge=knowledge_id, audiences=list(scope.audiences))
    if row is not None and row["hidden"]:
        raise NotAllowed("This corpus can be deleted by an administrator only.", advice="Ask one to delete it.")


async def read_receipt(tx: Transaction, org_id: str, receipt_id: str, user: str | None = None) -> DeletionReceipt:
    """A receipt, if `user` (None: anybody) asked for the deletion. Errors: NotFound."""
    row = await tx.one(READ_RECEIPT, receipt=receipt_id, org=org_id, user=user)
    if row is None:
        raise NotFound("There is no such receipt.")
    return DeletionReceipt(
        id=row["id"],
        subject=row["subject"],
        subject_id=row["subjectId"],
        requested_at=moment(row["requestedAt"]),
        counts=json.loads(row["counts"]),
        purged_at=moment(row["purgedAt"]) if row["purgedAt"] is not None else None,
        remaining=json.loads(row["remaining"]),
    )


async def count_subject(tx: Transaction, subject: str, subject_id: str) -> dict[str, int]:
    """documents, versions, chunks and citations that belong to it."""
    row = await tx.one(COUNT_DOCUMENT if subject == DOCUMENT else COUNT_KNOWLEDGE, id=subject_id)
    return dict(row) if row else {}


def moment(epoch_millis: int) -> datetime:
    """A time of the database as an aware datetime."""
    return datetime.fromtimestamp(epoch_millis / 1000, UTC)


async def _hide(tx: Transaction, deletion: Deletion, audiences: tuple[str, ...] | None, user: str | None) -> str:
    subject, subject_id = deletion.subject, deletion.subject_id
    lock = LOCK_DOCUMENT_TO_DELETE if subject == DOCUMENT else LOCK_KNOWLEDGE_TO_DELETE
    knowledge = await _found(tx, lock, deletion.org_id, subject_id, audiences)
    await tx.run(
        ADD_RECEIPT,
        receipt=deletion.receipt_id,
        org=deletion.org_id,
        subject=subject,
        id=subject_id,
        user=user,
        counts=json.dumps(await count_subject(tx, subject, subject_id)),
        requestedAt=round(deletion.requested_at.timestamp() * 1000),
    )
    if subject == DOCUMENT:
        await tx.run(HIDE_DOCUMENT, document=subject_id)
        await cancel_jobs(tx, subject_id, "deleted")
    else:
        await tx.run(HIDE_KNOWLEDGE, knowledge=subject_id)
    await add_job(
        tx,
        JobKind.PURGE,
        org_id=deletion.org_id,
        subject_id=deletion.receipt_id,
        document_id=None,
        knowledge_id=None,
    )
    if subject == DOCUMENT:
        await counts_changed(tx, knowledge)
    return knowledge


async def _found(
    tx: Transaction, query: LiteralString, org_id: str, subject_id: str, audiences: tuple[str, ...] | None
) -> str:
    visible = list(audiences) if audiences is not None else None
    row = await tx.one(query, id=subject_id, org=org_id, audiences=visible, everyone=everyone_in(org_id))
    if row is None:
        raise NotFound("There is no such document or corpus.")
    return str(row["knowledge"])
