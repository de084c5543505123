"""The embedded Neo4j, kept running by `matrix up`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from matrix.errors import LocalServerError
from matrix.graph.server_probe import BoltProbe
from matrix.local_neo4j import JavaPlaces, Progress, RunningServer, start_local_neo4j
from matrix.settings import Settings

MOST_RESTARTS = 3  # in RESTART_WINDOW seconds
RESTART_WINDOW = 60.0
FIRST_PAUSE = 0.5
"""Seconds before the first restart; doubled each time."""


@dataclass(eq=False)
class LocalDatabase:
    """The embedded Neo4j, kept running: one that dies is started again at the same addresses."""

    server: RunningServer
    start: Callable[[], Awaitable[RunningServer]] = field(repr=False)

    @property
    def bolt_uri(self) -> str:
        return self.server.bolt_uri

    @property
    def browser_url(self) -> str:
        return self.server.browser_url

    @property
    def user(self) -> str:
        return self.server.user

    async def keep_running(self) -> None:
        """Runs until cancelled. Errors: LocalServerError when it dies more than three times a minute, or cannot have
        its addresses again: those who use it know no others."""
        deaths: list[float] = []
        while True:
            await self.server.wait()
            deaths = [*(at for at in deaths if time.monotonic() - at < RESTART_WINDOW), time.monotonic()]
            if len(deaths) > MOST_RESTARTS:
                raise await self.server.why_it_ended()
            await self.server.stop()
            await asyncio.sleep(FIRST_PAUSE * 2 ** (len(deaths) - 1))
            await self._start_again()

    async def _start_again(self) -> None:
        before = self.server.bolt_uri
        self.server = await self.start()
        if self.server.bolt_uri != before:
            raise LocalServerError(
                f"Another program took the database's address {before} while it was restarted.",
                code="port_taken",
                advice="Start again: the database gets another address then.",
            )


@asynccontextmanager
async def local_database(settings: Settings, password: str, progress: Progress) -> AsyncIterator[LocalDatabase]:
    """The embedded Neo4j of the data folder, for as long as the context lasts. Errors: LocalServerError."""
    java = JavaPlaces(java_home=settings.java_home)

    async def start() -> RunningServer:
        return await start_local_neo4j(settings.data_dir, password, BoltProbe(), progress=progress, java=java)

    running = LocalDatabase(await start(), start)
    try:
        yield running
    finally:
        await running.server.stop()
