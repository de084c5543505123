"""How long a second `matrix up` takes until it is ready, against the bare start of the same Neo4j.

Bare is the very command line that `up` ran Neo4j with, on the same folder, until it answers one query. The two take
turns, so that both meet the same machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from benchmarks.outcome import Options, Outcome, at_most
from benchmarks.running import STOP_SECONDS, free_port
from matrix.cli.demo_corpus import is_demo_intended
from matrix.cli.run_file import Run, read_run
from matrix.graph.server_probe import BoltProbe

ROUNDS = 7
POLL_SECONDS = 0.05
READY_SECONDS = 900  # the first start may fetch Neo4j


async def measure(options: Options) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="matrix-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        async with _up(folder):  # the first start, demo and all
            await _until_demo_is_made(folder)
            command = _command_of_neo4j(folder)
        starts: list[float] = []
        bare: list[float] = []
        for _ in range(options.scaled(ROUNDS)):
            async with _up(folder) as (seconds, run):
                starts.append(seconds)
            bare.append(await _bare_start(command, run))
    ratio = statistics.median(starts) / statistics.median(bare)
    shown = f"medians of {len(bare)}: {statistics.median(starts):.1f} s to {statistics.median(bare):.1f} s"
    return Outcome((at_most("second `matrix up` until ready to the bare start of its Neo4j", ratio, 1.5, shown),))


@asynccontextmanager
async def _up(folder: Path) -> AsyncIterator[tuple[float, Run]]:
    """A running Matrix, with the seconds until it was ready; stopped cleanly at the end."""
    command = [sys.executable, "-m", "matrix.cli.main", "up", "--data-dir", str(folder), "--port", str(free_port())]
    with (folder / "up.log").open("ab") as log:
        begun = time.monotonic()
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log, env=_environment())
    try:
        while (run := read_run(folder)) is None:
            if process.returncode is not None or time.monotonic() - begun > READY_SECONDS:
                raise SystemExit(f"`matrix up` did not get ready:\n{(folder / 'up.log').read_text('utf-8')[-3000:]}")
            await asyncio.sleep(POLL_SECONDS)
        yield time.monotonic() - begun, run
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        await process.wait()


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("MATRIX_", "NEO4J_"))}


async def _until_demo_is_made(folder: Path) -> None:
    while is_demo_intended(folder):  # noqa: ASYNC110  # another process takes the note away
        await asyncio.sleep(POLL_SECONDS)


def _command_of_neo4j(folder: Path) -> list[str]:
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or []
        if any(part.startswith("--home-dir=") and str(folder) in part for part in command):
            return list(command)
    raise SystemExit("The Neo4j of `matrix up` was not found among the processes.")


async def _bare_start(command: Sequence[str], run: Run) -> float:
    """Seconds until Neo4j alone answers a query."""
    begun = time.monotonic()
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        asked = run.neo4j.bolt, run.neo4j.user, run.neo4j.password
        await _until_open(run.neo4j.bolt)  # the driver would wait longer and longer between its tries
        while not await BoltProbe().is_ready(*asked):  # noqa: ASYNC110  # a process of its own
            await asyncio.sleep(POLL_SECONDS)
        return time.monotonic() - begun
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), STOP_SECONDS)


async def _until_open(bolt: str) -> None:
    address = urlsplit(bolt)
    while True:
        try:
            _, writer = await asyncio.open_connection(address.hostname, address.port)
        except OSError:
            await asyncio.sleep(POLL_SECONDS)
        else:
            writer.close()
            return
