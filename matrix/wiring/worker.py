"""What a worker process runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from matrix.graph.database import Database
from matrix.graph.documents.jobs import Jobs
from matrix.graph.documents.purge import Deletions
from matrix.graph.documents.versions import Versions
from matrix.ingest.processing import WorkerPorts
from matrix.ingest.worker import WorkerRhythm, run_worker
from matrix.settings import Settings
from matrix.wiring.choices import make_blob_store, make_embedder, make_parser
from matrix.wiring.databases import database_of, pinned, prepare_schema, until_it_answers

STOP_SECONDS = 10
"""For a job that runs when the end is asked for; after that it is given back to be done by another worker."""


@dataclass(frozen=True, slots=True)
class Worker:
    """Claims jobs and works on them until it is told to stop."""

    ports: WorkerPorts
    rhythm: WorkerRhythm

    async def run(self, stop: asyncio.Event) -> None:
        await run_worker(self.ports, self.rhythm, stop)


@asynccontextmanager
async def open_worker(settings: Settings) -> AsyncIterator[Worker]:
    """A worker on a database whose schema is up to date. Errors as in `open_services`."""
    await until_it_answers(settings)
    async with database_of(settings) as database:
        ports = worker_ports(await pinned(settings, database), database)
        await prepare_schema(database, ports.embedder)
        yield Worker(ports, rhythm_of(settings))


def worker_ports(settings: Settings, database: Database) -> WorkerPorts:
    return WorkerPorts(
        jobs=Jobs(database),
        versions=Versions(database),
        deletions=Deletions(database),
        blobs=make_blob_store(settings),
        parser=make_parser(settings),
        embedder=make_embedder(settings),
        kept_versions=settings.worker.kept_versions,
    )


def rhythm_of(settings: Settings) -> WorkerRhythm:
    worker = settings.worker
    return WorkerRhythm(
        concurrency=worker.concurrency,
        lease=worker.lease_seconds,
        heartbeat=worker.heartbeat_seconds,
        poll=worker.poll_seconds,
        stop_within=STOP_SECONDS,
    )
