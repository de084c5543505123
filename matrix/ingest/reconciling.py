"""Keeps the status of documents true while no worker lives: an API process runs this beside serving."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from matrix.errors import MatrixError
from matrix.ports import JobQueue


async def reconcile(jobs: JobQueue, every: float = 30) -> None:
    """Lets jobs of dead workers wait again, every so many seconds, until cancelled."""
    while True:
        await asyncio.sleep(every)
        with suppress(MatrixError):  # the next round tries again; requests tell of a database that is away
            await jobs.release_expired()
