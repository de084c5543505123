"""A running embedded Neo4j, as the caller holds it: addresses, waiting for its end, stopping."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from matrix.errors import LocalServerError
from matrix.local_neo4j.console import tail
from matrix.local_neo4j.faults import explain_exit
from matrix.local_neo4j.file_lock import FileLock
from matrix.local_neo4j.home import Home
from matrix.local_neo4j.java import Java
from matrix.local_neo4j.process import STOP_TIMEOUT, ServerHandle
from matrix.local_neo4j.state import read_state, write_state


@dataclass(frozen=True, slots=True)
class RunningServer:
    """Answers Bolt at `bolt_uri`. `async with server:` stops it at the end; `adopted` when an orphan was taken over.

    It holds the folder's lock until `stop`, also when the process has ended: a supervisor that restarts it calls
    `stop` first, then `start_local_neo4j` again.
    """

    bolt_uri: str
    browser_url: str
    http_url: str
    user: str
    password: str = field(repr=False)
    pid: int
    java: Java
    adopted: bool
    _home: Home = field(repr=False)
    _handle: ServerHandle = field(repr=False)
    _lock: FileLock = field(repr=False)

    @property
    def is_alive(self) -> bool:
        return self._handle.is_alive

    async def wait(self) -> int | None:
        """Return when the process has ended: its exit code (negative: the signal), None where nobody gets it."""
        return await self._handle.wait()

    async def why_it_ended(self) -> LocalServerError:
        """The error, with code, advice and the log's tail, to show or raise after an unexpected end."""
        code = await self._handle.wait()
        log_file = self._home.console_log
        return explain_exit(code, await asyncio.to_thread(tail, log_file), log_file)

    async def stop(self, timeout: float = STOP_TIMEOUT) -> None:  # noqa: ASYNC109  between two signals, not of the call
        """SIGTERM, after `timeout` seconds SIGKILL; then the folder is free. May be called again."""
        try:
            await self._handle.stop(timeout)
            await asyncio.to_thread(self._forget_process)
        finally:
            self._lock.release()

    def _forget_process(self) -> None:
        """Note that nothing runs, unless the state is somebody else's by now."""
        state = read_state(self._home.state_file)
        if state and state.process and state.process.pid == self.pid:
            write_state(self._home.state_file, replace(state, process=None))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
