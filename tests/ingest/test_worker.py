from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

import pytest

from matrix.domain.jobs import QUICK_BYTES, Lease
from matrix.errors import DatabaseUnavailable
from matrix.graph.database import Database
from matrix.graph.documents.jobs import Jobs
from matrix.ingest.worker import WorkerRhythm, run_worker
from tests.fakes.embedder import FakeEmbedder
from tests.ingest.flow import Flow, new_flow

RHYTHM = WorkerRhythm(concurrency=3, lease=0.6, heartbeat=0.1, poll=0.05, stop_within=5, count_every=0.1)


@pytest.fixture
async def flow(database: Database) -> Flow:
    return await new_flow(database)


async def until(flow: Flow, ids: Sequence[str | None], status: str) -> None:
    async with asyncio.timeout(60):
        while True:
            documents = [await flow.document(one or "") for one in ids]
            if all(document["status"] == status for document in documents):
                return
            await asyncio.sleep(0.05)


class SlowEmbedder(FakeEmbedder):
    """Waits until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.started, self.go = asyncio.Event(), asyncio.Event()

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        self.started.set()
        await self.go.wait()
        return await super().embed_documents(texts)


class BookEmbedder(FakeEmbedder):
    """Embeds all but what is of a book; that waits until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.books, self.go = 0, asyncio.Event()

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if any("chapter" in text for text in texts):
            self.books += 1
            await self.go.wait()
        return await super().embed_documents(texts)


class ShakyJobs(Jobs):
    """A queue on a database that is away for the first few claims."""

    away = 3

    async def claim(self, worker: str, lease_seconds: float, *, quick_only: bool = False) -> Lease | None:
        if self.away:
            self.away -= 1
            raise DatabaseUnavailable("gone")
        return await super().claim(worker, lease_seconds, quick_only=quick_only)


@pytest.mark.feature("B7")
async def test_a_worker_does_all_that_waits_and_survives_the_database(flow: Flow, database: Database) -> None:
    receipts = [await flow.send(f"{number}.txt", f"text {number}") for number in range(7)]
    jobs, stop = ShakyJobs(database), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(run_worker(dataclasses.replace(flow.ports, jobs=jobs), RHYTHM, stop))
        await until(flow, [receipt.document_id for receipt in receipts], "COMPLETED")
        stop.set()
    assert jobs.away == 0
    assert await flow.counts() == (7, 7)


@pytest.mark.feature("B7", "B10")
async def test_a_small_file_and_a_deletion_end_while_books_hold_every_other_slot(
    flow: Flow, database: Database
) -> None:
    gone = await flow.ingest("gone.txt", "to be deleted")
    pages = "\n" * QUICK_BYTES
    books = [
        await flow.send(f"book{number}.txt", f"chapter {number}{pages}.") for number in range(RHYTHM.concurrency + 1)
    ]
    embedder, stop = BookEmbedder(), asyncio.Event()
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        group.create_task(run_worker(dataclasses.replace(flow.ports, embedder=embedder), RHYTHM, stop))
        while embedder.books < RHYTHM.concurrency:  # noqa: ASYNC110  # the embedder rings no bell
            await asyncio.sleep(0.05)
        small = await flow.send("small.txt", "a note")
        receipt = await flow.service.delete_document(flow.scope, gone)
        await until(flow, [small.document_id], "COMPLETED")
        while (await flow.documents.receipt(flow.scope, receipt.id)).purged_at is None:  # noqa: ASYNC110  # the same
            await asyncio.sleep(0.05)
        unfinished = [(await flow.document(one.document_id or ""))["status"] for one in books]
        embedder.go.set()
        await until(flow, [one.document_id for one in books], "COMPLETED")
        stop.set()
    assert sorted(unfinished) == ["PENDING", *["PROCESSING"] * RHYTHM.concurrency]


async def test_heartbeats_keep_a_long_job(flow: Flow) -> None:
    receipt = await flow.send("a.txt", "text")
    embedder, stop = SlowEmbedder(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(run_worker(dataclasses.replace(flow.ports, embedder=embedder), RHYTHM, stop))
        await embedder.started.wait()
        await asyncio.sleep(2 * RHYTHM.lease)
        assert await flow.ports.jobs.claim("thief", 60) is None
        embedder.go.set()
        await until(flow, [receipt.document_id], "COMPLETED")
        stop.set()


async def test_a_worker_that_stops_gives_back_what_it_cannot_finish(flow: Flow) -> None:
    await flow.send("a.txt", "text")
    embedder, stop = SlowEmbedder(), asyncio.Event()
    rhythm = dataclasses.replace(RHYTHM, stop_within=0.1, lease=60)
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(run_worker(dataclasses.replace(flow.ports, embedder=embedder), rhythm, stop))
        await embedder.started.wait()
        stop.set()
    lease = await flow.ports.jobs.claim("next", 60)
    assert lease is not None
    assert lease.attempt == 2
    await flow.ports.jobs.finish(lease)


async def test_a_worker_that_stops_finishes_what_it_can(flow: Flow) -> None:
    receipt = await flow.send("a.txt", "text")
    embedder, stop = SlowEmbedder(), asyncio.Event()
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(run_worker(dataclasses.replace(flow.ports, embedder=embedder), RHYTHM, stop))
        await embedder.started.wait()
        stop.set()
        embedder.go.set()
    assert (await flow.document(receipt.document_id or ""))["status"] == "COMPLETED"


@pytest.mark.feature("B6")
async def test_a_cancelled_job_is_dropped_in_the_middle(flow: Flow) -> None:
    receipt = await flow.send("a.txt", "text")
    embedder, stop = SlowEmbedder(), asyncio.Event()
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(run_worker(dataclasses.replace(flow.ports, embedder=embedder), RHYTHM, stop))
        await embedder.started.wait()
        await flow.documents.cancel(flow.scope, receipt.document_id or "")
        await asyncio.sleep(5 * RHYTHM.heartbeat)
        stop.set()
    assert embedder.embedded == 0
    assert (await flow.document(receipt.document_id or ""))["status"] == "CANCELLED"


@pytest.mark.feature("B17")
async def test_a_large_corpus_is_counted_by_the_worker(flow: Flow, database: Database) -> None:
    await database.write(
        "MATCH (k:Knowledge {id: $id}) UNWIND range(1, 1001) AS n CREATE (k)-[:HAS_DOCUMENT]->(:Entity:"
        "KnowledgeDocument {id: k.id + n, orgId: k.orgId, entityType: 'KnowledgeDocument', knowledgeId: k.id, "
        "nameKey: 'n' + n})",
        id=flow.corpus,
    )
    receipt = await flow.send("a.txt", "text")
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(run_worker(flow.ports, RHYTHM, stop))
        await until(flow, [receipt.document_id], "COMPLETED")
        async with asyncio.timeout(20):
            while await flow.counts() != (1002, 1):  # noqa: ASYNC110  # the database rings no bell
                await asyncio.sleep(0.05)
        stop.set()
