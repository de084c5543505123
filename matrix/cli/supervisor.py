"""A running Matrix on one machine: database, API and worker, from the first start to a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from matrix.cli.children import Child, ChildGaveUp
from matrix.cli.console import Steps
from matrix.cli.data_folder import (
    Neo4jRun,
    Run,
    Secrets,
    ensure_secrets,
    read_run,
    remove_run,
    with_database,
    with_secrets,
    write_run,
)
from matrix.errors import Conflict, InvalidSettings, MatrixError
from matrix.settings import Settings
from matrix.wiring.databases import prepare_database
from matrix.wiring.local_server import LocalDatabase, local_database

READY_SECONDS = 90.0
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Addresses:
    host: str
    port: int

    @property
    def url(self) -> str:
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104  # compared, not bound
        return f"http://{shown}:{self.port}"


async def supervise(settings: Settings, steps: Steps, on_ready: Callable[[Run, bool], Awaitable[None]]) -> None:
    """Starts everything, calls `on_ready(run, first_start)`, and returns when a signal asked for the end.

    Errors: LocalServerError, InvalidSettings, Conflict (already running), ChildGaveUp. Nothing runs afterwards.
    """
    data_dir = settings.data_dir.resolve()
    _refuse_second(data_dir)
    secrets = ensure_secrets(data_dir)
    settings = with_secrets(settings.model_copy(update={"data_dir": data_dir}), secrets)
    addresses = _free(settings)
    stopped = _stop_signal()
    async with _database(settings, secrets, steps) as (neo4j, server):
        settings = with_database(settings, neo4j)
        steps.begin("Preparing the database", None)
        first_start = await prepare_database(settings, secrets.api_key)
        steps.finish()
        run = _run(settings, secrets, addresses, neo4j)
        async with _children(settings, addresses) as children:
            steps.begin("Starting API and worker", None)
            await _until_ready(run.url, children, stopped)
            steps.finish()
            write_run(data_dir, run)
            try:
                await _until_stopped(children, server, stopped, on_ready(run, first_start))
            finally:
                remove_run(data_dir)


def _refuse_second(data_dir: Path) -> None:
    running = read_run(data_dir)
    if running is not None:
        raise Conflict(
            f"Matrix is running in {data_dir} already (process {running.pid}): {running.url}",
            advice="Use it, stop it with `matrix down`, or start another one with --data-dir and --port.",
        )


def _free(settings: Settings) -> Addresses:
    """The address to listen on; port 0 takes any free one. Errors: InvalidSettings when it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise InvalidSettings(
                f"Port {settings.port} on {settings.host} cannot be used: {error.strerror}.",
                field="MATRIX_PORT",
                advice="Stop what uses it, or start with --port and another number (0 takes any free one).",
            ) from None
        return Addresses(settings.host, probe.getsockname()[1])


@asynccontextmanager
async def _database(
    settings: Settings, secrets: Secrets, steps: Steps
) -> AsyncIterator[tuple[Neo4jRun, LocalDatabase | None]]:
    """The embedded database, or the external one that the settings name."""
    named = settings.neo4j
    if named.uri:
        yield Neo4jRun(named.uri, None, named.username, named.password.get_secret_value()), None
        return
    async with local_database(settings, secrets.neo4j_password, steps) as server:
        yield Neo4jRun(server.bolt_uri, server.browser_url, server.user, secrets.neo4j_password), server


def _run(settings: Settings, secrets: Secrets, addresses: Addresses, neo4j: Neo4jRun) -> Run:
    url = addresses.url
    return Run(
        pid=os.getpid(),
        url=url,
        graphql=f"{url}/graphql",
        admin=f"{url}/admin",
        org=settings.organization,
        api_key=secrets.api_key,
        admin_email=settings.security.admin_email,
        admin_password=secrets.admin_password,
        neo4j=neo4j,
    )


@asynccontextmanager
async def _children(settings: Settings, addresses: Addresses) -> AsyncIterator[list[Child]]:
    environment = _environment(settings, addresses)
    logs = settings.data_dir / "logs"
    program = [sys.executable, "-m", "matrix.cli.main"]
    children = [
        Child("API", [*program, "serve"], logs / "api.log", environment),
        Child("worker", [*program, "worker"], logs / "worker.log", environment),
    ]
    try:
        for child in children:
            await child.start()
        yield children
    finally:
        await asyncio.gather(*(child.stop() for child in children))


def _environment(settings: Settings, addresses: Addresses) -> dict[str, str]:
    neo4j = settings.neo4j
    return {
        **os.environ,
        "MATRIX_DATA_DIR": str(settings.data_dir),
        "MATRIX_HOST": addresses.host,
        "MATRIX_PORT": str(addresses.port),
        "MATRIX_NEO4J__URI": neo4j.uri or "",
        "MATRIX_NEO4J__USERNAME": neo4j.username,
        "MATRIX_NEO4J__PASSWORD": neo4j.password.get_secret_value(),
    }


async def _until_ready(url: str, children: list[Child], stopped: asyncio.Event) -> None:
    """Errors: ChildGaveUp when a child ends first or nothing answers in time."""
    api = children[0]
    async with httpx2.AsyncClient(trust_env=False, timeout=5) as client:
        for _ in range(int(READY_SECONDS / POLL_SECONDS)):
            if stopped.is_set():
                raise MatrixError("Stopped before it was ready.", code="stopped")
            for child in children:
                if child.process is not None and child.process.returncode is not None:
                    raise ChildGaveUp(f"The {child.name} did not start.", advice=child.last_words())
            with contextlib.suppress(httpx2.HTTPError):
                if (await client.get(f"{url}/ready")).status_code == 200:
                    return
            await asyncio.sleep(POLL_SECONDS)
    raise ChildGaveUp(f"The API did not answer within {READY_SECONDS:.0f} seconds.", advice=api.last_words())


async def _until_stopped(
    children: list[Child], server: LocalDatabase | None, stopped: asyncio.Event, ready: Awaitable[None]
) -> None:
    """Runs until a signal comes, or something cannot be kept running."""
    tasks = [asyncio.ensure_future(ready), *(asyncio.create_task(child.keep_running()) for child in children)]
    if server is not None:
        tasks.append(asyncio.create_task(server.keep_running()))
    waiting = asyncio.create_task(stopped.wait())
    pending = {waiting, *tasks}
    try:
        while waiting in pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        for task in [waiting, *tasks]:
            task.cancel()
        await asyncio.gather(waiting, *tasks, return_exceptions=True)


def _stop_signal() -> asyncio.Event:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    return stopped
