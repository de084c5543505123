"""`matrix worker`: one worker process. Any number may run on one database."""

from __future__ import annotations

import asyncio
import signal

from matrix.cli.console import explained
from matrix.cli.logs import configure_logs
from matrix.cli.options import DataDir
from matrix.cli.process_settings import process_settings
from matrix.settings import Settings
from matrix.wiring.worker import open_worker


def worker(data_dir: DataDir = None) -> None:
    """Run a worker alone: it turns uploads into passages."""
    with explained():
        settings = process_settings(data_dir)
        configure_logs(settings.log_level)
        asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with open_worker(settings) as running:
        await running.run(stopped)
