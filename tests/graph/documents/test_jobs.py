from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from matrix.domain.access import Scope
from matrix.domain.documents import DocumentStatus
from matrix.domain.jobs import QUICK_BYTES, JobKind
from matrix.errors import LeaseLost
from matrix.graph.database import Database
from tests.graph.corpora import Stores, claim, new_corpus, new_organization, stores_on, upload

MIB = 1024 * 1024


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


async def waiting(stores: Stores, *sizes: int) -> Scope:
    """An organization with a file of each size, in this order; the name says the size."""
    scope = await new_organization(stores.database)
    corpus = await new_corpus(stores.database, scope)
    for number, size in enumerate(sizes):
        await upload(stores, scope, corpus, f"{number} of {size}", str(number), size=size)
    return scope


async def sizes_claimed(stores: Stores, *, quick_only: bool = False) -> list[int]:
    """All that can be claimed now, in the order of the claims; upkeep counts as 0."""
    claimed = []
    while lease := await stores.jobs.claim("w", 60, quick_only=quick_only):
        row = await stores.database.read_one("MATCH (v:DocumentVersion {id: $id}) RETURN v.size", id=lease.subject_id)
        claimed.append(row["v.size"] if row else 0)
    return claimed


@pytest.mark.feature("B7")
async def test_small_files_overtake_large_ones_of_their_organization(stores: Stores) -> None:
    await waiting(stores, 40 * MIB, 30 * MIB, 3000, 3001, 3002, 3003, 3004)
    claimed = await sizes_claimed(stores)
    assert sorted(claimed[:5]) == [3000, 3001, 3002, 3003, 3004]
    assert sorted(claimed[5:]) == [30 * MIB, 40 * MIB]


@pytest.mark.feature("B7")
async def test_a_large_file_is_overtaken_only_for_a_while(stores: Stores) -> None:
    scope = await waiting(stores, 40 * MIB)
    await stores.database.write("MATCH (j:IngestJob) SET j.turnAt = j.turnAt - duration('PT2H')")
    corpus = await new_corpus(stores.database, scope)
    for number in range(5):
        await upload(stores, scope, corpus, f"{number}", str(number), size=3000 + number)
    assert (await sizes_claimed(stores))[0] == 40 * MIB


@pytest.mark.feature("B7", "B10")
async def test_a_deletion_goes_before_every_file(stores: Stores) -> None:
    scope = await waiting(stores, 10, 11, 12, 13, 14, 15)
    row = await stores.database.read_one(
        "MATCH (d:KnowledgeDocument {orgId: $org}) RETURN d.id LIMIT 1", org=scope.org_id
    )
    assert row is not None
    await stores.documents.delete_document(scope, row["d.id"])
    assert (await claim(stores)).kind is JobKind.PURGE


@pytest.mark.feature("B7")
async def test_the_quick_lane_takes_no_large_file(stores: Stores) -> None:
    await waiting(stores, 40 * MIB, QUICK_BYTES + 1, QUICK_BYTES, 5)
    assert sorted(await sizes_claimed(stores, quick_only=True)) == [5, QUICK_BYTES]
    assert len(await sizes_claimed(stores)) == 2


@pytest.mark.feature("B7")
async def test_a_long_job_that_runs_does_not_put_its_organization_last_in_the_quick_lane(stores: Stores) -> None:
    busy = await waiting(stores, 40 * MIB)
    assert (await claim(stores)).org_id == busy.org_id
    corpus = await new_corpus(stores.database, busy)
    await upload(stores, busy, corpus, "small", "x")
    other = await backlog(stores, 20)
    first_two = [await stores.jobs.claim("quick", 60, quick_only=True) for _ in range(2)]
    assert {lease.org_id for lease in first_two if lease} == {busy.org_id, other.org_id}


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
