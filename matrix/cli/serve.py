"""`matrix serve`: one API process. Any number may run on one database."""

from __future__ import annotations

from typing import Annotated

import typer

from matrix.cli.console import explained, explained_to_parent
from matrix.cli.data_folder import ensure_secrets
from matrix.cli.lifeline import await_opening
from matrix.cli.logs import configure_logs
from matrix.cli.options import DataDir, Lifeline
from matrix.cli.process_settings import process_settings


def serve(
    data_dir: DataDir = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port.")] = None,
    lifeline: Lifeline = False,
) -> None:
    """Run the API alone, on the database that the settings name."""
    with explained_to_parent() if lifeline else explained():
        import matrix.cli.api_process as process  # noqa: PLC0415  # see `main`

        settings = process_settings(data_dir, host=host, port=port, **(await_opening() if lifeline else {}))
        configure_logs(settings.log_level)
        process.run(settings, ensure_secrets(settings.data_dir).api_key)
