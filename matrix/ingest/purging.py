"""What a worker does with a PURGE job: everything of a deleted document or corpus goes, and the receipt says so; and
the reaper, which removes blobs that no version claims."""

from __future__ import annotations

import time

from matrix.domain.jobs import Lease
from matrix.errors import StorageUnavailable
from matrix.ingest.blob_keys import document_prefix, version_in
from matrix.ingest.deletion_log import log_deletion
from matrix.ingest.processing import WorkerPorts
from matrix.ports import BlobStore, DeletionStore

_ASKED_AT_ONCE = 500


async def purge(ports: WorkerPorts, lease: Lease) -> None:
    """A PURGE job to its end. Errors: LeaseLost, DatabaseUnavailable."""
    deletion = await ports.deletions.to_purge(lease)
    try:
        await log_deletion(ports.blobs, deletion)
        blobs_left = 0
        while documents := await ports.deletions.documents_to_purge(deletion):
            for document_id in documents:
                prefix = document_prefix(deletion.org_id, document_id)
                await ports.blobs.delete_prefix(prefix)
                await ports.deletions.purge_document(lease, document_id)
                blobs_left += len(await ports.blobs.list_prefix(prefix))
        receipt = await ports.deletions.close_deletion(lease, deletion, blobs_left)
    except StorageUnavailable as outage:
        return await ports.jobs.retry_later(lease, min(60.0, 2.0**lease.retries), outage.message)
    if receipt.purged_at is None:
        return await ports.jobs.retry_later(lease, 5, "Something was written while it was purged.")
    return await ports.jobs.finish(lease)


async def reap_blobs(blobs: BlobStore, deletions: DeletionStore, older_than_seconds: float) -> int:
    """Removes blobs whose version does not exist: left by an upload that ended before its version did. Younger ones
    may be about to get theirs. Returns how many versions' blobs went."""
    by_version: dict[str, str] = {}
    for key in await blobs.list_prefix(""):
        version_id = version_in(key)
        if version_id is not None and _age(version_id) > older_than_seconds:
            by_version[version_id] = key.rsplit("/", 1)[0] + "/"
    ids = sorted(by_version)
    known: set[str] = set()
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        known |= await deletions.versions_among(ids[start : start + _ASKED_AT_ONCE])
    orphans = [prefix for version_id, prefix in by_version.items() if version_id not in known]
    for prefix in orphans:
        await blobs.delete_prefix(prefix)
    return len(orphans)


def _age(version_id: str) -> float:
    """Seconds since the id was made: a version's id begins with its time."""
    try:
        return time.time() - int(version_id[:12], 16) / 1000
    except ValueError:
        return 0.0
