"""VersionStore: a version on its way to passages. Every write is fenced; the passages themselves are in `chunks`, what
they repeat of their document in `chunk_copies`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import LiteralString, TypeVar

from matrix.domain.documents import (
    ChunkingSettings,
    DocumentStatus,
    EmbeddedChunk,
    ParsedDocument,
    PlacedChunk,
    SourceKind,
    VersionToProcess,
)
from matrix.domain.jobs import Lease
from matrix.errors import LeaseLost
from matrix.graph.database import Database, Row, Transaction
from matrix.graph.documents import chunks
from matrix.graph.documents.chunk_copies import document_copies, refresh_copies
from matrix.graph.documents.corpus_counts import count_marked_corpora, counts_changed
from matrix.graph.documents.fence import fence
from matrix.graph.documents.superseded import note_dropped_blobs, superseded_versions

T = TypeVar("T")

DOCUMENT_OF_VERSION = """
MATCH (v:DocumentVersion:Entity {id: $version})
RETURN v.documentId AS document
"""

READ_VERSION = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
RETURN d.orgId AS org, d.knowledgeId AS knowledge, d.name AS name, d.audienceId AS audience, d.tags AS tags,
  v.number AS number, v.mediaType AS mediaType, v.blobKey AS blobKey, v.sha256 AS sha256, v.status AS status,
  v.sourceKind AS sourceKind, v.sourceUrl AS sourceUrl, v.chunkSize AS size, v.chunkOverlap AS overlap,
  v.chunkUnit AS unit, v.chunkingStrategy AS strategy
"""

# The document shows the state of its newest version; an older one that is still at work does not show.
START_VERSION = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
WHERE v.status = 'PENDING'
SET v.status = 'PROCESSING', v.updatedAt = datetime.realtime()
WITH d, v WHERE d.version = v.number
SET d.status = 'PROCESSING', d.step = 'reading', d.updatedAt = datetime.realtime()
"""

STAMP_PROGRESS = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
WHERE d.version = v.number
SET d.progress = coalesce($progress, d.progress), d.step = $step, d.updatedAt = datetime.realtime()
"""

STAMP_EMBEDDED = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
WHERE d.version = v.number
OPTIONAL MATCH (v)-[h:HAS_CHUNK]->()
WITH d, count(CASE WHEN h.fresh THEN 1 END) AS embedded, count(h) AS placed
SET d.chunksEmbedded = embedded, d.chunksReused = placed - embedded
"""

COUNT_PLACES = """
MATCH (v:DocumentVersion:Entity {id: $version})
OPTIONAL MATCH (v)-[h:HAS_CHUNK]->()
RETURN count(h) AS placed, count(CASE WHEN h.fresh THEN 1 END) AS embedded
"""

COMPLETE_VERSION = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
WHERE COUNT { (v)-[:HAS_CHUNK]->() } = $chunks
SET v.status = 'COMPLETED', v.chunkCount = $chunks, v.chunksEmbedded = $embedded, v.chunksReused = $chunks - $embedded,
  v.title = $title, v.language = $language, v.pageCount = $pages, v.encoding = $encoding, v.warnings = $warnings,
  v.canonicalUrl = $canonicalUrl, v.textLength = $textLength, v.updatedAt = datetime.realtime()
RETURN v.number AS number
"""

# A version that finishes late never takes the place of a newer one.
MOVE_LIVE = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
OPTIONAL MATCH (d)-[old:LIVE]->(before:DocumentVersion)
WITH d, v, old, before WHERE before IS NULL OR before.number < v.number
DELETE old
CREATE (d)-[:LIVE]->(v)
SET d.servingVersion = v.number, d.chunkCount = v.chunkCount, d.title = v.title, d.language = v.language,
  d.pageCount = v.pageCount, d.updatedAt = datetime.realtime()
"""

SHOW_COMPLETED = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
WHERE d.version = v.number
SET d.status = 'COMPLETED', d.progress = 1.0, d.chunksEmbedded = v.chunksEmbedded, d.chunksReused = v.chunksReused,
  d.warnings = v.warnings
REMOVE d.step, d.errorCode, d.errorReason, d.errorAdvice
"""

FAIL_VERSION = """
MATCH (d:KnowledgeDocument:Entity {id: $document})-[:HAS_VERSION]->(v:DocumentVersion:Entity {id: $version})
SET v.status = 'FAILED', v.errorCode = $code, v.errorReason = $reason, v.errorAdvice = $advice,
  v.updatedAt = datetime.realtime()
WITH d, v WHERE d.version = v.number
SET d.status = 'FAILED', d.errorCode = $code, d.errorReason = $reason, d.errorAdvice = $advice,
  d.updatedAt = datetime.realtime()
REMOVE d.step
"""


class Versions:
    """VersionStore on the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def to_process(self, lease: Lease) -> VersionToProcess:
        """The version of an INGEST job, marked as being processed. Errors: LeaseLost."""
        document = await self._document_of(lease.subject_id)

        async def start(tx: Transaction) -> Row | None:
            await tx.run(START_VERSION, document=document, version=lease.subject_id)
            return await tx.one(READ_VERSION, document=document, version=lease.subject_id)

        row = await self._fenced(lease, document, start)
        if row is None:
            raise LeaseLost("The version is gone.")
        return _version(row, document, lease.subject_id)

    async def place_chunks(
        self, lease: Lease, version: VersionToProcess, placed: Sequence[PlacedChunk]
    ) -> frozenset[str]:
        """Puts those that exist already under the version, so that nothing drops them, and answers their ids; places
        that an earlier attempt made for other passages are taken back."""
        known: list[str] = []
        for part in _parts(placed, chunks.PLACES_A_TRANSACTION):

            async def place(tx: Transaction, part: Sequence[PlacedChunk] = part) -> list[str]:
                return await chunks.place_chunks(tx, version.version_id, part)

            known += await self._fenced(lease, version.document_id, place)
        ids = [one.id for one in placed]
        await self._fenced(
            lease,
            version.document_id,
            lambda tx: tx.run(chunks.DROP_OTHER_PLACES, version=version.version_id, keep=ids),
        )
        return frozenset(known)

    async def write_chunks(
        self,
        lease: Lease,
        version: VersionToProcess,
        parsed: ParsedDocument,
        new: Sequence[EmbeddedChunk],
        embedder: str,
    ) -> None:
        """Writes passages with their vectors under the version, at most 200 in a transaction."""
        for part in _parts(new, chunks.CHUNKS_A_TRANSACTION):

            async def write(tx: Transaction, part: Sequence[EmbeddedChunk] = part) -> None:
                shared = await document_copies(tx, version.document_id, parsed.title, parsed.language)
                shared["embeddingModel"] = embedder
                shared["embeddingDimensions"] = len(part[0].embedding)
                await chunks.write_chunks(tx, version, part, shared)

            await self._fenced(lease, version.document_id, write)

    async def stamp_progress(self, lease: Lease, version: VersionToProcess, progress: float | None, step: str) -> None:
        """Shows on the document how far it is, from 0 to 1 (None: as far as before), and how many passages are embedded
        and reused so far."""

        async def stamp(tx: Transaction) -> None:
            ids = {"document": version.document_id, "version": version.version_id}
            await tx.run(STAMP_PROGRESS, **ids, progress=progress, step=step)
            if step == "embedding":
                await tx.run(STAMP_EMBEDDED, **ids)

        await self._fenced(lease, version.document_id, stamp)

    async def go_live(self, lease: Lease, version: VersionToProcess, parsed: ParsedDocument, chunk_count: int) -> None:
        """Completes the version and moves LIVE to it, unless a newer one serves already: one small write."""
        counted = await self._database.read_one(COUNT_PLACES, version=version.version_id)
        embedded = counted["embedded"] if counted else 0

        async def move(tx: Transaction) -> None:
            ids = {"document": version.document_id, "version": version.version_id}
            done = await tx.one(COMPLETE_VERSION, **ids, chunks=chunk_count, embedded=embedded, **_described(parsed))
            if done is None:
                raise RuntimeError("A version may only go live with all of its passages.")
            await tx.run(MOVE_LIVE, **ids)
            await tx.run(SHOW_COMPLETED, **ids)
            await counts_changed(tx, version.knowledge_id)

        await self._fenced(lease, version.document_id, move)

    async def fail(self, lease: Lease, version: VersionToProcess, code: str, reason: str, advice: str) -> None:
        """Marks the version as failed. What served before goes on serving."""
        ids = {"document": version.document_id, "version": version.version_id}
        await self._fenced(
            lease,
            version.document_id,
            lambda tx: tx.run(FAIL_VERSION, **ids, code=code, reason=reason, advice=advice),
        )

    async def tidy(self, lease: Lease, document_id: str) -> int:
        """Drops what no version holds and brings copies up to date, batch by batch; returns the passages dropped."""
        dropped = 0
        while await self._database.read_one(chunks.STALE_PLACES_LEFT, document=document_id):
            dropped += await self._drop(lease, document_id, chunks.DROP_STALE_CHUNKS)
        while now := await self._drop(lease, document_id, chunks.DROP_LOOSE_CHUNKS):
            dropped += now
        while await self._fenced(
            lease, document_id, lambda tx: refresh_copies(tx, document_id, chunks.CHUNKS_A_TRANSACTION)
        ):
            pass
        return dropped

    async def superseded(self, document_id: str, kept: int) -> tuple[str, ...]:
        """Versions whose blobs are stored still and needed no more; see `superseded`."""
        return await superseded_versions(self._database, document_id, kept)

    async def note_dropped_blobs(self, lease: Lease, document_id: str, version_id: str) -> None:
        """Errors: LeaseLost."""
        await self._fenced(lease, document_id, lambda tx: note_dropped_blobs(tx, version_id))

    async def count_marked_corpora(self) -> int:
        """Takes the counts of large corpora that changed; returns how many there were."""
        return await count_marked_corpora(self._database)

    async def _drop(self, lease: Lease, document_id: str, query: LiteralString) -> int:
        async def drop(tx: Transaction) -> int:
            row = await tx.one(query, document=document_id, limit=chunks.CHUNKS_A_TRANSACTION)
            return int(row["dropped"]) if row else 0

        return await self._fenced(lease, document_id, drop)

    async def _document_of(self, version_id: str) -> str:
        row = await self._database.read_one(DOCUMENT_OF_VERSION, version=version_id)
        if row is None:
            raise LeaseLost("The version is gone.")
        return str(row["document"])

    async def _fenced(self, lease: Lease, document_id: str, work: Callable[[Transaction], Awaitable[T]]) -> T:
        async def fenced(tx: Transaction) -> T:
            await fence(tx, lease, document_id)
            return await work(tx)

        return await self._database.write_together(fenced)


def _described(parsed: ParsedDocument) -> dict[str, object]:
    return {
        "title": parsed.title,
        "language": parsed.language,
        "pages": len(parsed.pages) or None,
        "encoding": parsed.encoding,
        "warnings": list(parsed.warnings),
        "canonicalUrl": parsed.canonical_url,
        "textLength": len(parsed.text),
    }


def _version(row: Row, document_id: str, version_id: str) -> VersionToProcess:
    return VersionToProcess(
        org_id=row["org"],
        knowledge_id=row["knowledge"],
        document_id=document_id,
        version_id=version_id,
        number=row["number"],
        name=row["name"],
        media_type=row["mediaType"],
        blob_key=row["blobKey"],
        sha256=row["sha256"],
        audience_id=row["audience"],
        source_kind=SourceKind(row["sourceKind"]),
        source_url=row["sourceUrl"],
        tags=tuple(row["tags"] or ()),
        chunking=ChunkingSettings(row["size"], row["overlap"], row["unit"], row["strategy"]),
        status=DocumentStatus(row["status"]),
    )


_Item = TypeVar("_Item", PlacedChunk, EmbeddedChunk)


def _parts(items: Sequence[_Item], size: int) -> list[Sequence[_Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
