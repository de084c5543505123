"""One server process, started by us or adopted: bound to our life, waited for by a thread of its own, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import psutil

from matrix.local_neo4j import bound_exec, watchdog

STOP_TIMEOUT = 30.0
"""Seconds between asking a server to stop and killing it."""

_KILL_TIMEOUT = 10.0
_POLL = 0.2
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
"""All that the server sees of ours: no API keys, and no JAVA_TOOL_OPTIONS that change it."""

_Waiter = Callable[[], int | None]
_Starter = Callable[[], tuple[psutil.Process, _Waiter]]


@dataclass(frozen=True, slots=True)
class ServerHandle:
    """A living or ended process; `created` in seconds since 1970.

    `ended` holds its exit code, or None for an adopted one, whose code nobody gets.
    """

    process: psutil.Process
    created: float
    ended: Future[int | None]
    adopted: bool = False

    @property
    def pid(self) -> int:
        return int(self.process.pid)

    @property
    def is_alive(self) -> bool:
        return not self.ended.done()

    async def wait(self) -> int | None:
        """Return when the process has ended; any number of tasks may wait, and be cancelled."""
        return await asyncio.shield(asyncio.wrap_future(self.ended))

    async def stop(self, timeout: float = STOP_TIMEOUT) -> None:  # noqa: ASYNC109  between two signals, not of the call
        """SIGTERM, and after `timeout` seconds SIGKILL. A cancelled stop kills at once, so that nothing is left."""
        if not self.is_alive:
            return
        try:
            with contextlib.suppress(psutil.NoSuchProcess):
                await asyncio.to_thread(self.process.terminate)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.wait(), timeout)
        finally:
            self.kill()
        await asyncio.wait_for(self.wait(), _KILL_TIMEOUT)

    def kill(self) -> None:
        """SIGKILL, where it still lives."""
        if self.is_alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                self.process.kill()


async def spawn(command: Sequence[str], folder: Path, log_file: Path) -> ServerHandle:
    """Start a program in `folder`, with its output in `log_file`. Raises OSError."""
    bound = sys.platform == "linux"
    launcher = (sys.executable, "-I", "-S", bound_exec.__file__, str(os.getpid())) if bound else ()

    def start() -> tuple[psutil.Process, _Waiter]:
        with log_file.open("ab") as log:
            child = subprocess.Popen(  # noqa: S603  our own command line
                (*launcher, *command),
                cwd=folder,
                env=_ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C in a terminal reaches its whole process group: the supervisor alone decides who stops when.
                start_new_session=True,
            )
        return psutil.Process(child.pid), child.wait

    return ServerHandle(*await _keep(start, guarded=not bound))


async def adopt(process: psutil.Process) -> ServerHandle:
    """Take a running server over as if it had been started here."""
    return ServerHandle(*await _keep(lambda: (process, lambda: _outlive(process)), guarded=True), adopted=True)


async def _keep(start: _Starter, *, guarded: bool) -> tuple[psutil.Process, float, Future[int | None]]:
    """Start and wait in one thread that lives as long as the server does.

    Linux sends the signal of PR_SET_PDEATHSIG when the *thread* that started the child ends; a thread of a pool, or
    of an event loop in a test, would take the server with it.
    """
    started: Future[tuple[psutil.Process, float]] = Future()
    ended: Future[int | None] = Future()
    ended.set_running_or_notify_cancel()  # from here on nobody who waits can cancel it

    def run() -> None:
        try:
            process, wait = start()
            created = float(process.create_time())
            guard = _guard(process.pid, created) if guarded else None
        except BaseException as error:
            started.set_exception(error)
            return
        started.set_result((process, created))
        code = wait()
        if guard:
            guard.kill()
            guard.communicate()
        ended.set_result(code)

    threading.Thread(target=run, name="neo4j-keeper", daemon=True).start()
    try:
        return *await asyncio.shield(asyncio.wrap_future(started)), ended
    except asyncio.CancelledError:
        # Nobody will hold the handle, so nobody could stop it.
        started.add_done_callback(_kill_started)
        raise


def _kill_started(started: Future[tuple[psutil.Process, float]]) -> None:
    if started.exception() is None:
        process, _ = started.result()
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _guard(pid: int, created: float) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-I", watchdog.__file__, str(pid), str(created))
    return subprocess.Popen(command, env=_ENVIRONMENT, stdin=subprocess.PIPE, start_new_session=True)  # noqa: S603  our own script


def _outlive(process: psutil.Process) -> None:
    """Return when a process that is not our child has ended. A zombie that nobody reaps counts as ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_POLL)
