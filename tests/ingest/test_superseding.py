"""What goes of old versions, and what stays."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from matrix.domain.document_failures import FailureCode, document_failure
from matrix.domain.documents import DeletionPreview, ParsedDocument
from matrix.errors import NotFound, StorageUnavailable
from matrix.graph.database import Database
from matrix.ingest.worker import work_off
from matrix.ports import ParseProgress
from tests.ingest.flow import Flow, new_flow, sections

NUMBERS = """
MATCH (v:DocumentVersion) WHERE v.documentId = $document AND v.number > 0
RETURN v.number AS number, v.id AS id, v.blobsDroppedAt IS NOT NULL AS dropped ORDER BY number
"""


@pytest.fixture
async def flow(database: Database) -> Flow:
    return await new_flow(database)


async def stored(flow: Flow, document_id: str) -> dict[int, int]:
    """How many blobs each version has, by number."""
    versions = await flow.database.read(NUMBERS, document=document_id)
    return {
        row["number"]: len(await flow.blobs.list_prefix(f"{flow.scope.org_id}/{document_id}/{row['id']}/"))
        for row in versions
    }


async def edited(flow: Flow, times: int) -> str:
    for number in range(times):
        document_id = await flow.ingest("a.md", f"{sections(3)}\n\nEdition {number}.")
    return document_id


@pytest.mark.feature("B14")
async def test_the_newest_versions_keep_their_blobs_and_older_ones_do_not(flow: Flow) -> None:
    document_id = await edited(flow, 5)
    assert await stored(flow, document_id) == {1: 0, 2: 0, 3: 2, 4: 2, 5: 2}
    preview = await flow.documents.preview_deletion(flow.scope, None, document_id)
    assert preview == DeletionPreview(documents=1, versions=5, chunks=3, blobs=6, citations=0)
    assert (await flow.documents.preview_deletion(flow.scope, flow.corpus, None)).blobs == 6


class BlindParser:
    """Reads nothing."""

    async def parse(
        self, path: Path, *, name: str, media_type: str, progress: ParseProgress | None = None
    ) -> ParsedDocument:
        raise document_failure(FailureCode.CORRUPT)


@pytest.mark.feature("B14", "B8")
async def test_the_version_that_serves_keeps_its_blobs_however_old_it_is(flow: Flow) -> None:
    await edited(flow, 2)
    blind = dataclasses.replace(flow, ports=dataclasses.replace(flow.ports, parser=BlindParser()))
    for number in range(4):
        document_id = await blind.ingest("a.md", f"unreadable {number}")
    assert (await flow.document(document_id))["servingVersion"] == 2
    assert await stored(flow, document_id) == {1: 0, 2: 2, 3: 0, 4: 1, 5: 1, 6: 1}
    assert "word0" in (await flow.service.parsed(flow.scope, document_id)).text


@pytest.mark.feature("B6")
async def test_a_document_that_could_not_be_read_says_so_when_its_text_is_asked_for(flow: Flow) -> None:
    waiting = await flow.send("b.md", "text")
    with pytest.raises(NotFound, match="still being read"):
        await flow.service.parsed(flow.scope, waiting.document_id or "")
    await work_off(dataclasses.replace(flow.ports, parser=BlindParser()))
    with pytest.raises(NotFound, match="could not be read") as refused:
        await flow.service.parsed(flow.scope, waiting.document_id or "")
    assert "errorReason" in refused.value.advice
    assert flow.scope.org_id not in f"{refused.value.message} {refused.value.advice}"


@pytest.mark.feature("B14")
async def test_the_text_of_a_dropped_version_is_refused_in_plain_words(flow: Flow) -> None:
    document_id = await edited(flow, 4)
    oldest = (await flow.database.read(NUMBERS, document=document_id))[0]
    with pytest.raises(NotFound) as refused:
        await flow.service.parsed(flow.scope, document_id, oldest["id"])
    assert refused.value.message == "The text of version 1 is no longer kept."
    assert oldest["id"] not in f"{refused.value.message} {refused.value.advice}"
    assert "word0" in (await flow.service.parsed(flow.scope, document_id)).text


@pytest.mark.feature("B14")
async def test_how_many_are_kept_is_a_setting(flow: Flow) -> None:
    one = dataclasses.replace(flow, ports=dataclasses.replace(flow.ports, kept_versions=1))
    document_id = await edited(one, 3)
    assert await stored(one, document_id) == {1: 0, 2: 0, 3: 2}


class ForgetfulBlobs:
    """A store that cannot delete for a while."""

    def __init__(self, flow: Flow) -> None:
        self._blobs = flow.blobs
        self.away = True

    def __getattr__(self, name: str) -> object:
        return getattr(self._blobs, name)

    async def delete_prefix(self, prefix: str) -> int:
        if self.away:
            raise StorageUnavailable("The store is away.")
        return await self._blobs.delete_prefix(prefix)


@pytest.mark.feature("B14")
async def test_what_could_not_be_dropped_is_dropped_next_time(flow: Flow) -> None:
    blobs = ForgetfulBlobs(flow)
    ports = dataclasses.replace(flow.ports, blobs=blobs, kept_versions=1)  # type: ignore[arg-type]  # passes all else on
    shaky = dataclasses.replace(flow, ports=ports)
    document_id = await edited(shaky, 3)
    assert (await flow.document(document_id))["status"] == "COMPLETED"
    assert await stored(flow, document_id) == {1: 2, 2: 2, 3: 2}
    blobs.away = False
    await flow.send("a.md", sections(3))
    await work_off(ports)
    assert await stored(flow, document_id) == {1: 0, 2: 0, 3: 0, 4: 2}
