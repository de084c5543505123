"""Corpora of made-up passages, written by the stores that a worker writes with: the same nodes, in the same
transactions. Only the reading of files and the embedding are left out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.made_up import MadeUp, Vectors
from matrix.domain.access import Scope
from matrix.domain.documents import Chunk, EmbeddedChunk, NewVersion, ParsedDocument, PlacedChunk
from matrix.domain.ids import chunk_id, new_id
from matrix.domain.jobs import JobKind, Lease
from matrix.graph.database import Database
from matrix.graph.documents.documents import Documents
from matrix.graph.documents.jobs import Jobs
from matrix.graph.documents.versions import Versions
from matrix.plugins.embedders.minilm import MiniLmEmbedder

LEASE = 3600.0
PARSED = ParsedDocument("", (), "text/plain", title="Made up", language="en")


@dataclass(eq=False)
class Corpus:
    """What is in a corpus, for who searches it exactly: vectors by chunk id, and the documents with their chunks."""

    scope: Scope
    id: str
    documents: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)

    def matrix(self, documents: Iterable[str] | None = None) -> tuple[list[str], Vectors]:
        """Ids and vectors, row by row, of these documents or all."""
        ids = [one for document in documents or self.documents for one in self.documents[document]]
        return ids, np.stack([self.vectors[one] for one in ids])


class Filler:
    """Writes documents with made-up passages into corpora of one database, as the only worker on it."""

    def __init__(self, database: Database, made_up: MadeUp) -> None:
        self._documents, self._jobs, self._versions = Documents(database), Jobs(database), Versions(database)
        self._made_up = made_up
        self._texts: dict[str, str] = {}

    async def fill(self, corpus: Corpus, chunks: int, document: int = 500, audience: Sequence[str] = ()) -> list[str]:
        """`chunks` more passages, `document` of them a document; the ids of the documents."""
        sizes = [min(document, chunks - start) for start in range(0, chunks, document)]
        return [await self.add_document(corpus, f"made-up-{new_id()}.txt", size, audience) for size in sizes]

    async def add_document(self, corpus: Corpus, name: str, chunks: int, audience: Sequence[str] = ()) -> str:
        """The id of a new document of `chunks` passages, shown to `audience` (nobody named: to all)."""
        document = new_id()
        await self._write(corpus, document, name, [self._made_up.text() for _ in range(chunks)], audience)
        return document

    async def replace(self, corpus: Corpus, document: str, share: float) -> None:
        """A new version in which a share of the passages, evenly spread, has other text and other vectors."""
        texts = [self._texts[id] for id in corpus.documents[document]]
        due = 0.0
        for place in range(len(texts)):
            due += share
            if due >= 1:
                due -= 1
                texts[place] = self._made_up.text()
        await self._write(corpus, document, corpus.names[document], texts)

    async def _write(
        self, corpus: Corpus, document: str, name: str, texts: list[str], audience: Sequence[str] = ()
    ) -> None:
        new = _new_version(corpus.scope, document, name, texts)
        await self._documents.add_version(corpus.scope, corpus.id, new)
        lease = await self._claim(new.version_id)
        if audience:
            await self._documents.set_audience(corpus.scope, document, audience)
        version = await self._versions.to_process(lease)
        placed = _place(document, texts)
        known = await self._versions.place_chunks(lease, version, placed)
        fresh = [one for one in placed if one.id not in known]
        vectors = dict(zip([one.id for one in fresh], self._made_up.vectors(len(fresh)), strict=True))
        embedded = [EmbeddedChunk(one, vectors[one.id].tolist()) for one in fresh]
        await self._versions.write_chunks(lease, version, PARSED, embedded, MiniLmEmbedder.name)
        await self._versions.go_live(lease, version, PARSED, len(placed))
        await self._versions.tidy(lease, document)
        await self._jobs.finish(lease)
        self._note(corpus, document, name, placed, vectors)

    def _note(
        self, corpus: Corpus, document: str, name: str, placed: list[PlacedChunk], vectors: dict[str, Vectors]
    ) -> None:
        ids = [one.id for one in placed]
        for gone in set(corpus.documents.get(document, ())) - set(ids):
            del corpus.vectors[gone], self._texts[gone]
        corpus.documents[document], corpus.names[document] = ids, name
        corpus.vectors |= vectors
        self._texts |= {one.id: one.chunk.text for one in placed}

    async def _claim(self, version: str) -> Lease:
        """The lease of this version's job, after the chores that were due before it."""
        while lease := await self._jobs.claim("filler", LEASE):
            if lease.kind is JobKind.INGEST and lease.subject_id == version:
                return lease
            if lease.kind is not JobKind.TIDY:
                break
            await self._versions.tidy(lease, lease.subject_id)
            await self._jobs.finish(lease)
        raise RuntimeError("Somebody else works on this database.")


def _new_version(scope: Scope, document: str, name: str, texts: list[str]) -> NewVersion:
    version, size = new_id(), sum(map(len, texts))
    sha = hashlib.sha256("\n\n".join(texts).encode()).hexdigest()
    return NewVersion(document, version, name, sha, size, "text/plain", f"{scope.org_id}/{document}/{version}/{sha}")


def _place(document: str, texts: list[str]) -> list[PlacedChunk]:
    placed, start = [], 0
    for position, text in enumerate(texts):
        chunk = Chunk(position, text, start, start + len(text), language="en")
        placed.append(PlacedChunk(chunk_id(document, chunk.embedded_text, 0), chunk))
        start += len(text) + 2
    return placed
