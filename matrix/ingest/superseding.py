"""What goes once a newer version serves: passages that no version holds, and the blobs of old versions. The few newest
keep their originals and texts, and so do the one that serves and those at work. See docs/decisions/0007."""

from __future__ import annotations

from contextlib import suppress

from matrix.domain.jobs import Lease
from matrix.errors import StorageUnavailable
from matrix.ingest.blob_keys import version_prefix
from matrix.ports import BlobStore, VersionStore


async def tidy_document(versions: VersionStore, blobs: BlobStore, lease: Lease, document_id: str, kept: int) -> None:
    """`kept` is how many of the newest versions keep their blobs. Errors: LeaseLost, DatabaseUnavailable."""
    await versions.tidy(lease, document_id)
    with suppress(StorageUnavailable):  # what stays goes when the document is tidied next
        while old := await versions.superseded(document_id, kept):
            for version_id in old:
                await blobs.delete_prefix(version_prefix(lease.org_id, document_id, version_id))
                await versions.note_dropped_blobs(lease, document_id, version_id)
