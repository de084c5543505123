"""`matrix doctor`: what is wrong with this machine or its database, and how to mend it."""

from __future__ import annotations

import asyncio

import typer

from matrix.cli.console import explained, out, print_json
from matrix.cli.data_folder import read_secrets, with_database, with_secrets
from matrix.cli.options import DataDir, Json, settings_in
from matrix.cli.run_file import read_run


def doctor(data_dir: DataDir = None, json: Json = False) -> None:
    """Check machine, settings and database; exit 1 when something is wrong."""
    with explained(json):
        from matrix.wiring.examination import examine  # noqa: PLC0415  # see `main`

        settings = settings_in(data_dir)
        secrets, run = read_secrets(settings.data_dir), read_run(settings.data_dir)
        settings = with_secrets(settings, secrets) if secrets else settings
        settings = with_database(settings, run.neo4j) if run else settings
        findings = asyncio.run(examine(settings))
    if json:
        print_json([{"name": f.name, "ok": f.ok, "detail": f.detail, "advice": f.advice} for f in findings])
    else:
        for finding in findings:
            out.print(f"{'ok   ' if finding.ok else 'WRONG'}  {finding.name}: {finding.detail}", markup=False)
            if not finding.ok and finding.advice:
                out.print(f"       {finding.advice}", markup=False)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
