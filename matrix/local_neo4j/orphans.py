"""Finds a server of this folder whose parent has gone; takes it over when it answers us, else stops it."""

from __future__ import annotations

import asyncio
import contextlib

import psutil

from matrix.local_neo4j.command import MAIN_CLASS, home_argument
from matrix.local_neo4j.home import Home
from matrix.local_neo4j.jars import NEO4J_VERSION
from matrix.local_neo4j.ports import ServerProbe
from matrix.local_neo4j.process import ServerHandle, adopt
from matrix.local_neo4j.readiness import USER, http_answers
from matrix.local_neo4j.state import ServerState
from matrix.local_neo4j.watchdog import CLOCK_SLACK


async def take_over(home: Home, state: ServerState | None, password: str, probe: ServerProbe) -> ServerHandle | None:
    """The adopted server; None when there was none, or when it had to be stopped. Call it under the folder's lock."""
    process = await asyncio.to_thread(find_server, home, state)
    if process is None:
        return None
    handle = await adopt(process)
    try:
        if state and await _is_ours(process, state, password, probe):
            return handle
    except BaseException:
        handle.kill()
        raise
    await handle.stop()
    return None


async def _is_ours(process: psutil.Process, state: ServerState, password: str, probe: ServerProbe) -> bool:
    """True for the very process of the state file, of the version that we would start, answering our password."""
    named = state.process
    if named is None or named.pid != process.pid or named.version != NEO4J_VERSION or not state.has_password:
        return False
    addresses = state.addresses
    return await http_answers(addresses) and await probe.is_ready(addresses.bolt_uri, USER, password)


def find_server(home: Home, state: ServerState | None) -> psutil.Process | None:
    """The living Neo4j of this folder: the one that the state file names, else any whose command line does. Blocks."""
    if state and state.process:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(state.process.pid)
            if abs(process.create_time() - state.process.created) < CLOCK_SLACK and _serves(process, home):
                return process
    # A start that was killed before it wrote the state file leaves only its command line.
    return next((process for process in psutil.process_iter() if _serves(process, home)), None)


def _serves(process: psutil.Process, home: Home) -> bool:
    with contextlib.suppress(psutil.Error):
        arguments = process.cmdline()
        return MAIN_CLASS in arguments and home_argument(home) in arguments
    return False
