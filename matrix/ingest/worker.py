"""The worker's loop: claim a job, work on it under heartbeats, claim the next. It outlives the database and its jobs'
faults, and gives back at its end what it could not finish. What a job is made of is in `processing` and `purging`."""

from __future__ import annotations

import asyncio
import os
import random
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

import structlog

from matrix.domain.jobs import JobKind, Lease
from matrix.errors import DatabaseUnavailable, DocumentGone, LeaseLost, MatrixError
from matrix.ingest.processing import WorkerPorts, ingest, tidy
from matrix.ingest.purging import purge, reap_blobs

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WorkerRhythm:
    """How a worker keeps time, in seconds; `concurrency` is how many jobs of any size it works on at once. One more, a
    small file or a deletion, runs beside them: large files never hold everything up."""

    concurrency: int = 2
    lease: float = 60
    heartbeat: float = 10
    poll: float = 0.5
    stop_within: float = 20
    count_every: float = 2
    release_every: float = 30
    reap_every: float = 6 * 3600
    reap_older_than: float = 3600


async def run_worker(ports: WorkerPorts, rhythm: WorkerRhythm, stop: asyncio.Event) -> None:
    """Works until `stop` is set; then finishes within `stop_within`, or gives its jobs back."""
    name = f"{socket.gethostname()}-{os.getpid()}"
    async with asyncio.TaskGroup() as group:
        for number in range(rhythm.concurrency):
            group.create_task(_work(ports, rhythm, stop, f"{name}-{number}"))
        group.create_task(_work(ports, rhythm, stop, f"{name}-quick", quick_only=True))
        for seconds, chore in _chores(ports, rhythm):
            group.create_task(_repeat(stop, seconds, chore))


async def process(ports: WorkerPorts, lease: Lease) -> None:
    """One job to its end. Errors: LeaseLost, DatabaseUnavailable."""
    try:
        await _process(ports, lease)
    except DocumentGone as gone:
        await ports.jobs.fail(lease, gone.message)


async def _process(ports: WorkerPorts, lease: Lease) -> None:
    match lease.kind:
        case JobKind.INGEST:
            await ingest(ports, lease)
        case JobKind.TIDY:
            await tidy(ports, lease, lease.subject_id)
            await ports.jobs.finish(lease)
        case JobKind.PURGE:
            await purge(ports, lease)
        case _:
            assert_never(lease.kind)


async def work_off(ports: WorkerPorts, lease_seconds: float = 60) -> int:
    """Does what is due now, one job after the other and without heartbeats; returns how many that were."""
    done = 0
    while lease := await ports.jobs.claim("once", lease_seconds):
        await process(ports, lease)
        done += 1
    return done


async def _work(
    ports: WorkerPorts, rhythm: WorkerRhythm, stop: asyncio.Event, name: str, *, quick_only: bool = False
) -> None:
    while not stop.is_set():
        try:
            lease = await ports.jobs.claim(name, rhythm.lease, quick_only=quick_only)
        except DatabaseUnavailable:
            await _pause(stop, 4 * rhythm.poll)
            continue
        if lease is None:
            await _pause(stop, rhythm.poll)
        else:
            await _hold(ports, rhythm, stop, lease)


async def _hold(ports: WorkerPorts, rhythm: WorkerRhythm, stop: asyncio.Event, lease: Lease) -> None:
    """A claimed job under heartbeats, until it ends, its lease is lost, or the worker stops."""
    job = asyncio.create_task(process(ports, lease))
    beats = asyncio.create_task(_heartbeats(ports, rhythm, lease))
    stopped = asyncio.create_task(_stopped(stop, rhythm.stop_within))
    try:
        await asyncio.wait({job, beats, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finished = job.done()
        await _cancel(job)
        if finished:
            await _settle(ports, stop, lease, job)
        elif not beats.done():
            await _give_back(ports, stop, lease, "The worker was stopped.")
    finally:
        for task in (job, beats, stopped):
            await _cancel(task)


async def _settle(ports: WorkerPorts, stop: asyncio.Event, lease: Lease, job: asyncio.Task[None]) -> None:
    """What to do with the end of a job that did not end well."""
    fault = job.exception()
    if fault is None or isinstance(fault, LeaseLost):
        return
    if isinstance(fault, DatabaseUnavailable):
        await _give_back(ports, stop, lease, "The database did not answer.")
    else:
        _log.error("job failed", job=lease.job_id, kind=lease.kind, exc_info=fault)
        await _give_back(ports, stop, lease, f"The worker failed: {type(fault).__name__}.", seconds=30)


async def _give_back(ports: WorkerPorts, stop: asyncio.Event, lease: Lease, reason: str, seconds: float = 0) -> None:
    """Lets others have the job at once, instead of when the lease ends. Waits for the database while working on."""
    while True:
        try:
            return await ports.jobs.retry_later(lease, seconds, reason)
        except LeaseLost:
            return None
        except DatabaseUnavailable:
            if stop.is_set():
                return None  # the lease ends by itself
            await _pause(stop, 1)


async def _heartbeats(ports: WorkerPorts, rhythm: WorkerRhythm, lease: Lease) -> None:
    """Prolongs the lease again and again; ends when it is lost."""
    while True:
        await asyncio.sleep(rhythm.heartbeat)
        try:
            await ports.jobs.heartbeat(lease, rhythm.lease)
        except LeaseLost:
            return
        except DatabaseUnavailable:
            continue


def _chores(ports: WorkerPorts, rhythm: WorkerRhythm) -> list[tuple[float, Callable[[], Awaitable[int]]]]:
    return [
        (rhythm.count_every, ports.versions.count_marked_corpora),
        (rhythm.release_every, ports.jobs.release_expired),
        (rhythm.reap_every, lambda: reap_blobs(ports.blobs, ports.deletions, rhythm.reap_older_than)),
    ]


async def _repeat(stop: asyncio.Event, seconds: float, chore: Callable[[], Awaitable[int]]) -> None:
    while not stop.is_set():
        await _pause(stop, seconds)
        with suppress(MatrixError):  # it will be tried again; the jobs themselves say what is wrong
            await chore()


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds * random.uniform(0.8, 1.2))  # noqa: S311  # workers out of step


async def _stopped(stop: asyncio.Event, grace: float) -> None:
    await stop.wait()
    await asyncio.sleep(grace)


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
