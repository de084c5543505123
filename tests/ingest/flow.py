"""The whole ingest flow on a real database, with blobs in memory, a fake embedder, and the real parsers unconfined."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

from obstore.store import MemoryStore

from matrix.domain.access import Scope
from matrix.domain.documents import ParsedDocument, Receipt
from matrix.domain.jobs import Lease
from matrix.domain.retrieval import SearchFilters
from matrix.graph.database import Database, Row
from matrix.graph.documents.documents import Documents
from matrix.graph.documents.jobs import Jobs
from matrix.graph.documents.purge import Deletions
from matrix.graph.documents.versions import Versions
from matrix.graph.search.keyword_index import Keywords
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.ingest.processing import WorkerPorts
from matrix.ingest.service import KnowledgeIngestService, UploadLimits
from matrix.ingest.worker import process, work_off
from matrix.plugins.blobs.object_store import ObjectBlobStore
from matrix.plugins.parsers.registry import parse_pages
from matrix.ports import ParseProgress
from tests.fakes.embedder import FakeEmbedder
from tests.graph.corpora import new_corpus, new_organization


class PlainParser:
    """The parsers in this process, counting the files. `language` is what every text is in."""

    def __init__(self, language: str | None = "en") -> None:
        self.parsed = 0
        self._language = language

    async def parse(
        self, path: Path, *, name: str, media_type: str, progress: ParseProgress | None = None
    ) -> ParsedDocument:
        self.parsed += 1
        data = await asyncio.to_thread(path.read_bytes)
        document, _ = parse_pages(data, media_type, 0, 100)
        if progress is not None:
            await progress(1, 1)
        return replace(document, language=self._language)


@dataclass(frozen=True, slots=True)
class Flow:
    """One organization with one corpus, and everything that works on it."""

    database: Database
    scope: Scope
    corpus: str
    service: KnowledgeIngestService
    documents: Documents
    ports: WorkerPorts
    embedder: FakeEmbedder
    blobs: ObjectBlobStore

    async def send(self, name: str, text: str | bytes) -> Receipt:
        """Uploads, without processing."""
        data = text.encode() if isinstance(text, str) else text
        return await self.service.receive(self.scope, self.corpus, name, pieces(data))

    async def ingest(self, name: str, text: str | bytes) -> str:
        """Uploads and processes all that is due; the document's id."""
        receipt = await self.send(name, text)
        assert receipt.document_id is not None, receipt
        await work_off(self.ports)
        return receipt.document_id

    async def claim(self) -> Lease:
        lease = await self.ports.jobs.claim("test", 60)
        assert lease is not None
        return lease

    async def work_one(self) -> None:
        await process(self.ports, await self.claim())

    async def document(self, document_id: str) -> Row:
        row = await self.database.read_one(
            "MATCH (d:KnowledgeDocument:Entity {id: $id}) RETURN properties(d) AS d", id=document_id
        )
        return row["d"] if row else {}

    async def counts(self) -> tuple[int, int]:
        """documentCount and chunkCount as stamped on the corpus."""
        row = await self.database.read_one("MATCH (k:Knowledge:Entity {id: $id}) RETURN k", id=self.corpus)
        assert row is not None
        return row["k"]["documentCount"], row["k"]["chunkCount"]

    async def texts(self, query: str, limit: int = 8) -> list[str]:
        """What the vector leg finds."""
        vector = await self.embedder.embed_query(query)
        store = KnowledgeVectors(self.database)
        found = await store.search(self.scope, [self.corpus], vector, SearchFilters(), limit)
        return [hit.text for hit in found]

    async def words(self, query: str, limit: int = 8) -> list[str]:
        """What the keyword leg finds."""
        found = await Keywords(self.database).search(self.scope, [self.corpus], query, SearchFilters(), limit)
        return [hit.text for hit in found]


async def new_flow(database: Database, limits: UploadLimits | None = None, parser: PlainParser | None = None) -> Flow:
    scope = await new_organization(database)
    corpus = await new_corpus(database, scope)
    embedder, blobs, documents = FakeEmbedder(), ObjectBlobStore(MemoryStore()), Documents(database)
    ports = WorkerPorts(
        Jobs(database), Versions(database), Deletions(database), blobs, parser or PlainParser(), embedder
    )
    service = KnowledgeIngestService(documents, blobs, limits)
    return Flow(database, scope, corpus, service, documents, ports, embedder, blobs)


async def pieces(data: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def sections(count: int, changed: int | None = None, first: int = 0) -> str:
    """A Markdown text of sections that are a passage each; the one numbered `changed` reads otherwise."""
    parts = []
    for number in range(first, first + count):
        word = f"edited{number}" if number == changed else f"word{number}"
        parts.append(f"# Section {number}\n\n" + f"The {word} of part {number} is told here at length. " * 12)
    return "\n\n".join(parts)
