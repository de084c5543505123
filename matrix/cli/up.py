"""`matrix up`: everything on this machine, in the foreground."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from matrix.cli.console import Steps, explained, out, print_json
from matrix.cli.demo_corpus import intend_demo, is_demo_intended
from matrix.cli.detached import start_detached
from matrix.cli.options import DataDir, Json, settings_in
from matrix.cli.run_file import Run


def up(
    detach: Annotated[
        bool, typer.Option("--detach", help="Return when it is ready; stop it with `matrix down`.")
    ] = False,
    data_dir: DataDir = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 by default.")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 8080 by default, 0 takes any free one.")] = None,
    no_demo: Annotated[bool, typer.Option("--no-demo", help="Make no demo corpus at the first start.")] = False,
    json: Json = False,
) -> None:
    """Start database, API and worker; Ctrl-C stops all of it."""
    with explained(json):
        settings = settings_in(data_dir, host=host, port=port)
        if detach:
            _announce(start_detached(settings.data_dir), as_json=json)
            return
        from matrix.cli.supervisor import supervise  # noqa: PLC0415  # see `main`

        intend_demo(settings.data_dir, wanted=not no_demo)
        asyncio.run(supervise(settings, Steps(), partial(_ready, settings.data_dir, as_json=json)))


async def _ready(data_dir: Path, run: Run, *, as_json: bool) -> None:
    _announce(run, as_json=as_json)
    if is_demo_intended(data_dir):
        await _make_demo(data_dir, quiet=as_json)


async def _make_demo(data_dir: Path, *, quiet: bool) -> None:
    """In a process of its own, which ends when `up` is stopped meanwhile; what it says is shown."""
    command = (sys.executable, "-m", "matrix.cli.main", "make-demo", "--data-dir", str(data_dir))
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=sys.stderr if quiet else None, start_new_session=True
    )
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _announce(run: Run, *, as_json: bool) -> None:
    if as_json:
        print_json({"pid": run.pid, "url": run.url, "graphql": run.graphql, "org": run.org, "neo4j": run.neo4j.bolt})
        return
    out.print(f"\n[bold]Matrix is ready[/bold]   {run.url}")
    out.print(f"  REST       {run.url}/docs")
    out.print(f"  GraphQL    {run.graphql}")
    if run.neo4j.browser:
        where = f"{run.neo4j.browser}   ({run.neo4j.bolt}, {run.neo4j.user} / {run.neo4j.password})"
        out.print(f"  Neo4j      {where}", markup=False)
    out.print(f"  Sign in    {run.admin_email} / {run.admin_password} (until it is changed)", markup=False)
    out.print(f"  API key    {run.api_key}", markup=False)
    out.print("  Stop with Ctrl-C, or `matrix down`.\n", markup=False)
