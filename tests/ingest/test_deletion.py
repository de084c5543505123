"""Deletion from the request to the proof, on the whole flow."""

from __future__ import annotations

import dataclasses

import pytest

from matrix.domain.access import Role
from matrix.domain.documents import DeletionPreview
from matrix.errors import LeaseLost, NotAllowed, NotFound, StorageUnavailable
from matrix.graph.database import Database
from matrix.ingest.deletion_log import replay_deletions
from matrix.ingest.purging import reap_blobs
from matrix.ingest.worker import process, work_off
from tests.graph.corpora import new_organization
from tests.ingest.flow import Flow, new_flow, pieces, sections

CITE = """
MATCH (c:KnowledgeChunk)<-[:HAS_CHUNK]-(v:DocumentVersion) WHERE c.documentId = $document
WITH c, v LIMIT 1
CREATE (x:Entity:Citation {id: $id, entityType: 'Citation', orgId: c.orgId, documentId: c.documentId,
  knowledgeId: c.scopeId, versionId: v.id, chunkId: c.id, quote: 'word', state: 'CURRENT'})-[:CITES]->(c)
"""
CITATION = "MATCH (x:Citation:Entity {id: $id}) RETURN x.quote AS quote, x.state AS state"
NAMED = (
    "MATCH (n:Entity) WHERE $id IN [n.id, n.documentId, n.knowledgeId, n.scopeId, n.subjectId] RETURN labels(n) AS l"
)


@pytest.fixture
async def flow(database: Database) -> Flow:
    return await new_flow(database)


@pytest.mark.feature("B10")
async def test_a_deleted_document_is_hidden_at_once_and_then_gone(flow: Flow, database: Database) -> None:
    document_id = await flow.ingest("a.md", sections(5))
    await flow.ingest("b.md", "word3 of another document")
    await database.write(CITE, document=document_id, id=f"x{document_id}")
    preview = await flow.documents.preview_deletion(flow.scope, None, document_id)
    assert preview == DeletionPreview(documents=1, versions=1, chunks=5, blobs=2, citations=1)
    assert len(await flow.texts("word3")) == 6

    receipt = await flow.service.delete_document(flow.scope, document_id)
    assert await flow.texts("word3") == await flow.words("word3") == ["word3 of another document"]
    assert await flow.counts() == (1, 1)
    with pytest.raises(NotFound):
        await flow.documents.original(flow.scope, document_id)
    assert receipt.purged_at is None

    await work_off(flow.ports)
    done = await flow.documents.receipt(flow.scope, receipt.id)
    assert done.counts == {"documents": 1, "versions": 1, "chunks": 5, "citations": 1}
    assert done.remaining == {"documents": 0, "versions": 0, "chunks": 0, "citations": 0, "blobs": 0}
    assert done.purged_at is not None
    assert [row["l"] for row in await database.read(NAMED, id=document_id)] == [
        ["Entity", "Citation"],
        ["Entity", "DeletionReceipt"],
    ]
    assert await database.read(CITATION, id=f"x{document_id}") == [{"quote": "", "state": "DELETED"}]
    assert await flow.blobs.list_prefix(f"{flow.scope.org_id}/{document_id}/") == []


@pytest.mark.feature("B10")
async def test_a_deleted_corpus_goes_with_all_that_is_in_it(flow: Flow, database: Database) -> None:
    await flow.ingest("a.md", sections(3))
    await flow.ingest("b.md", sections(2))
    waiting = await flow.send("c.md", "never processed")
    receipt = await flow.service.delete_knowledge(flow.scope, flow.corpus)
    assert await flow.texts("word1") == await flow.words("word1") == []
    with pytest.raises(NotFound):
        await flow.service.receive(flow.scope, flow.corpus, "d.md", pieces(b""))
    with pytest.raises(NotFound):
        await flow.documents.cancel(flow.scope, waiting.document_id or "")

    await work_off(flow.ports)
    done = await flow.documents.receipt(flow.scope, receipt.id)
    assert done.counts["documents"] == 3
    assert set(done.remaining.values()) == {0}
    assert done.purged_at is not None
    assert [row["l"] for row in await database.read(NAMED, id=flow.corpus)] == [["Entity", "DeletionReceipt"]]
    assert await flow.blobs.list_prefix(f"{flow.scope.org_id}/") == []


@pytest.mark.feature("B10")
async def test_the_tombstone_wins_over_a_worker_in_the_middle(flow: Flow) -> None:
    await flow.send("a.md", sections(5))
    lease = await flow.claim()
    document_id = (await flow.ports.versions.to_process(lease)).document_id
    receipt = await flow.service.delete_document(flow.scope, document_id)
    with pytest.raises(LeaseLost):
        await process(flow.ports, lease)
    await work_off(flow.ports)
    with pytest.raises(LeaseLost):
        await process(flow.ports, lease)
    assert (await flow.documents.receipt(flow.scope, receipt.id)).purged_at is not None


async def test_the_name_of_a_deleted_document_is_free_at_once(flow: Flow) -> None:
    old = await flow.ingest("a.md", "the old text")
    await flow.service.delete_document(flow.scope, old)
    new = await flow.ingest("a.md", "the new text")
    assert new != old
    assert await flow.texts("text") == ["the new text"]
    assert await flow.counts() == (1, 1)


@pytest.mark.feature("B10", "C7")
async def test_a_corpus_that_holds_what_one_may_not_see_is_an_administrators_to_delete(flow: Flow) -> None:
    hidden = await flow.ingest("hidden.md", "of the few")
    await flow.documents.set_audience(flow.scope, hidden, [flow.scope.user_id])
    shown = await flow.ingest("shown.md", "of all")
    editor = dataclasses.replace(flow.scope, role=Role.EDITOR, user_id="another")
    for attempt in (
        flow.documents.preview_deletion(editor, flow.corpus, None),
        flow.service.delete_knowledge(editor, flow.corpus),
    ):
        with pytest.raises(NotAllowed, match="administrator"):
            await attempt
    assert await flow.counts() == (2, 2)
    assert await flow.texts("all") == ["of all"]
    await work_off(flow.ports)
    assert (await flow.document(shown))["name"] == "shown.md"
    admin = dataclasses.replace(editor, role=Role.ADMIN)
    assert (await flow.documents.preview_deletion(admin, flow.corpus, None)).documents == 2
    await flow.service.delete_knowledge(admin, flow.corpus)
    assert await flow.texts("all") == []


@pytest.mark.feature("B10")
async def test_a_receipt_is_read_by_who_asked_for_it_and_by_administrators(flow: Flow) -> None:
    editor = dataclasses.replace(flow.scope, role=Role.EDITOR)
    receipt = await flow.service.delete_document(editor, await flow.ingest("a.md", "text"))
    assert (await flow.documents.receipt(editor, receipt.id)).id == receipt.id
    other = dataclasses.replace(editor, user_id="another")
    with pytest.raises(NotFound):
        await flow.documents.receipt(other, receipt.id)
    assert (await flow.documents.receipt(dataclasses.replace(other, role=Role.ADMIN), receipt.id)).id == receipt.id


async def test_nobody_deletes_for_another_organization(flow: Flow, database: Database) -> None:
    document_id = await flow.ingest("a.md", "text")
    stranger = await new_organization(database)
    for attempt in (
        flow.service.delete_document(stranger, document_id),
        flow.service.delete_knowledge(stranger, flow.corpus),
        flow.documents.preview_deletion(stranger, flow.corpus, None),
        flow.service.again(stranger, document_id),
        flow.documents.rename(stranger, document_id, "b.md"),
        flow.documents.set_tags(stranger, document_id, ["x"]),
        flow.documents.set_audience(stranger, document_id, [stranger.org_id]),
    ):
        with pytest.raises(NotFound):
            await attempt
    receipt = await flow.service.delete_document(flow.scope, document_id)
    with pytest.raises(NotFound):
        await flow.documents.receipt(stranger, receipt.id)


@pytest.mark.feature("B10")
async def test_a_restored_database_is_brought_up_to_date_by_the_log(flow: Flow, database: Database) -> None:
    document_id = await flow.ingest("a.md", "text")
    receipt = await flow.service.delete_document(flow.scope, document_id)
    await database.write(  # as if restored from before the deletion
        "MATCH (d:KnowledgeDocument:Entity {id: $id}) REMOVE d.deletedAt SET d.nameKey = d.name", id=document_id
    )
    await database.write(
        "MATCH (n:DeletionReceipt|IngestJob) WHERE n.orgId = $org DETACH DELETE n", org=flow.scope.org_id
    )
    assert await flow.texts("text") == ["text"]

    assert await replay_deletions(flow.blobs, flow.ports.deletions) == 1
    assert await replay_deletions(flow.blobs, flow.ports.deletions) == 0
    assert await flow.texts("text") == []
    await work_off(flow.ports)
    assert (await flow.documents.receipt(flow.scope, receipt.id)).purged_at is not None


async def test_the_reaper_takes_only_blobs_without_a_version(flow: Flow) -> None:
    await flow.ingest("a.md", "text")
    kept = await flow.blobs.list_prefix("")
    old, young = "0190000000007000800000000000000a", "ffff000000007000800000000000000a"
    for version in (old, young):
        await flow.blobs.put(f"{flow.scope.org_id}/doc/{version}/hash", b"x")
    assert await reap_blobs(flow.blobs, flow.ports.deletions, 3600) == 1
    assert await flow.blobs.list_prefix("") == sorted([*kept, f"{flow.scope.org_id}/doc/{young}/hash"])


async def test_a_store_that_is_out_puts_the_purge_off(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", "text")
    receipt = await flow.service.delete_document(flow.scope, document_id)
    await process(dataclasses.replace(flow.ports, blobs=_BrokenBlobs()), await flow.claim())  # type: ignore[arg-type]
    assert (await flow.documents.receipt(flow.scope, receipt.id)).purged_at is None


class _BrokenBlobs:
    async def put(self, key: str, data: bytes) -> None:
        raise StorageUnavailable("out")
