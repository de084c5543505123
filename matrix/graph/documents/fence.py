"""The fence: every write of a worker takes the document's lock, then the job's, and checks the lease in the same
transaction. Locks are always taken in the order document, job, corpus."""

from __future__ import annotations

from matrix.domain.jobs import Lease
from matrix.errors import DocumentGone, LeaseLost
from matrix.graph.database import Transaction

# Writing a property is what takes a node's lock in Neo4j; what is read after it is the newest committed state.
LOCK_DOCUMENT_AND_JOB = """
MATCH (j:IngestJob:Entity {id: $job})
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.locked = true
SET j.locked = true
RETURN j.token AS token, j.state AS state, d.deletedAt IS NULL AND EXISTS {
  MATCH (d)<-[:HAS_DOCUMENT]-(k:Knowledge) WHERE k.deletedAt IS NULL } AS stands
"""

LOCK_JOB = """
MATCH (j:IngestJob:Entity {id: $job})
SET j.locked = true
RETURN j.token AS token, j.state AS state
"""


async def fence(tx: Transaction, lease: Lease, document_id: str) -> None:
    """Holds document and job until the transaction ends. Errors: LeaseLost; DocumentGone when it is deleted."""
    row = await tx.one(LOCK_DOCUMENT_AND_JOB, job=lease.job_id, document=document_id)
    if row is None:
        raise LeaseLost("The document or its job is gone.")
    _check(lease, row["token"], row["state"])
    if not row["stands"]:
        raise DocumentGone("The document was deleted while it was worked on.")


async def fence_job(tx: Transaction, lease: Lease) -> None:
    """Holds the job alone, for work on something that is deleted already. Errors: LeaseLost."""
    row = await tx.one(LOCK_JOB, job=lease.job_id)
    if row is None:
        raise LeaseLost("The job is gone.")
    _check(lease, row["token"], row["state"])


def _check(lease: Lease, token: int, state: str) -> None:
    if token != lease.token or state != "RUNNING":
        raise LeaseLost("Another worker has taken the job over, or it was cancelled.")
