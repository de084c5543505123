"""Child processes of `matrix up`: started in their own group, started again when they die, never left behind."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matrix.errors import MatrixError

MOST_RESTARTS = 3  # in RESTART_WINDOW seconds
RESTART_WINDOW = 60.0
STOP_SECONDS = 15.0
PR_SET_PDEATHSIG = 1


class ChildGaveUp(MatrixError):
    code = "child_failed"


@dataclass(eq=False)
class Child:
    """One command that is to run as long as `up` does. Its output goes to `log`."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str]
    process: asyncio.subprocess.Process | None = None
    stopping: bool = False
    deaths: list[float] = field(default_factory=list)
    pause: float = 0.5  # seconds before the first restart; doubled each time

    async def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *self.command,
                stdout=output,
                stderr=output,
                stdin=asyncio.subprocess.DEVNULL,
                env=dict(self.environment),
                preexec_fn=_die_with_parent,  # prctl alone, which needs no lock
                start_new_session=True,
            )

    async def keep_running(self) -> None:
        """Returns when stopped. Errors: ChildGaveUp when it dies more than three times a minute."""
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
        self.stopping = True
        process = self.process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    def last_words(self, lines: int = 15) -> str:
        with contextlib.suppress(OSError):
            return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
        return ""

    def _count_death(self, code: int) -> None:
        now = time.monotonic()
        self.deaths = [*(at for at in self.deaths if now - at < RESTART_WINDOW), now]
        if len(self.deaths) > MOST_RESTARTS:
            raise ChildGaveUp(
                f"The {self.name} ended {len(self.deaths)} times within a minute (last with code {code}).",
                advice=f"Its log is {self.log}. It ends with:\n{self.last_words()}",
            )


def _die_with_parent() -> None:
    """On Linux the kernel ends the child with its parent, even after kill -9; elsewhere `up` stops it itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
