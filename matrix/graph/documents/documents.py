"""DocumentStore: documents as people add, stop, rename, tag and share them. How a version is made is in `new_version`,
deletion in `deletion`, what passages repeat in `chunk_copies`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from matrix.domain.access import Role, Scope
from matrix.domain.documents import (
    DeletionPreview,
    DeletionReceipt,
    DocumentStatus,
    NewVersion,
    Original,
    Receipt,
    SourceKind,
    UploadRules,
)
from matrix.domain.jobs import JobKind
from matrix.domain.versions import ListedVersion
from matrix.errors import Conflict, NotFound
from matrix.graph.access.audiences import ensure_audience
from matrix.graph.access.cache import AccessCache
from matrix.graph.database import Database, Transaction
from matrix.graph.documents import deletion, new_version
from matrix.graph.documents.chunk_copies import refresh_copies
from matrix.graph.documents.chunks import CHUNKS_A_TRANSACTION
from matrix.graph.documents.corpus_counts import counts_changed
from matrix.graph.documents.jobs import add_job, cancel_jobs
from matrix.graph.documents.listed_versions import listed_versions

BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)

NAME_IN_CORPUS = """
MATCH (d:KnowledgeDocument {knowledgeId: $knowledge, nameKey: $name})
RETURN d.id AS id
"""

PENDING_JOBS = """
MATCH (j:IngestJob) WHERE j.orgId = $org AND j.dueAt IS NOT NULL
WITH j LIMIT 100000
RETURN count(j) AS jobs
"""

READ_ORIGINAL = """
MATCH (d:KnowledgeDocument:Entity {id: $document})<-[:HAS_DOCUMENT]-(k:Knowledge)
WHERE d.orgId = $org AND d.audienceId IN $audiences AND d.deletedAt IS NULL AND k.deletedAt IS NULL
MATCH (d)-[:HAS_VERSION]->(v:DocumentVersion)
WHERE $version IS NULL OR v.id = $version
RETURN v.id AS version, v.number AS number, d.knowledgeId AS knowledge, d.name AS name, v.blobKey AS blobKey,
  v.sha256 AS sha256, v.size AS size, v.mediaType AS mediaType, v.sourceKind AS sourceKind, v.sourceUrl AS sourceUrl,
  v.status AS status
ORDER BY $serving AND EXISTS { (d)-[:LIVE]->(v) } DESC, v.number DESC LIMIT 1
"""

LOCK_VISIBLE_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})<-[:HAS_DOCUMENT]-(k:Knowledge)
WHERE d.orgId = $org AND d.audienceId IN $audiences AND d.deletedAt IS NULL AND k.deletedAt IS NULL
SET d.locked = true
RETURN d.knowledgeId AS knowledge
"""

CANCEL_NEWEST = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion)
WHERE v.number = d.version AND v.status IN ['PENDING', 'PROCESSING']
SET v.status = 'CANCELLED', v.updatedAt = datetime.realtime(), d.status = 'CANCELLED', d.updatedAt = datetime.realtime()
REMOVE d.step
RETURN v.id AS version
"""

CANCEL_OLDER = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion)
WHERE v.status IN ['PENDING', 'PROCESSING']
SET v.status = 'CANCELLED', v.updatedAt = datetime.realtime()
"""

CHANGED_SINCE = """
MATCH (d:KnowledgeDocument) WHERE d.knowledgeId = $knowledge AND d.updatedAt >= datetime($since)
WITH d ORDER BY d.knowledgeId DESC, d.updatedAt DESC
WHERE d.orgId = $org AND d.audienceId IN $audiences AND d.deletedAt IS NULL
RETURN d.id AS id, toString(d.updatedAt) AS updatedAt LIMIT $limit
"""

RENAME_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.name = $name, d.nameKey = $name, d.updatedAt = datetime.realtime()
"""

TAG_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.tags = $tags, d.updatedAt = datetime.realtime()
"""

SHARE_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.audienceId = $audience, d.updatedAt = datetime.realtime()
"""


class Documents:
    """DocumentStore on the graph. What callers may see is kept for a few seconds in `cache`; sharing and
    the deletion of a corpus forget it."""

    def __init__(self, database: Database, cache: AccessCache | None = None) -> None:
        self._database = database
        self._cache = cache

    async def upload_rules(self, scope: Scope, knowledge_id: str, name: str) -> UploadRules:
        """What an upload of this name has to know beforehand. Errors: NotFound (no such corpus)."""

        async def read(tx: Transaction) -> UploadRules:
            corpus = await new_version.corpus_of(tx, scope, knowledge_id)
            key = unicodedata.normalize("NFC", name)
            found = await tx.one(NAME_IN_CORPUS, knowledge=knowledge_id, name=key)
            pending = await tx.one(PENDING_JOBS, org=scope.org_id)
            return UploadRules(
                tuple(corpus["acceptedTypes"]), found["id"] if found else None, pending["jobs"] if pending else 0
            )

        return await self._database.read_together(read)

    async def add_version(self, scope: Scope, knowledge_id: str, new: NewVersion) -> Receipt:
        """The next version of the document of that name, with its job. Errors: see `new_version.add_version`."""
        return await self._database.write_together(lambda tx: new_version.add_version(tx, scope, knowledge_id, new))

    async def versions(
        self, scope: Scope, document_ids: Sequence[str], limit: int, before: int | None = None
    ) -> Mapping[str, tuple[ListedVersion, ...]]:
        """The newest versions of each document that the caller may see, below the number `before`."""
        return await listed_versions(self._database, scope, document_ids, limit, before)

    async def again(self, scope: Scope, new: NewVersion) -> Receipt:
        """A version from the stored bytes. Errors: NotFound, Conflict."""
        return await self._database.write_together(lambda tx: new_version.add_version_again(tx, scope, new))

    async def original(
        self, scope: Scope, document_id: str, version_id: str | None = None, *, serving: bool = False
    ) -> Original:
        """The stored bytes of a version: by default of the newest one, or of the one that serves. Errors: NotFound."""
        row = await self._database.read_one(
            READ_ORIGINAL,
            document=document_id,
            version=version_id,
            serving=serving,
            org=scope.org_id,
            audiences=list(scope.audiences),
        )
        if row is None:
            raise NotFound("There is no such document.")
        return Original(
            document_id=document_id,
            version_id=row["version"],
            knowledge_id=row["knowledge"],
            number=row["number"],
            name=row["name"],
            blob_key=row["blobKey"],
            sha256=row["sha256"],
            size=row["size"],
            media_type=row["mediaType"],
            source_kind=SourceKind(row["sourceKind"]),
            source_url=row["sourceUrl"],
            status=DocumentStatus(row["status"]),
        )

    async def changed_since(
        self, scope: Scope, knowledge_id: str, since: datetime | None, limit: int
    ) -> Mapping[str, datetime]:
        """When the corpus's documents changed last, by id, newest first; from the beginning where `since` is None."""
        rows = await self._database.read(
            CHANGED_SINCE,
            knowledge=knowledge_id,
            org=scope.org_id,
            audiences=list(scope.audiences),
            since=(since or BEGINNING).isoformat(),
            limit=limit,
        )
        return {row["id"]: datetime.fromisoformat(row["updatedAt"]) for row in rows}

    async def cancel(self, scope: Scope, document_id: str) -> DocumentStatus:
        """Stops the work on a document; what it served before goes on serving. Errors: NotFound, Conflict."""

        async def cancel(tx: Transaction) -> DocumentStatus:
            knowledge = await lock_visible(tx, scope, document_id)
            if await tx.one(CANCEL_NEWEST, document=document_id) is None:
                raise Conflict("The document is not being processed.", advice="There is nothing to cancel.")
            await tx.run(CANCEL_OLDER, document=document_id)
            await cancel_jobs(tx, document_id, "cancelled", JobKind.INGEST)
            await _tidy_later(tx, scope, document_id, knowledge)
            return DocumentStatus.CANCELLED

        return await self._database.write_together(cancel)

    async def rename(self, scope: Scope, document_id: str, name: str) -> None:
        """Nothing is embedded anew: a name is no part of what is embedded. Errors: NotFound, Conflict (name taken)."""
        key = unicodedata.normalize("NFC", name)

        async def rename(tx: Transaction) -> None:
            knowledge = await lock_visible(tx, scope, document_id)
            await tx.run(RENAME_DOCUMENT, document=document_id, name=key)
            await _follow(tx, scope, document_id, knowledge)

        await self._database.write_together(rename)

    async def set_tags(self, scope: Scope, document_id: str, tags: Sequence[str]) -> None:
        """Errors: NotFound."""
        wanted = list(dict.fromkeys(unicodedata.normalize("NFC", tag) for tag in tags))

        async def tag(tx: Transaction) -> None:
            knowledge = await lock_visible(tx, scope, document_id)
            await tx.run(TAG_DOCUMENT, document=document_id, tags=wanted)
            await _follow(tx, scope, document_id, knowledge)

        await self._database.write_together(tag)

    async def set_audience(self, scope: Scope, document_id: str, members: Sequence[str]) -> str:
        """Shows the document to these teams and people only, or to all with the organization's id; acts at once.
        Returns the audience's id. Errors: NotFound, InvalidInput."""

        async def share(tx: Transaction) -> str:
            knowledge = await lock_visible(tx, scope, document_id)
            audience = await ensure_audience(tx, scope.org_id, members)
            await tx.run(SHARE_DOCUMENT, document=document_id, audience=audience)
            await _follow(tx, scope, document_id, knowledge)
            await counts_changed(tx, knowledge)
            return audience

        shared = await self._database.write_together(share)
        if self._cache is not None:
            self._cache.forget()
        return shared

    async def preview_deletion(
        self, scope: Scope, knowledge_id: str | None, document_id: str | None
    ) -> DeletionPreview:
        """What a deletion of the document, or else of the corpus, would take away. Errors: NotFound."""
        if document_id is not None:
            return await deletion.preview_deletion(self._database, scope, deletion.DOCUMENT, document_id)
        return await deletion.preview_deletion(self._database, scope, deletion.KNOWLEDGE, knowledge_id or "")

    async def delete_document(self, scope: Scope, document_id: str) -> DeletionReceipt:
        """Hides it at once and orders its purge. Errors: NotFound."""
        return await deletion.delete(self._database, scope, deletion.DOCUMENT, document_id)

    async def delete_knowledge(self, scope: Scope, knowledge_id: str) -> DeletionReceipt:
        """Hides the corpus and all in it at once, and orders its purge. Errors: NotFound."""
        receipt = await deletion.delete(self._database, scope, deletion.KNOWLEDGE, knowledge_id)
        if self._cache is not None:
            self._cache.forget()
        return receipt

    async def receipt(self, scope: Scope, receipt_id: str) -> DeletionReceipt:
        """One that the caller asked for, any to an administrator. Errors: NotFound."""
        user = None if scope.role >= Role.ADMIN else scope.user_id
        return await self._database.read_together(lambda tx: deletion.read_receipt(tx, scope.org_id, receipt_id, user))


async def lock_visible(tx: Transaction, scope: Scope, document_id: str) -> str:
    """Holds a document that the caller may see, and answers its corpus. Errors: NotFound."""
    row = await tx.one(LOCK_VISIBLE_DOCUMENT, document=document_id, org=scope.org_id, audiences=list(scope.audiences))
    if row is None:
        raise NotFound("There is no such document.")
    return str(row["knowledge"])


async def _follow(tx: Transaction, scope: Scope, document_id: str, knowledge_id: str) -> None:
    """The copies on passages: at once if they are few, by a job if not."""
    refreshed = await refresh_copies(tx, document_id, CHUNKS_A_TRANSACTION)
    if refreshed == CHUNKS_A_TRANSACTION:
        await _tidy_later(tx, scope, document_id, knowledge_id)


async def _tidy_later(tx: Transaction, scope: Scope, document_id: str, knowledge_id: str) -> None:
    await add_job(
        tx,
        JobKind.TIDY,
        org_id=scope.org_id,
        subject_id=document_id,
        document_id=document_id,
        knowledge_id=knowledge_id,
    )
