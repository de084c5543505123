"""`matrix serve`: one API process. Any number may run on one database."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
import uvicorn

from matrix.api.application import create_application
from matrix.cli.console import explained
from matrix.cli.logs import configure_logs
from matrix.cli.options import DataDir
from matrix.cli.process_settings import process_settings
from matrix.settings import Settings
from matrix.wiring.services import open_services


def serve(
    data_dir: DataDir = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port.")] = None,
) -> None:
    """Run the API alone, on the database that the settings name."""
    with explained():
        settings = process_settings(data_dir, host=host, port=port)
        configure_logs(settings.log_level)
        asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    async with open_services(settings) as services:
        config = uvicorn.Config(
            create_application(services),
            host=settings.host,
            port=settings.port,
            log_config=None,
            server_header=False,
            date_header=True,
            proxy_headers=False,
            ws_max_size=1024 * 1024,
            timeout_graceful_shutdown=10,
        )
        await uvicorn.Server(config).serve()
