"""Organizations, corpora and documents to test the stores with: made by the shortest way that the real flow has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from matrix.domain.access import Role, Scope
from matrix.domain.documents import Chunk, EmbeddedChunk, NewVersion, ParsedDocument, PlacedChunk, Receipt
from matrix.domain.ids import chunk_id, new_id
from matrix.domain.jobs import JobKind, Lease
from matrix.graph.access.audiences import ensure_org_audience, everyone_in
from matrix.graph.database import Database
from matrix.graph.documents.documents import Documents
from matrix.graph.documents.jobs import Jobs
from matrix.graph.documents.versions import Versions

MAKE_ORGANIZATION = """
CREATE (o:Entity:Organization {id: $org, entityType: 'Organization', orgId: $org, key: 'o' + $org, slug: 'o' + $org,
  createdAt: datetime(), updatedAt: datetime()})
CREATE (u:Entity:User {id: $user, entityType: 'User', orgId: 'platform', createdAt: datetime(), updatedAt: datetime()})
CREATE (u)-[:MEMBER_OF {role: 'OWNER'}]->(o)
"""

MAKE_CORPUS = """
CREATE (k:Entity:Knowledge {id: $id, entityType: 'Knowledge', orgId: $org, key: 'k' + $id, name: 'Corpus',
  chunkCount: 0, documentCount: 0, createdAt: datetime(), updatedAt: datetime()})
"""


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores on one database."""

    database: Database
    documents: Documents
    versions: Versions
    jobs: Jobs


def stores_on(database: Database) -> Stores:
    return Stores(database, Documents(database), Versions(database), Jobs(database))


async def new_organization(database: Database) -> Scope:
    """An organization with its audience and one owner, as the owner's scope."""
    org, user = new_id(), new_id()
    await database.write(MAKE_ORGANIZATION, org=org, user=user)
    await database.write_together(lambda tx: ensure_org_audience(tx, org))
    return Scope(org, user, Role.OWNER, (everyone_in(org),), (org, user))


async def new_corpus(database: Database, scope: Scope) -> str:
    corpus = new_id()
    await database.write(MAKE_CORPUS, id=corpus, org=scope.org_id)
    return corpus


async def upload(
    stores: Stores, scope: Scope, corpus: str, name: str, content: str, *, size: int | None = None
) -> Receipt:
    """A version that waits for its job, as the service adds it (without a blob, so that `size` may be any)."""
    rules = await stores.documents.upload_rules(scope, corpus, name)
    document, version = rules.document_id or new_id(), new_id()
    sha = hashlib.sha256(content.encode()).hexdigest()
    key = f"{scope.org_id}/{document}/{version}/{sha}"
    new = NewVersion(document, version, name, sha, len(content) if size is None else size, "text/plain", key)
    return await stores.documents.add_version(scope, corpus, new)


async def claim(stores: Stores, subject_id: str | None = None, *, worker: str = "w1", seconds: float = 60) -> Lease:
    """The lease of the next due job."""
    lease = await stores.jobs.claim(worker, seconds)
    assert lease is not None
    assert subject_id is None or lease.subject_id == subject_id
    return lease


def parsed(text: str, title: str | None = None, language: str | None = "en") -> ParsedDocument:
    return ParsedDocument(text=text, blocks=(), media_type="text/plain", title=title, language=language)


def placed_lines(document_id: str, text: str) -> tuple[PlacedChunk, ...]:
    """A passage a line: enough structure for tests of the stores."""
    placed, start = [], 0
    for position, line in enumerate(text.splitlines()):
        chunk = Chunk(position, line, start, start + len(line), page=1, section_path=("Part",), context="Part")
        placed.append(PlacedChunk(chunk_id(document_id, chunk.embedded_text, position), chunk))
        start += len(line) + 1
    return tuple(placed)


async def ingest_lines(
    stores: Stores, lease: Lease, text: str, vectors: Sequence[list[float]], embedder: str = "fake-384"
) -> None:
    """The flow of an INGEST job with made-up vectors, one a line."""
    assert lease.kind is JobKind.INGEST
    version = await stores.versions.to_process(lease)
    placed = placed_lines(version.document_id, text)
    known = await stores.versions.place_chunks(lease, version, placed)
    new = [EmbeddedChunk(one, vectors[one.chunk.position]) for one in placed if one.id not in known]
    await stores.versions.write_chunks(lease, version, parsed(text), new, embedder)
    await stores.versions.go_live(lease, version, parsed(text), len(placed))
    await stores.versions.tidy(lease, version.document_id)
    await stores.jobs.finish(lease)
