from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from matrix.domain.access import Scope
from matrix.domain.documents import DocumentStatus
from matrix.errors import LeaseLost
from matrix.graph.database import Database
from tests.graph.corpora import Stores, claim, new_corpus, new_organization, stores_on, upload


@pytest.fixture
async def stores(database: Database) -> Stores:
    await database.write("MATCH (j:IngestJob) DETACH DELETE j")
    return stores_on(database)


async def backlog(stores: Stores, count: int) -> Scope:
    scope = await new_organization(stores.database)
    corpus = await new_corpus(stores.database, scope)
    for number in range(count):
        await upload(stores, scope, corpus, f"{number}.txt", "x")
    return scope


@pytest.mark.feature("B7")
async def test_each_job_is_claimed_once_however_many_ask(stores: Stores) -> None:
    await backlog(stores, 6)
    claimed: list[str] = []

    async def work(worker: str) -> None:
        for _ in range(8):
            lease = await stores.jobs.claim(worker, 60)
            if lease is not None:
                claimed.append(lease.job_id)

    await asyncio.gather(*(work(f"w{number}") for number in range(5)))
    assert len(claimed) == len(set(claimed)) == 6


@pytest.mark.feature("B7")
async def test_a_large_backlog_does_not_hold_up_another_organization(stores: Stores) -> None:
    large, small = await backlog(stores, 20), await backlog(stores, 2)
    leases = [await claim(stores) for _ in range(4)]
    assert Counter(lease.org_id for lease in leases) == {large.org_id: 2, small.org_id: 2}


async def test_a_lease_ends_by_the_databases_clock_and_the_token_grows(stores: Stores) -> None:
    await backlog(stores, 1)
    first = await claim(stores, seconds=0.2)
    assert await stores.jobs.claim("w2", 60) is None
    await stores.jobs.heartbeat(first, 0.4)
    await asyncio.sleep(0.25)
    assert await stores.jobs.claim("w2", 60) is None
    await asyncio.sleep(0.3)
    second = await claim(stores)
    assert (second.job_id, second.token, second.attempt) == (first.job_id, first.token + 1, 2)
    with pytest.raises(LeaseLost):
        await stores.jobs.heartbeat(first, 60)
    await stores.jobs.heartbeat(second, 60)


async def test_a_job_that_is_put_off_waits(stores: Stores) -> None:
    await backlog(stores, 1)
    lease = await claim(stores)
    await stores.jobs.retry_later(lease, 0.3, "out")
    assert await stores.jobs.claim("w", 60) is None
    await asyncio.sleep(0.35)
    again = await claim(stores)
    assert (again.retries, again.job_id) == (1, lease.job_id)
    await stores.jobs.retry_later(again, 0, "given back")
    assert (await claim(stores)).retries == 1


async def test_a_finished_job_is_never_claimed_again(stores: Stores) -> None:
    await backlog(stores, 2)
    await stores.jobs.finish(await claim(stores))
    await stores.jobs.fail(await claim(stores), "bad")
    assert await stores.jobs.claim("w", 60) is None
    rows = await stores.database.read("MATCH (j:IngestJob) RETURN j.state AS state ORDER BY state")
    assert [row["state"] for row in rows] == ["DONE", "FAILED"]


@pytest.mark.feature("B6")
async def test_a_cancelled_document_has_no_job_left_to_claim(stores: Stores) -> None:
    scope = await backlog(stores, 1)
    row = await stores.database.read_one(
        "MATCH (d:KnowledgeDocument) WHERE d.orgId = $org RETURN d.id AS id", org=scope.org_id
    )
    assert row is not None
    assert await stores.documents.cancel(scope, row["id"]) is DocumentStatus.CANCELLED
    assert (await claim(stores)).kind == "TIDY"
    assert await stores.jobs.claim("w", 60) is None


async def test_claiming_costs_the_same_whatever_is_done_already(stores: Stores) -> None:
    """Finished jobs are in none of the indexes that a claim reads: only work that is to be done has a `dueAt`."""
    await backlog(stores, 3)
    await stores.jobs.finish(await claim(stores))
    rows = await stores.database.read("MATCH (j:IngestJob) WHERE j.dueAt IS NOT NULL RETURN j.state AS state")
    assert [row["state"] for row in rows] == ["QUEUED", "QUEUED"]
