"""Documents on their way in, their versions, and their way out."""

from __future__ import annotations

from matrix.api.rest.shapes.shape import Instant, Shape
from matrix.domain.documents import DocumentStatus


class UploadEntry(Shape):
    """What became of one file of an upload. Where it was refused, `error`, `code` and `advice` say why and all else
    but the name is null."""

    id: str | None
    """The document's."""
    name: str
    status: DocumentStatus | None
    version: int | None
    jobId: str | None
    unchanged: bool
    """The same bytes are there already: nothing is done."""
    error: str | None
    code: str | None
    advice: str | None


class UploadReceipt(Shape):
    """One entry for each file, in the order in which they were sent."""

    documents: list[UploadEntry]


class DocumentState(Shape):
    """A document and what its newest version is now."""

    id: str
    status: DocumentStatus


class DocumentAudience(Shape):
    """Who may see the document from now on."""

    audienceId: str


class DocumentVersion(Shape):
    """A version of a document."""

    id: str
    documentId: str
    number: int
    status: DocumentStatus
    serving: bool
    """Searches find the passages of this one."""
    originalKept: bool
    """Its file is still stored; those of versions long superseded are dropped."""
    createdAt: Instant
    updatedAt: Instant
    mediaType: str
    size: int
    """Bytes."""
    sha256: str
    chunkCount: int | None
    chunksEmbedded: int | None
    chunksReused: int | None
    pageCount: int | None
    language: str | None
    title: str | None
    errorCode: str | None
    errorReason: str | None
    errorAdvice: str | None
    warnings: list[str]


class DocumentVersionList(Shape):
    """A page of versions, newest first."""

    items: list[DocumentVersion]
    nextCursor: str | None
    """Hand it back as `cursor` for the next page; null on the last one."""


class TextPage(Shape):
    """Where a page begins and ends in the text, in characters."""

    number: int
    start: int
    end: int


class DocumentText(Shape):
    """The text of a version as it was read."""

    text: str
    title: str | None
    language: str | None
    pages: list[TextPage]
    """None where the document has no pages."""


class DownloadLink(Shape):
    """A link to the original that needs no credentials."""

    url: str
    """Path and query, without a host."""
    expires: int
    """Seconds since 1970."""


class DeletionPreview(Shape):
    """How much a deletion would take away."""

    documents: int
    versions: int
    chunks: int
    blobs: int
    citations: int


class DeletionReceipt(Shape):
    """The proof of a deletion: what was asked for is hidden already, and purged once `purgedAt` is set."""

    receiptId: str
    subject: str
    subjectId: str
    requestedAt: Instant
    counts: dict[str, int]
    """What was there, by kind."""
    purgedAt: Instant | None
    remaining: dict[str, int]
    """What is still there, by kind."""
