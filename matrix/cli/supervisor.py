"""A running Matrix on one machine: database, API and worker, from the first start to a clean end.

It stays small: what opens the database, and all the code behind it, is in the children.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from matrix.cli.addresses import Address, free_address
from matrix.cli.children import Child, ChildFailed
from matrix.cli.console import Steps
from matrix.cli.data_folder import Neo4jRun, Secrets, ensure_secrets, with_secrets
from matrix.cli.folder_lock import hold_folder
from matrix.cli.interruption import interruptible
from matrix.cli.lifeline import PATIENCE, opening_line
from matrix.cli.run_file import Run, remove_run, write_run
from matrix.errors import MatrixError
from matrix.settings import Settings
from matrix.wiring.local_server import LocalDatabase, local_database

READY_SECONDS = 600.0
"""A first migration of a large database, and a model that is made ready, take their time."""
POLL_SECONDS = 0.1

OnReady = Callable[[Run], Awaitable[None]]


async def supervise(settings: Settings, steps: Steps, on_ready: OnReady) -> None:
    """Starts everything, calls `on_ready`, and returns when a signal asked for the end. Nothing runs afterwards.

    `settings.data_dir` must be absolute. Errors: LocalServerError, InvalidSettings, Conflict (already running),
    CannotWrite, ChildFailed, and what API or worker said before they ended; `stopped` before it was ready.
    """
    data_dir = settings.data_dir
    children: list[Child] = []
    ready = asyncio.Event()
    with hold_folder(data_dir), interruptible(steps.stopping, lambda: _kill(data_dir, children)) as heard:
        try:
            await _run(settings, steps, _noting(ready, on_ready), children)
        except asyncio.CancelledError:
            if not heard.asked:
                raise
            if not ready.is_set():
                raise MatrixError("Stopped before it was ready.", code="stopped") from None
        finally:
            steps.abandon()


def _noting(ready: asyncio.Event, on_ready: OnReady) -> OnReady:
    async def noted(run: Run) -> None:
        ready.set()
        await on_ready(run)

    return noted


def _kill(data_dir: Path, children: Sequence[Child]) -> None:
    """The database dies with this process; its journal makes it whole at the next start."""
    for child in children:
        child.kill()
    remove_run(data_dir)


async def _run(settings: Settings, steps: Steps, on_ready: OnReady, children: list[Child]) -> None:
    secrets = ensure_secrets(settings.data_dir)
    settings = with_secrets(settings, secrets)
    # An `up` that was killed left its file, and for some seconds children that end with it and hold the port.
    address = await free_address(settings, patience=2 * PATIENCE if remove_run(settings.data_dir) else 0)
    await _prepare_models(settings, steps)
    children += [_child("API", "serve", settings, address), _child("worker", "worker", settings, address)]
    async with _started(children), _database(settings, secrets, steps) as (neo4j, server):
        try:
            await _open(children, address, opening_line(_named(neo4j)), steps)
            run = _described(settings, secrets, address, neo4j)
            write_run(settings.data_dir, run)
            await _keep_running(on_ready(run), children, server)
        finally:
            remove_run(settings.data_dir)
            await _stop(children)  # before the database


async def _prepare_models(settings: Settings, steps: Steps) -> None:
    """What the chosen embedder keeps on this machine is made at the first start, in a process of its own that gives
    back the memory which that takes; later starts find it."""
    if (settings.data_dir / "models").exists():
        return
    steps.begin("Preparing the embedding model (once)", None)
    log = settings.data_dir / "logs" / "models.log"
    child = Child("preparation of the models", [*_PROGRAM, "prepare-models"], log, _environment(settings))
    async with _started([child]):
        assert child.process is not None
        if await child.process.wait():
            raise child.failure("The embedding model could not be prepared.")
    steps.finish()


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


def _named(neo4j: Neo4jRun) -> dict[str, str]:
    return {"uri": neo4j.bolt, "username": neo4j.user, "password": neo4j.password}


def _described(settings: Settings, secrets: Secrets, address: Address, neo4j: Neo4jRun) -> Run:
    password = settings.security.admin_password
    return Run(
        pid=os.getpid(),
        url=address.url,
        graphql=f"{address.url}/graphql",
        admin=f"{address.url}/admin",
        org=settings.organization,
        api_key=secrets.api_key,
        admin_email=settings.security.admin_email,
        admin_password=password.get_secret_value() if password else None,
        neo4j=neo4j,
    )


_PROGRAM = (sys.executable, "-m", "matrix.cli.main")


def _child(name: str, command: str, settings: Settings, address: Address) -> Child:
    log = settings.data_dir / "logs" / f"{name.lower()}.log"
    named = {"MATRIX_HOST": address.host, "MATRIX_PORT": str(address.port)}
    return Child(name, [*_PROGRAM, command, "--lifeline"], log, _environment(settings) | named, parked=True)


def _environment(settings: Settings) -> dict[str, str]:
    return {**os.environ, "MATRIX_DATA_DIR": str(settings.data_dir)}


@asynccontextmanager
async def _started(children: Sequence[Child]) -> AsyncIterator[None]:
    try:
        for child in children:
            await child.start()
        yield
    finally:
        await _stop(children)


async def _stop(children: Sequence[Child]) -> None:
    await asyncio.gather(*(child.stop() for child in children))


async def _open(children: Sequence[Child], address: Address, opening: str, steps: Steps) -> None:
    """The API prepares the database; the others follow when it is ready."""
    api, *others = children
    steps.begin("Starting API and worker", None)
    api.release(opening)
    await _until_ready(address.url, api)
    for child in others:
        child.release(opening)
    steps.finish()


async def _until_ready(url: str, api: Child) -> None:
    """Errors: why the API ended; ChildFailed when nothing answers in time."""
    async with httpx2.AsyncClient(trust_env=False, timeout=5) as client:
        for _ in range(int(READY_SECONDS / POLL_SECONDS)):
            if api.process is not None and api.process.returncode is not None:
                raise api.failure("The API did not start.")
            with contextlib.suppress(httpx2.HTTPError):
                if (await client.get(f"{url}/ready")).status_code == 200:
                    return
            await asyncio.sleep(POLL_SECONDS)
    raise ChildFailed(f"The API did not answer within {READY_SECONDS:.0f} seconds.", advice=api.last_words())


async def _keep_running(ready: Awaitable[None], children: Sequence[Child], server: LocalDatabase | None) -> None:
    """Runs until cancelled, or until something cannot be kept running: its error."""
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_awaited(ready))
            for child in children:
                group.create_task(child.keep_running())
            if server is not None:
                group.create_task(server.keep_running())
    except* MatrixError as failures:
        raise failures.exceptions[0] from None


async def _awaited(ready: Awaitable[None]) -> None:
    await ready
