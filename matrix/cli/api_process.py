"""What `matrix serve` runs. Its imports take a second, so nothing but that command imports it."""

from __future__ import annotations

import asyncio

import uvicorn
from uvicorn.loops.auto import auto_loop_factory

from matrix.api.application import create_application
from matrix.settings import Settings
from matrix.wiring.databases import prepare_database, until_it_answers
from matrix.wiring.services import open_services

STOP_SECONDS = 10
"""For requests that still run when the end is asked for."""


def run(settings: Settings, api_key: str) -> None:
    """`serve` on the fastest event loop that is installed."""
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(serve(settings, api_key))


async def serve(settings: Settings, api_key: str) -> None:
    """Brings the database to where this version needs it, then serves until a signal comes.

    `api_key` is the one that this machine's command line is to have. Errors as in `prepare_database`.
    """
    await until_it_answers(settings)
    await prepare_database(settings, api_key)
    async with open_services(settings) as services:
        config = uvicorn.Config(
            create_application(services),
            host=settings.host,
            port=settings.port,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            ws_max_size=1024 * 1024,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        await uvicorn.Server(config).serve()
