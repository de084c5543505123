"""What fails, what waits, and what goes on serving."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from matrix.domain.documents import ParsedDocument
from matrix.errors import DocumentError, MatrixError, ProviderRefused, ProviderUnavailable
from matrix.graph.database import Database
from matrix.ingest.worker import process, work_off
from matrix.ports import ParseProgress
from tests.fakes.embedder import FakeEmbedder
from tests.ingest.flow import Flow, new_flow, sections


class TroubledEmbedder(FakeEmbedder):
    """Fails with `trouble` after so many batches."""

    def __init__(self, trouble: Exception, after: int = 0) -> None:
        super().__init__()
        self.trouble: Exception | None = trouble
        self._left = after

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if self.trouble is not None and self._left == 0:
            raise self.trouble
        self._left -= 1
        return await super().embed_documents(texts)


class RefusingParser:
    """Cannot read anything."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def parse(
        self, path: Path, *, name: str, media_type: str, progress: ParseProgress | None = None
    ) -> ParsedDocument:
        raise self._error


@pytest.fixture
async def flow(database: Database) -> Flow:
    return await new_flow(database)


@pytest.mark.feature("B7")
async def test_an_outage_is_no_failure_and_keeps_what_is_done(flow: Flow) -> None:
    receipt = await flow.send("a.md", sections(70))
    assert receipt.document_id is not None
    embedder = TroubledEmbedder(ProviderUnavailable("429", retry_after=0.05), after=1)
    ports = dataclasses.replace(flow.ports, embedder=embedder)

    await process(ports, await flow.claim())
    document = await flow.document(receipt.document_id)
    assert (document["status"], document["step"]) == ("PROCESSING", "waiting: 429")
    assert embedder.embedded == 64
    assert await flow.texts("word3") == []

    embedder.trouble = None
    lease = None
    while lease is None:
        lease = await flow.ports.jobs.claim("later", 60)
    assert lease.retries == 1
    await process(ports, lease)
    document = await flow.document(receipt.document_id)
    assert (document["status"], document["chunksEmbedded"], embedder.embedded) == ("COMPLETED", 70, 70)


@pytest.mark.feature("B6", "B8")
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DocumentError("It is locked.", code="encrypted", advice="Remove the password."), "encrypted"),
        (RuntimeError("a fault of ours"), "internal_error"),
    ],
)
async def test_a_document_that_cannot_be_read_fails_once_and_the_old_one_serves(
    flow: Flow, error: Exception, code: str
) -> None:
    document_id = await flow.ingest("a.md", sections(3))
    await flow.send("a.md", sections(3, changed=1))
    await work_off(dataclasses.replace(flow.ports, parser=RefusingParser(error)))

    document = await flow.document(document_id)
    assert (document["status"], document["errorCode"], document["servingVersion"]) == ("FAILED", code, 1)
    assert document["errorReason"]
    assert document["errorAdvice"]
    assert await flow.ports.jobs.claim("w", 60) is None
    assert len(await flow.words("word1")) == 1
    assert await flow.counts() == (1, 3)

    await flow.send("a.md", sections(3, changed=1))
    await work_off(flow.ports)
    document = await flow.document(document_id)
    assert (document["status"], document["version"], "errorCode" in document) == ("COMPLETED", 3, False)


@pytest.mark.feature("B8")
async def test_a_failure_in_the_middle_leaves_no_passage_behind(flow: Flow, database: Database) -> None:
    document_id = await flow.ingest("a.md", sections(2))
    await flow.send("a.md", sections(70, first=10))
    embedder = TroubledEmbedder(ProviderRefused("The key is wrong."), after=1)
    await work_off(dataclasses.replace(flow.ports, embedder=embedder))
    assert (await flow.document(document_id))["errorCode"] == "provider_refused"
    row = await database.read_one("MATCH (c:KnowledgeChunk) WHERE c.scopeId = $id RETURN count(c) AS n", id=flow.corpus)
    assert row is not None
    assert row["n"] == 2


async def test_an_older_version_that_finishes_late_never_replaces_a_newer_one(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", "first words")
    await flow.send("a.md", "second words")
    late = await flow.claim()
    await flow.send("a.md", "third words")
    await work_off(flow.ports)
    await process(flow.ports, late)
    document = await flow.document(document_id)
    assert (document["servingVersion"], document["status"]) == (3, "COMPLETED")
    assert await flow.texts("words") == ["third words"]


async def test_a_lost_original_is_a_failure_that_says_what_to_do(flow: Flow) -> None:
    receipt = await flow.send("a.md", "text")
    assert receipt.document_id is not None
    await flow.blobs.delete_prefix(f"{flow.scope.org_id}/")
    await work_off(flow.ports)
    assert (await flow.document(receipt.document_id))["errorCode"] == "original_gone"
    with pytest.raises(MatrixError, match="original is gone"):
        await flow.service.again(flow.scope, receipt.document_id)


@pytest.mark.feature("B8", "B9")
async def test_the_good_bytes_again_put_a_failed_version_right(flow: Flow) -> None:
    document_id = await flow.ingest("a.md", sections(5))
    embedded = flow.embedder.embedded
    await flow.send("a.md", sections(5, changed=1))
    await work_off(dataclasses.replace(flow.ports, parser=RefusingParser(DocumentError("Broken.", code="corrupt"))))
    assert (await flow.document(document_id))["status"] == "FAILED"

    receipt = await flow.send("a.md", sections(5))
    await work_off(flow.ports)
    document = await flow.document(document_id)
    assert (receipt.version, receipt.unchanged) == (3, False)
    assert (document["status"], document["servingVersion"], document.get("errorCode")) == ("COMPLETED", 3, None)
    assert flow.embedder.embedded == embedded
