"""`matrix doctor`: what is wrong with this machine or its database, and how to mend it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import typer

from matrix.cli.addresses import free_address
from matrix.cli.console import explained, out, print_json
from matrix.cli.data_folder import read_secrets, with_database, with_secrets
from matrix.cli.options import DataDir, Json, settings_in
from matrix.cli.run_file import Run, read_run
from matrix.cli.status import is_ready
from matrix.errors import MatrixError
from matrix.settings import Settings

if TYPE_CHECKING:
    from matrix.wiring.examination import Finding


def doctor(data_dir: DataDir = None, json: Json = False) -> None:
    """Check machine, settings and database; exit 1 when something is wrong."""
    with explained(json):
        settings = settings_in(data_dir)
        findings = asyncio.run(_look(settings, read_run(settings.data_dir)))
    if json:
        print_json([{"name": f.name, "ok": f.ok, "detail": f.detail, "advice": f.advice} for f in findings])
    else:
        for finding in findings:
            out.print(f"{'ok   ' if finding.ok else 'WRONG'}  {finding.name}: {finding.detail}", markup=False)
            if not finding.ok and finding.advice:
                out.print(f"       {finding.advice}", markup=False)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


async def _look(settings: Settings, run: Run | None) -> list[Finding]:
    from matrix.wiring.examination import Finding, examine  # noqa: PLC0415  # see `main`

    try:
        secrets = read_secrets(settings.data_dir)
    except MatrixError as error:
        return [Finding("data folder", False, error.message, error.advice)]
    settings = with_secrets(settings, secrets) if secrets else settings
    settings = with_database(settings, run.neo4j) if run else settings
    return [*await examine(settings), await _api(settings, run)]


async def _api(settings: Settings, run: Run | None) -> Finding:
    from matrix.wiring.examination import Finding  # noqa: PLC0415  # see `main`

    if run is not None:
        answers = await asyncio.to_thread(is_ready, run.url)
        detail = f"{run.url} {'is ready' if answers else 'is not ready'}"
        return Finding("API", answers, detail, f"Look into {settings.data_dir / 'logs' / 'api.log'}.")
    try:
        await free_address(settings)
    except MatrixError as error:
        return Finding("API", False, error.message, error.advice)
    return Finding("API", True, f"not running; port {settings.port} is free")
