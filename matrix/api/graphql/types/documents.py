"""What becomes of uploads, deletions and audiences, as GraphQL shows it."""

from __future__ import annotations

from datetime import datetime

import strawberry

from matrix.api.graphql.types.dynamic_field import field
from matrix.api.graphql.types.scalars import JSON
from matrix.domain import documents


@strawberry.type(description="What became of one file or text that was sent; `error` says why it was refused.")
class UploadReceipt:
    name: str
    version: int | None
    job_id: strawberry.ID | None
    unchanged: bool
    error: str | None
    code: str | None
    advice: str | None

    @field()
    @staticmethod
    def id(root: documents.Receipt) -> strawberry.ID | None:
        return strawberry.ID(root.document_id) if root.document_id else None

    @field()
    @staticmethod
    def status(root: documents.Receipt) -> str | None:
        return root.status.value if root.status else None


@strawberry.type(description="What a deletion would take away.")
class DeletionPreview:
    documents: int
    versions: int
    chunks: int
    blobs: int
    citations: int


@strawberry.type(description="Proof of a deletion: once purgedAt is set, nothing is left but what `remaining` counts.")
class DeletionReceipt:
    id: strawberry.ID
    subject: str
    subject_id: strawberry.ID
    requested_at: datetime
    purged_at: datetime | None

    @field()
    @staticmethod
    def counts(root: documents.DeletionReceipt) -> JSON:
        return JSON(dict(root.counts))

    @field()
    @staticmethod
    def remaining(root: documents.DeletionReceipt) -> JSON:
        return JSON(dict(root.remaining))


Outcome = documents.DeletionPreview | documents.DeletionReceipt


@strawberry.type(description="A preview of a dry run, or the receipt of a deletion.")
class Deletion:
    @field(graphql_type=DeletionPreview | None)
    @staticmethod
    def preview(root: Outcome) -> Outcome | None:
        return root if isinstance(root, documents.DeletionPreview) else None

    @field(graphql_type=DeletionReceipt | None)
    @staticmethod
    def receipt(root: Outcome) -> Outcome | None:
        return root if isinstance(root, documents.DeletionReceipt) else None

    @field()
    @staticmethod
    def receipt_id(root: Outcome) -> strawberry.ID | None:
        return strawberry.ID(root.id) if isinstance(root, documents.DeletionReceipt) else None


@strawberry.type(description="Who may see a document: a set of teams and people, or the whole organization.")
class DocumentAudience:
    document_id: strawberry.ID
    audience_id: strawberry.ID
