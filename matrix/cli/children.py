"""Child processes of `matrix up`: started in a session of their own, started again when they die, never left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matrix.errors import InvalidSettings, MatrixError

MOST_RESTARTS = 3  # in RESTART_WINDOW seconds
RESTART_WINDOW = 60.0
STOP_SECONDS = 30.0  # a worker takes 10 to finish or give back what it does
LOG_BYTES = 10_000_000


class ChildFailed(MatrixError):
    code = "child_failed"


@dataclass(eq=False)
class Child:
    """One command that is to run as long as `up` does. Its output goes to `log`.

    A `parked` one loads its code, then waits for one line (see `lifeline`) that `release` gives it.
    """

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str]
    parked: bool = False
    process: asyncio.subprocess.Process | None = None
    stopping: bool = False
    deaths: list[float] = field(default_factory=list)
    pause: float = 0.5  # seconds before the first restart; doubled each time
    opening: bytes = b""
    log_start: int = 0  # where the log of this process begins

    async def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._turn_log()
        with self.log.open("ab") as output:
            self.log_start = output.tell()
            self.process = await asyncio.create_subprocess_exec(
                *self.command,
                stdout=output,
                stderr=output,
                stdin=asyncio.subprocess.PIPE if self.parked else asyncio.subprocess.DEVNULL,
                env=dict(self.environment),
                start_new_session=True,  # Ctrl-C reaches `up` alone, which stops things in order
            )
        self._send_opening()

    def release(self, opening: str) -> None:
        """Let a parked child work, now and after each restart."""
        self.opening = opening.encode()
        self._send_opening()

    async def keep_running(self) -> None:
        """Returns when stopped. Errors: ChildFailed when it dies more than three times a minute."""
        while not self.stopping:
            assert self.process is not None
            code = await self.process.wait()
            if self.stopping:
                return
            self._count_death(code)
            await asyncio.sleep(self.pause * 2 ** (len(self.deaths) - 1))
            if not self.stopping:
                await self.start()

    async def stop(self) -> None:
        """SIGTERM, and SIGKILL for it and all its own children when that does not help. May be called again."""
        self.stopping = True
        process = self.process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            self.kill()
            await process.wait()

    def kill(self) -> None:
        """At once, with all that it started."""
        self.stopping = True
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def failure(self, message: str) -> MatrixError:
        """Why it ended: in its own words where it said so, else `message` with the end of its log."""
        words = self.last_words()
        with contextlib.suppress(ValueError, KeyError, IndexError, TypeError):
            said = json.loads(words.splitlines()[-1])
            kind = InvalidSettings if said["code"] == InvalidSettings.code else MatrixError
            return kind(said["error"], code=said["code"], advice=said["advice"])
        return ChildFailed(message, advice=f"Its log is {self.log}. It ends with:\n{words or '(nothing)'}")

    def last_words(self, lines: int = 15) -> str:
        """The last lines that this process, not an earlier one, wrote."""
        with contextlib.suppress(OSError), self.log.open("rb") as file:
            file.seek(self.log_start)
            return "\n".join(file.read().decode("utf-8", errors="replace").splitlines()[-lines:])
        return ""

    def _send_opening(self) -> None:
        if self.opening and self.process is not None and self.process.stdin is not None:
            self.process.stdin.write(self.opening)

    def _turn_log(self) -> None:
        """Keeps one earlier log beside the current one."""
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".previous.log"))

    def _count_death(self, code: int) -> None:
        now = time.monotonic()
        self.deaths = [*(at for at in self.deaths if now - at < RESTART_WINDOW), now]
        if len(self.deaths) > MOST_RESTARTS:
            raise self.failure(
                f"The {self.name} ended {len(self.deaths)} times within a minute (last with code {code})."
            )
