"""`matrix worker`: one worker process. Any number may run on one database."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

from matrix.cli.console import explained, explained_to_parent
from matrix.cli.lifeline import await_opening
from matrix.cli.logs import configure_logs
from matrix.cli.options import DataDir, Lifeline
from matrix.cli.process_settings import process_settings

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from matrix.wiring.worker import Worker


def worker(data_dir: DataDir = None, lifeline: Lifeline = False) -> None:
    """Run a worker alone: it turns uploads into passages."""
    with explained_to_parent() if lifeline else explained():
        from matrix.wiring.worker import open_worker  # noqa: PLC0415  # see `main`

        settings = process_settings(data_dir, **(await_opening() if lifeline else {}))
        configure_logs(settings.log_level)
        asyncio.run(_work(open_worker(settings)))


async def _work(opened: AbstractAsyncContextManager[Worker]) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with opened as running:
        await running.run(stopped)
