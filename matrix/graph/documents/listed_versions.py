"""The versions of documents, newest first, for who may see the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from matrix.domain.access import Scope
from matrix.domain.documents import DocumentStatus
from matrix.domain.versions import ListedVersion
from matrix.graph.database import Database, Row

VERSIONS_OF_DOCUMENTS = """
UNWIND $documents AS id
MATCH (d:KnowledgeDocument:Entity {id: id})<-[:HAS_DOCUMENT]-(k:Knowledge)
WHERE d.orgId = $org AND d.audienceId IN $audiences AND d.deletedAt IS NULL AND k.deletedAt IS NULL
CALL (d) {
  MATCH (d)-[:HAS_VERSION]->(v:DocumentVersion) WHERE $before IS NULL OR v.number < $before
  RETURN v ORDER BY v.number DESC LIMIT $limit
}
RETURN d.id AS document, v.id AS id, v.number AS number, v.status AS status, EXISTS { (d)-[:LIVE]->(v) } AS serving,
  v.blobsDroppedAt IS NULL AS kept, toString(v.createdAt) AS createdAt, toString(v.updatedAt) AS updatedAt,
  v.mediaType AS mediaType, v.size AS size, v.sha256 AS sha256, v.chunkCount AS chunks, v.chunksEmbedded AS embedded,
  v.chunksReused AS reused, v.pageCount AS pages, v.language AS language, v.title AS title,
  v.errorCode AS code, v.errorReason AS reason, v.errorAdvice AS advice, v.warnings AS warnings
ORDER BY document, number DESC
"""


async def listed_versions(
    database: Database, scope: Scope, document_ids: Sequence[str], limit: int, before: int | None
) -> Mapping[str, tuple[ListedVersion, ...]]:
    """The newest `limit` of each document, of those below the number `before`; the invisible are missing."""
    rows = await database.read(
        VERSIONS_OF_DOCUMENTS,
        documents=list(document_ids),
        org=scope.org_id,
        audiences=list(scope.audiences),
        limit=limit,
        before=before,
    )
    found: dict[str, tuple[ListedVersion, ...]] = {}
    for row in rows:
        found[row["document"]] = (*found.get(row["document"], ()), _version(row))
    return found


def _version(row: Row) -> ListedVersion:
    return ListedVersion(
        id=row["id"],
        document_id=row["document"],
        number=row["number"],
        status=DocumentStatus(row["status"]),
        serving=row["serving"],
        original_kept=row["kept"],
        created_at=datetime.fromisoformat(row["createdAt"]),
        updated_at=datetime.fromisoformat(row["updatedAt"]),
        media_type=row["mediaType"],
        size=row["size"],
        sha256=row["sha256"],
        chunk_count=row["chunks"],
        chunks_embedded=row["embedded"],
        chunks_reused=row["reused"],
        page_count=row["pages"],
        language=row["language"],
        title=row["title"],
        error_code=row["code"],
        error_reason=row["reason"],
        error_advice=row["advice"],
        warnings=tuple(row["warnings"] or ()),
    )
