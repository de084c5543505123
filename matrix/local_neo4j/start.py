"""The flow of a start: lock the folder -> adopt an orphan, or else: find Java -> complete the jars -> write the
configuration -> start the process -> wait until it serves -> sign in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from matrix.errors import LocalServerError
from matrix.local_neo4j.addresses import choose_addresses
from matrix.local_neo4j.atomic import write_atomically
from matrix.local_neo4j.command import java_arguments, server_command
from matrix.local_neo4j.configuration import configuration
from matrix.local_neo4j.console import fresh_log
from matrix.local_neo4j.faults import explain_os_error
from matrix.local_neo4j.fetch import ensure_jars
from matrix.local_neo4j.file_lock import FileLock
from matrix.local_neo4j.folder import check_space, take_folder
from matrix.local_neo4j.home import Home, home_of
from matrix.local_neo4j.jar_cache import JarCache, default_cache_dir
from matrix.local_neo4j.jars import NEO4J_VERSION, load_lock
from matrix.local_neo4j.java import Java, JavaPlaces, find_java, inspect_java
from matrix.local_neo4j.memory import machine_memory, plan_memory
from matrix.local_neo4j.orphans import take_over
from matrix.local_neo4j.ports import Progress, ServerProbe, SilentProgress
from matrix.local_neo4j.process import ServerHandle, spawn
from matrix.local_neo4j.readiness import USER, until_serving, until_signed_in
from matrix.local_neo4j.registry import JarSource, MavenSource
from matrix.local_neo4j.server import RunningServer
from matrix.local_neo4j.state import ServerProcess, ServerState, read_state, write_state

START_TIMEOUT = 300.0
"""Seconds until a server must answer: 12 are usual, a recovery after a crash takes longer."""


async def start_local_neo4j(
    data_dir: Path,
    password: str,
    probe: ServerProbe,
    *,
    progress: Progress | None = None,
    cache_dir: Path | None = None,
    java: JavaPlaces | None = None,
    source: JarSource | None = None,
    start_timeout: float = START_TIMEOUT,
) -> RunningServer:
    """Start the Neo4j of `<data_dir>/neo4j`, or take over one that an earlier, killed process left there.

    `password` is set at the first start and must be the same ever after; `cache_dir` keeps the jars (the platform's
    cache folder by default); `java` says where to look, JAVA_HOME included; `start_timeout` is in seconds.
    Raises LocalServerError, whose `code` is one of folder_in_use, folder_unusable, not_writable, disk_full,
    java_missing, java_too_old, registry_unreachable, jar_missing, jar_corrupt, cache_unusable, port_taken,
    out_of_memory, start_timeout, password_refused, server_died. After an error or a cancellation nothing runs.
    """
    home = await asyncio.to_thread(home_of, data_dir)
    start = _Start(home, password, probe, progress or SilentProgress(), java, start_timeout)
    lock = FileLock(home.lock_file)
    try:
        await asyncio.to_thread(take_folder, home, lock)
        return await _locked(start, lock, JarCache(cache_dir or default_cache_dir()), source or MavenSource())
    except OSError as error:
        lock.release()
        raise explain_os_error(error, "starting Neo4j") or LocalServerError(f"Neo4j cannot start: {error}") from error
    except BaseException:
        lock.release()
        raise


@dataclass(frozen=True, slots=True)
class _Start:
    """What every step of a start needs."""

    home: Home
    password: str
    probe: ServerProbe
    progress: Progress
    places: JavaPlaces | None
    patience: float


async def _locked(start: _Start, lock: FileLock, cache: JarCache, source: JarSource) -> RunningServer:
    state = await asyncio.to_thread(read_state, start.home.state_file)
    orphan = await take_over(start.home, state, start.password, start.probe)
    if orphan and state and state.process:
        java = await asyncio.to_thread(inspect_java, Path(state.process.java), "adopted")
        return _running(start, lock, orphan, state, java or Java(Path(state.process.java), 0, "adopted", False))
    java = await asyncio.to_thread(find_java, start.places)
    jars = await ensure_jars(await asyncio.to_thread(load_lock), cache, source, start.progress)
    try:
        handle, state = await _launch(start, state, java, jars)
    except LocalServerError as error:
        if error.code != "port_taken":
            raise
        # Somebody was quicker between our look at the port and the server's: once more, with other ports.
        handle, state = await _launch(start, state, java, jars)
    return _running(start, lock, handle, state, java)


async def _launch(
    start: _Start, before: ServerState | None, java: Java, jars: Sequence[Path]
) -> tuple[ServerHandle, ServerState]:
    """One process, from its configuration to its first answered query. Nothing runs after an error."""
    start.progress.begin("Starting Neo4j", None)
    state = await asyncio.to_thread(_prepare, start.home, before, java, jars)
    command = server_command(start.home, java)
    handle = await spawn(command, start.home.folder, start.home.console_log)
    try:
        named = ServerProcess(handle.pid, handle.created, str(java.program), NEO4J_VERSION)
        state = replace(state, process=named)
        await asyncio.to_thread(write_state, start.home.state_file, state)
        await until_serving(handle, state.addresses, start.home, start.patience)
        first = not state.has_password
        await until_signed_in(handle, state.addresses, start.home, start.password, start.probe, first=first)
        state = replace(state, has_password=True)
        await asyncio.to_thread(write_state, start.home.state_file, state)
    except BaseException:
        await handle.stop()
        raise
    start.progress.finish()
    return handle, state


def _prepare(home: Home, before: ServerState | None, java: Java, jars: Sequence[Path]) -> ServerState:
    """Write all that the process reads. Blocks. Raises OSError, LocalServerError `disk_full`."""
    check_space(home)
    addresses = choose_addresses(before.addresses if before else None)
    memory = plan_memory(machine_memory())
    write_atomically(home.conf, configuration(addresses, memory))
    write_atomically(home.java_arguments, java_arguments(home, java, memory, jars))
    home.clear_temporary()
    fresh_log(home.console_log)
    return ServerState(addresses, has_password=bool(before and before.has_password))


def _running(start: _Start, lock: FileLock, handle: ServerHandle, state: ServerState, java: Java) -> RunningServer:
    return RunningServer(
        bolt_uri=state.addresses.bolt_uri,
        browser_url=state.addresses.browser_url,
        http_url=state.addresses.http_url,
        user=USER,
        password=start.password,
        pid=handle.pid,
        java=java,
        adopted=handle.adopted,
        _home=start.home,
        _handle=handle,
        _lock=lock,
    )
