"""The versions of a document as people see them listed. On their way from bytes to passages they are in `documents`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from matrix.domain.documents import DocumentStatus


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """`serving`: searches find the passages of this one. `original_kept`: its bytes are still stored; those of versions
    long superseded are dropped. Sizes are bytes."""

    id: str
    document_id: str
    number: int
    status: DocumentStatus
    serving: bool
    original_kept: bool
    created_at: datetime
    updated_at: datetime
    media_type: str
    size: int
    sha256: str
    chunk_count: int | None
    chunks_embedded: int | None
    chunks_reused: int | None
    page_count: int | None
    language: str | None
    title: str | None
    error_code: str | None
    error_reason: str | None
    error_advice: str | None
    warnings: tuple[str, ...]
