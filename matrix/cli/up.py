"""`matrix up`: everything on this machine, in the foreground."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from matrix.cli.console import Steps, err, explained, out, print_json
from matrix.cli.data_folder import Run, read_run
from matrix.cli.demo_corpus import load_demo
from matrix.cli.options import DataDir, Json, settings_in
from matrix.cli.supervisor import supervise
from matrix.errors import MatrixError
from matrix.settings import Settings

DETACH_SECONDS = 600


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
            _announce(_detached(settings), json)
            return
        asyncio.run(supervise(settings, Steps(), partial(_ready, demo=not no_demo, as_json=json)))


async def _ready(run: Run, first_start: bool, *, demo: bool, as_json: bool) -> None:
    _announce(run, as_json)
    if first_start and demo:
        await load_demo(run, out if not as_json else err)


def _announce(run: Run, as_json: bool) -> None:
    if as_json:
        print_json({"pid": run.pid, "url": run.url, "graphql": run.graphql, "org": run.org, "neo4j": run.neo4j.bolt})
        return
    out.print(f"\n[bold]Matrix is ready[/bold]   {run.url}")
    out.print(f"  REST       {run.url}/docs")
    out.print(f"  GraphQL    {run.graphql}")
    if run.neo4j.browser:
        out.print(
            f"  Neo4j      {run.neo4j.browser}   ({run.neo4j.bolt}, {run.neo4j.user} / {run.neo4j.password})",
            markup=False,
        )
    out.print(f"  Sign in    {run.admin_email} / {run.admin_password}", markup=False)
    out.print(f"  API key    {run.api_key}", markup=False)
    out.print("  Stop with Ctrl-C, or `matrix down`.\n", markup=False)


def _detached(settings: Settings) -> Run:
    """Starts `up` in a session of its own and waits until it is ready. Errors: MatrixError with its last words."""
    data_dir = settings.data_dir.resolve()
    log = data_dir / "logs" / "up.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "matrix.cli.main", *_without_detach(sys.argv[1:])]
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  # our own program
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    deadline = time.monotonic() + DETACH_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        run = read_run(data_dir)
        if run is not None and run.pid == process.pid:
            return run
        time.sleep(0.2)
    raise MatrixError("Matrix did not start.", code="not_started", advice=_tail(log))


def _without_detach(arguments: list[str]) -> list[str]:
    return [argument for argument in arguments if argument != "--detach"]


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
