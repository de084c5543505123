"""A worker that dies at any step, any number of times, leaves the graph of a clean run."""

from __future__ import annotations

import asyncio

import pytest

from matrix.errors import LeaseLost
from matrix.graph.database import Database
from matrix.ingest.worker import process, work_off
from tests.ingest.crashes import Deaths, Killed, picture
from tests.ingest.flow import Flow, new_flow, sections

LEASE = 0.02


async def work_with_deaths(flow: Flow) -> list[str]:
    """Runs the job until it comes to its end; the steps before and after which a run died."""
    deaths = Deaths()
    while lease := await flow.ports.jobs.claim("mortal", LEASE):
        try:
            await process(deaths.ports(flow.ports), lease)
        except Killed:
            await asyncio.sleep(2 * LEASE)
    return deaths.steps


@pytest.mark.feature("B7")
async def test_dying_at_every_step_leaves_the_graph_of_a_clean_run(database: Database) -> None:
    clean, mortal = await new_flow(database), await new_flow(database)
    for text in (sections(70), sections(70, changed=30)):
        await clean.ingest("a.md", text)
        receipt = await mortal.send("a.md", text)
        steps = await work_with_deaths(mortal)
        assert await picture(database, mortal.corpus) == await picture(database, clean.corpus)
    for step in ("to_process", "parse", "put", "place_chunks", "embed_documents", "write_chunks", "go_live", "tidy"):
        assert {f"before {step}", f"after {step}"} <= set(steps)
    assert receipt.document_id is not None
    document = await mortal.document(receipt.document_id)
    assert (document["chunksEmbedded"], document["chunksReused"]) == (1, 69)


@pytest.mark.feature("B7", "B10")
async def test_a_purge_that_dies_at_every_step_still_proves_that_nothing_is_left(database: Database) -> None:
    flow = await new_flow(database)
    document_id = await flow.ingest("a.md", sections(30))
    receipt = await flow.service.delete_document(flow.scope, document_id)
    steps = await work_with_deaths(flow)
    assert {"after delete_prefix", "after purge_document", "after close_deletion", "after finish"} <= set(steps)
    done = await flow.documents.receipt(flow.scope, receipt.id)
    assert done.purged_at is not None
    assert set(done.remaining.values()) == {0}


@pytest.mark.feature("B7")
async def test_a_paused_worker_is_fenced_off(database: Database) -> None:
    flow = await new_flow(database)
    receipt = await flow.send("a.md", sections(5))
    paused = await flow.ports.jobs.claim("paused", LEASE)
    assert paused is not None
    version = await flow.ports.versions.to_process(paused)
    await asyncio.sleep(2 * LEASE)
    await work_off(flow.ports)
    before = await picture(database, flow.corpus)

    for late in (
        flow.ports.versions.place_chunks(paused, version, ()),
        flow.ports.versions.stamp_progress(paused, version, 0.1, "reading"),
        flow.ports.versions.fail(paused, version, "x", "x", "x"),
        flow.ports.versions.tidy(paused, version.document_id),
        flow.ports.jobs.heartbeat(paused, 60),
        flow.ports.jobs.finish(paused),
        flow.ports.jobs.fail(paused, "x"),
        flow.ports.jobs.retry_later(paused, 0, "x"),
        process(flow.ports, paused),
    ):
        with pytest.raises(LeaseLost):
            await late
    assert await picture(database, flow.corpus) == before
    assert receipt.document_id is not None


async def test_what_a_dead_worker_left_waits_again_and_says_so(database: Database) -> None:
    flow = await new_flow(database)
    receipt = await flow.send("a.md", sections(2))
    assert receipt.document_id is not None
    lease = await flow.claim()
    await flow.ports.versions.to_process(lease)
    assert (await flow.document(receipt.document_id))["status"] == "PROCESSING"
    assert await flow.ports.jobs.release_expired() == 0

    await database.write(
        "MATCH (j:IngestJob:Entity {id: $id}) SET j.dueAt = datetime() - duration('PT5M')", id=lease.job_id
    )
    assert await flow.ports.jobs.release_expired() == 1
    document = await flow.document(receipt.document_id)
    assert (document["status"], document["step"]) == ("PENDING", "waiting for a worker")
    with pytest.raises(LeaseLost):
        await flow.ports.jobs.heartbeat(lease, 60)
    await work_off(flow.ports)
    assert (await flow.document(receipt.document_id))["status"] == "COMPLETED"
