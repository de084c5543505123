"""A new version of a document and its job, in one transaction: the document found or made by its name, locked, given
its next number. Two uploads of one name at once become versions in order."""

from __future__ import annotations

import unicodedata

from matrix.domain.access import Scope
from matrix.domain.documents import DocumentStatus, NewVersion, Receipt
from matrix.domain.jobs import JobKind
from matrix.errors import Conflict, DocumentChanged, NotFound
from matrix.graph.access.audiences import everyone_in
from matrix.graph.database import Row, Transaction
from matrix.graph.documents.corpus_counts import counts_changed
from matrix.graph.documents.jobs import add_job

FIND_CORPUS = """
MATCH (k:Knowledge:Entity {id: $knowledge})
WHERE k.orgId = $org AND k.deletedAt IS NULL AND coalesce(k.audienceId, $everyone) IN $audiences
RETURN k.id AS id, coalesce(k.audienceId, $everyone) AS audience, coalesce(k.chunkSize, 2000) AS size,
  coalesce(k.chunkOverlap, 200) AS overlap, coalesce(k.chunkUnit, 'CHARACTERS') AS unit,
  coalesce(k.chunkingStrategy, 'RECURSIVE') AS strategy, coalesce(k.acceptedTypes, []) AS acceptedTypes
"""

# The constraint on (knowledgeId, nameKey) makes the second of two at once wait here, and then find the first's.
FIND_OR_MAKE_DOCUMENT = """
MATCH (k:Knowledge:Entity {id: $knowledge})
MERGE (d:KnowledgeDocument {knowledgeId: $knowledge, nameKey: $name})
ON CREATE SET d:Entity, d.id = $document, d.entityType = 'KnowledgeDocument', d.orgId = $org, d.name = $name,
  d.audienceId = $audience, d.tags = [], d.version = 0, d.chunkCount = 0, d.graphStatus = 'NONE',
  d.createdAt = datetime.realtime()
SET d.locked = true
MERGE (k)-[:HAS_DOCUMENT]->(d)
RETURN d.id AS id
"""

LOCK_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
WHERE d.orgId = $org
SET d.locked = true
RETURN d.knowledgeId AS knowledge
"""

STATE_OF_DOCUMENT = """
MATCH (d:KnowledgeDocument:Entity {id: $document})<-[:HAS_DOCUMENT]-(k:Knowledge)
WHERE d.deletedAt IS NULL AND k.deletedAt IS NULL
RETURN d.name AS name, d.version AS version, d.status AS status, d.audienceId AS audience, COLLECT {
  MATCH (d)-[:HAS_VERSION]->(v:DocumentVersion) WHERE NOT v.status IN ['FAILED', 'CANCELLED']
  RETURN {number: v.number, sha256: v.sha256, status: v.status} ORDER BY v.number DESC LIMIT 1 } AS newest
"""

CREATE_VERSION = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
CREATE (v:Entity:DocumentVersion {id: $version, entityType: 'DocumentVersion', orgId: $org, documentId: $document,
  knowledgeId: d.knowledgeId, number: $number, status: 'PENDING', createdBy: $user,
  createdAt: datetime.realtime(), updatedAt: datetime.realtime()})
SET v += $bytes, v += $chunking
CREATE (d)-[:HAS_VERSION]->(v)
SET d.version = $number, d.status = 'PENDING', d.step = 'waiting', d.progress = 0.0,
  d.mediaType = $bytes.mediaType, d.size = $bytes.size, d.sha256 = $bytes.sha256, d.sourceKind = $bytes.sourceKind,
  d.sourceUrl = $bytes.sourceUrl, d.warnings = [], d.chunksEmbedded = 0, d.chunksReused = 0,
  d.updatedAt = datetime.realtime()
REMOVE d.errorCode, d.errorReason, d.errorAdvice
"""

SHOW_JOB = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.jobId = $job
"""

FIND_UNDELETED = """
MATCH (d:KnowledgeDocument:Entity {id: $document}) WHERE d.deletedAt IS NULL RETURN d.id AS id
"""


async def add_version(tx: Transaction, scope: Scope, knowledge_id: str, new: NewVersion) -> Receipt:
    """The version, or nothing where the newest one that did not fail has the same bytes.

    Errors: NotFound (no such corpus); DocumentChanged when the name now belongs to another document than
    `new.document_id`: store the bytes under that one and try again.
    """
    corpus = await corpus_of(tx, scope, knowledge_id)
    name = unicodedata.normalize("NFC", new.name)
    made = await tx.one(
        FIND_OR_MAKE_DOCUMENT,
        knowledge=knowledge_id,
        name=name,
        document=new.document_id,
        org=scope.org_id,
        audience=corpus["audience"],
    )
    if made is None or made["id"] != new.document_id:
        raise DocumentChanged("The name belongs to another document by now.")
    try:
        state = await _visible_state(tx, scope, new.document_id)
    except NotFound:
        if await tx.one(FIND_UNDELETED, document=new.document_id) is None:
            raise DocumentChanged("The document was deleted just now; its name is free.") from None
        raise Conflict(f"The name {name} cannot be used in this corpus.", advice="Choose another name.") from None
    # Who sends the good bytes again after a version that failed, or was stopped, wants that one out of the way.
    current = next(iter(state["newest"]), None)
    if current and current["number"] == state["version"] and current["sha256"] == new.sha256:
        return _unchanged(name, new.document_id, current)
    return await _create(tx, scope, corpus, new, name=name, number=state["version"] + 1)


async def add_version_again(tx: Transaction, scope: Scope, new: NewVersion) -> Receipt:
    """A version from the same bytes, with the settings that the corpus has now.

    Errors: NotFound; Conflict while the newest version is still at work.
    """
    document = await tx.one(LOCK_DOCUMENT, document=new.document_id, org=scope.org_id)
    if document is None:
        raise NotFound("There is no such document.")
    state = await _visible_state(tx, scope, new.document_id)
    if state["status"] in ("PENDING", "PROCESSING"):
        raise Conflict("The document is being processed already.", advice="Wait until it is done, or cancel it first.")
    corpus = await corpus_of(tx, scope, document["knowledge"])
    return await _create(tx, scope, corpus, new, name=state["name"], number=state["version"] + 1)


async def corpus_of(tx: Transaction, scope: Scope, knowledge_id: str) -> Row:
    """The corpus as an upload needs it. Errors: NotFound."""
    everyone = everyone_in(scope.org_id)
    row = await tx.one(
        FIND_CORPUS, knowledge=knowledge_id, org=scope.org_id, everyone=everyone, audiences=list(scope.audiences)
    )
    if row is None:
        raise NotFound("There is no such corpus.")
    return row


async def _visible_state(tx: Transaction, scope: Scope, document_id: str) -> Row:
    state = await tx.one(STATE_OF_DOCUMENT, document=document_id)
    if state is None or state["audience"] not in scope.audiences:
        raise NotFound("There is no such document.")
    return state


async def _create(tx: Transaction, scope: Scope, corpus: Row, new: NewVersion, *, name: str, number: int) -> Receipt:
    await tx.run(
        CREATE_VERSION,
        document=new.document_id,
        version=new.version_id,
        org=scope.org_id,
        user=scope.user_id,
        number=number,
        bytes=_bytes(new),
        chunking=_chunking(corpus),
    )
    knowledge_id = corpus["id"]
    job = await add_job(
        tx,
        JobKind.INGEST,
        org_id=scope.org_id,
        subject_id=new.version_id,
        document_id=new.document_id,
        knowledge_id=knowledge_id,
        size=new.size,
    )
    await tx.run(SHOW_JOB, document=new.document_id, job=job)
    await counts_changed(tx, knowledge_id)
    return Receipt(name, new.document_id, number, DocumentStatus.PENDING, job)


def _bytes(new: NewVersion) -> dict[str, object]:
    return {
        "sha256": new.sha256,
        "size": new.size,
        "mediaType": new.media_type,
        "blobKey": new.blob_key,
        "sourceKind": new.source_kind,
        "sourceUrl": new.source_url,
    }


def _chunking(corpus: Row) -> dict[str, object]:
    return {
        "chunkSize": int(corpus["size"]),
        "chunkOverlap": int(corpus["overlap"]),
        "chunkUnit": corpus["unit"],
        "chunkingStrategy": corpus["strategy"],
    }


def _unchanged(name: str, document_id: str, newest: Row) -> Receipt:
    return Receipt(name, document_id, newest["number"], DocumentStatus(newest["status"]), unchanged=True)
