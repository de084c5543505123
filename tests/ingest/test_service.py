from __future__ import annotations

import asyncio

import pytest

from matrix.domain.documents import DocumentStatus, SourceKind
from matrix.domain.retrieval import SearchFilters
from matrix.errors import Conflict, NotFound
from matrix.graph.database import Database
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.ingest.names import document_name, text_name
from matrix.ingest.service import Source, UploadLimits
from matrix.ingest.worker import work_off
from tests.graph.corpora import new_corpus, new_organization
from tests.ingest.flow import Flow, new_flow, pieces, sections


@pytest.fixture
async def flow(database: Database) -> Flow:
    return await new_flow(database, UploadLimits(file_bytes=5000, text_characters=100, pending_jobs=50))


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("a.md", "a.md"),
        ("./docs//a.md", "docs/a.md"),
        ("docs\\sub\\a.md", "docs/sub/a.md"),
        ("/abs/a.md", "abs/a.md"),
        ("u\u0308ber.md", "über.md"),
        ("👩‍🚀.md", "👩‍🚀.md"),
        ("a\u200b\ufeff.md", "a.md"),
    ],
)
def test_a_name_is_cleaned(sent: str, name: str) -> None:
    assert document_name(sent) == name


@pytest.mark.parametrize(
    "sent",
    [
        "",
        " ",
        "/",
        "../a.md",
        "a/../b",
        "a\\..\\b",
        "a\x00.md",
        "a\n.md",
        "gpj\u202eexe.md",
        "x" * 501,
        "\ud800",
        "\u200b",
    ],
)
async def test_a_hostile_name_is_refused(flow: Flow, sent: str) -> None:
    receipt = await flow.send(sent, "text")
    assert (receipt.document_id, receipt.code) == (None, "bad_name")
    assert await flow.blobs.list_prefix("") == []


@pytest.mark.feature("B3")
async def test_a_pasted_text_is_named_after_its_title(flow: Flow) -> None:
    assert text_name("On/Off ") == "On-Off.md"
    receipt = await flow.service.receive_text(flow.scope, flow.corpus, "Opening hours", "# When\n\nWe open at nine.")
    await work_off(flow.ports)
    assert receipt.document_id is not None
    document = await flow.document(receipt.document_id)
    assert (document["name"], document["sourceKind"], document["status"]) == ("Opening hours.md", "TEXT", "COMPLETED")
    assert (await flow.service.receive_text(flow.scope, flow.corpus, "\u200b", "Words.")).code == "bad_name"
    long = await flow.service.receive_text(flow.scope, flow.corpus, "Long", "x" * 101)
    assert long.code == "too_large"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("empty.txt", b"", "empty_file"),
        ("big.txt", b"x" * 5001, "too_large"),
        ("program.exe", b"MZ\x90\x00" * 20, "unsupported_type"),
        ("false.pdf", b"no pdf at all", "unsupported_type"),
    ],
)
async def test_what_is_refused_says_why_and_leaves_nothing(flow: Flow, name: str, data: bytes, code: str) -> None:
    receipt = await flow.send(name, data)
    assert (receipt.code, receipt.document_id) == (code, None)
    assert receipt.error
    assert receipt.advice
    assert await flow.blobs.list_prefix("") == []
    assert await flow.counts() == (0, 0)


async def test_a_corpus_takes_only_the_types_that_it_wants(flow: Flow, database: Database) -> None:
    await database.write("MATCH (k:Knowledge {id: $id}) SET k.acceptedTypes = ['.PDF', 'md']", id=flow.corpus)
    assert (await flow.send("a.markdown", "# text")).error is None
    refused = await flow.send("a.txt", "text")
    assert refused.code == "unsupported_type"
    assert ".md, .pdf" in (refused.error or "")


async def test_too_many_waiting_documents_are_refused(flow: Flow, database: Database) -> None:
    few = await new_flow(database, UploadLimits(pending_jobs=2))
    assert [(await few.send(f"{n}.txt", "x")).code for n in range(3)] == [None, None, "too_many_requests"]


async def test_a_corpus_of_another_organization_does_not_exist(flow: Flow, database: Database) -> None:
    other = await new_corpus(database, await new_organization(database))
    with pytest.raises(NotFound):
        await flow.service.receive(flow.scope, other, "a.md", pieces(b"text"))
    assert await flow.blobs.list_prefix("") == []


@pytest.mark.feature("B8", "B14")
async def test_uploads_of_one_name_at_once_become_versions_in_order(flow: Flow) -> None:
    receipts = await asyncio.gather(*(flow.send("same.md", f"text number {n}") for n in range(6)))
    assert len({receipt.document_id for receipt in receipts}) == 1
    assert sorted(receipt.version or 0 for receipt in receipts) == [1, 2, 3, 4, 5, 6]
    assert len(await flow.blobs.list_prefix("")) == 6
    await work_off(flow.ports)
    document_id = receipts[0].document_id
    assert document_id is not None
    document = await flow.document(document_id)
    assert (document["status"], document["servingVersion"], document["chunkCount"]) == ("COMPLETED", 6, 1)
    last = next(n for n, receipt in enumerate(receipts) if receipt.version == 6)
    assert await flow.texts("text number") == [f"text number {last}"]
    original = await flow.documents.original(flow.scope, document_id)
    assert await flow.blobs.get(original.blob_key) == f"text number {last}".encode()
    assert original.blob_key.split("/")[:2] == [flow.scope.org_id, document_id]


@pytest.mark.feature("B21")
async def test_reprocessing_uses_the_settings_of_now_while_the_old_results_serve(database: Database) -> None:
    flow = await new_flow(database)
    document_id = await flow.ingest("a.md", sections(6))
    assert len(await flow.texts("word3", 20)) == 6
    await database.write("MATCH (k:Knowledge {id: $id}) SET k.chunkSize = 300, k.chunkOverlap = 0", id=flow.corpus)
    receipt = await flow.service.again(flow.scope, document_id)
    assert (receipt.version, receipt.status) == (2, DocumentStatus.PENDING)
    assert len(await flow.texts("word3", 20)) == 6
    with pytest.raises(Conflict):
        await flow.service.again(flow.scope, document_id)
    await work_off(flow.ports)
    assert len(await flow.texts("word3", 20)) == 12
    document = await flow.document(document_id)
    assert document["servingVersion"] == 2
    assert document["chunkCount"] == 12


@pytest.mark.feature("B6")
async def test_cancel_stops_the_work_and_what_served_goes_on(database: Database) -> None:
    flow = await new_flow(database)
    document_id = await flow.ingest("a.md", sections(3))
    await flow.send("a.md", sections(3, changed=1))
    lease = await flow.claim()
    await flow.ports.versions.to_process(lease)
    assert await flow.documents.cancel(flow.scope, document_id) is DocumentStatus.CANCELLED
    await work_off(flow.ports)
    document = await flow.document(document_id)
    assert (document["status"], document["servingVersion"], document["version"]) == ("CANCELLED", 1, 2)
    assert len(await flow.words("word1")) == 1
    with pytest.raises(Conflict):
        await flow.documents.cancel(flow.scope, document_id)
    await flow.service.again(flow.scope, document_id)
    await work_off(flow.ports)
    assert (await flow.document(document_id))["status"] == "COMPLETED"
    assert len(await flow.words("edited1")) == 1


async def test_the_parsed_text_is_kept_for_citations(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", "# Title\n\nThe moon is far away.")
    parsed = await flow.service.parsed(flow.scope, document_id)
    assert "The moon is far away." in parsed.text
    await flow.send("a.md", "Not processed yet.")
    assert await flow.service.parsed(flow.scope, document_id) == parsed


async def test_a_page_is_told_from_a_file(flow: Flow) -> None:
    source = Source(SourceKind.URL, "https://example.org/guide")
    html = b"<!doctype html><html><body><p>The valve is stuck.</p></body></html>"
    await flow.service.receive(flow.scope, flow.corpus, "guide.html", pieces(html), source=source)
    await work_off(flow.ports)
    vector = await flow.embedder.embed_query("valve")
    store = KnowledgeVectors(flow.database)
    urls = SearchFilters(source_kinds=("URL",))
    (hit,) = await store.search(flow.scope, [flow.corpus], vector, urls, 5)
    assert hit.source.url == "https://example.org/guide#:~:text=The%20valve%20is%20stuck."
    assert await store.search(flow.scope, [flow.corpus], vector, SearchFilters(source_kinds=("FILE",)), 5) == []
