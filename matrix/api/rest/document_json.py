"""Upload receipts, deletions and parsed text as JSON."""

from __future__ import annotations

from matrix.api.rest.entity_json import instant_json
from matrix.domain.documents import DeletionPreview, DeletionReceipt, Receipt
from matrix.domain.versions import ListedVersion

Json = dict[str, object]


def receipts_json(receipts: list[Receipt]) -> Json:
    return {"documents": [upload_json(receipt) for receipt in receipts]}


def upload_json(receipt: Receipt) -> Json:
    return {
        "id": receipt.document_id,
        "name": receipt.name,
        "status": receipt.status.value if receipt.status else None,
        "version": receipt.version,
        "jobId": receipt.job_id,
        "unchanged": receipt.unchanged,
        "error": receipt.error,
        "code": receipt.code,
        "advice": receipt.advice,
    }


def version_json(version: ListedVersion) -> Json:
    return {
        "id": version.id,
        "documentId": version.document_id,
        "number": version.number,
        "status": version.status.value,
        "serving": version.serving,
        "originalKept": version.original_kept,
        "createdAt": instant_json(version.created_at),
        "updatedAt": instant_json(version.updated_at),
        "mediaType": version.media_type,
        "size": version.size,
        "sha256": version.sha256,
        "chunkCount": version.chunk_count,
        "chunksEmbedded": version.chunks_embedded,
        "chunksReused": version.chunks_reused,
        "pageCount": version.page_count,
        "language": version.language,
        "title": version.title,
        "errorCode": version.error_code,
        "errorReason": version.error_reason,
        "errorAdvice": version.error_advice,
        "warnings": list(version.warnings),
    }


def preview_json(preview: DeletionPreview) -> Json:
    return {
        "documents": preview.documents,
        "versions": preview.versions,
        "chunks": preview.chunks,
        "blobs": preview.blobs,
        "citations": preview.citations,
    }


def receipt_json(receipt: DeletionReceipt) -> Json:
    return {
        "receiptId": receipt.id,
        "subject": receipt.subject,
        "subjectId": receipt.subject_id,
        "requestedAt": instant_json(receipt.requested_at),
        "counts": dict(receipt.counts),
        "purgedAt": instant_json(receipt.purged_at) if receipt.purged_at else None,
        "remaining": dict(receipt.remaining),
    }
