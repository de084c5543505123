"""Where blobs are: `organization/document/version/…`, never shared, so that a deletion is a prefix and provable."""

from __future__ import annotations

from matrix.domain.documents import NewVersion, VersionToProcess


def original_key(org_id: str, document_id: str, version_id: str, sha256: str) -> str:
    return f"{version_prefix(org_id, document_id, version_id)}{sha256}"


def parsed_key(org_id: str, document_id: str, version_id: str) -> str:
    """The parsed text, beside the original."""
    return f"{version_prefix(org_id, document_id, version_id)}parsed.json.gz"


def parsed_key_of(version: VersionToProcess) -> str:
    return parsed_key(version.org_id, version.document_id, version.version_id)


def prefix_of(new: NewVersion) -> str:
    """Where a version's blobs are."""
    return new.blob_key.rsplit("/", 1)[0] + "/"


def version_prefix(org_id: str, document_id: str, version_id: str) -> str:
    return f"{document_prefix(org_id, document_id)}{version_id}/"


def document_prefix(org_id: str, document_id: str) -> str:
    return f"{org_id}/{document_id}/"


def version_in(key: str) -> str | None:
    """The version that a blob belongs to; None for what is no blob of a version (the log of deletions)."""
    parts = key.split("/")
    return parts[2] if len(parts) == 4 else None
