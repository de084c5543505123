"""The log of deletions beside the blobs, one object a deletion: a database that is restored from an older backup is
brought up to date by it."""

from __future__ import annotations

import json
from datetime import datetime

from matrix.domain.documents import Deletion
from matrix.ports import BlobStore, DeletionStore

FOLDER = "deletions/"


async def log_deletion(blobs: BlobStore, deletion: Deletion) -> None:
    """Writing it again changes nothing. Errors: StorageUnavailable."""
    entry = {
        "receiptId": deletion.receipt_id,
        "orgId": deletion.org_id,
        "subject": deletion.subject,
        "subjectId": deletion.subject_id,
        "requestedAt": deletion.requested_at.isoformat(),
    }
    await blobs.put(f"{FOLDER}{deletion.receipt_id}.json", json.dumps(entry).encode())


async def replay_deletions(blobs: BlobStore, deletions: DeletionStore) -> int:
    """Deletes again what a restored database still has; returns how many deletions that were. Run after a restore."""
    repeated = 0
    for key in await blobs.list_prefix(FOLDER):
        entry = json.loads(await blobs.get(key))
        deletion = Deletion(
            entry["receiptId"],
            entry["orgId"],
            entry["subject"],
            entry["subjectId"],
            datetime.fromisoformat(entry["requestedAt"]),
        )
        repeated += await deletions.delete_again(deletion)
    return repeated
