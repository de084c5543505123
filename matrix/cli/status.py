"""`matrix status`: whether Matrix runs in this data folder, and where."""

from __future__ import annotations

import httpx2
import typer

from matrix.cli.console import explained, out, print_json
from matrix.cli.data_folder import read_run
from matrix.cli.options import DataDir, Json, settings_in


def status(data_dir: DataDir = None, json: Json = False) -> None:
    """Say whether Matrix runs here; exit 1 when it does not."""
    with explained(json):
        run = read_run(settings_in(data_dir).data_dir.resolve())
    ready = run is not None and _answers(f"{run.url}/ready")
    if json:
        print_json(
            {
                "running": run is not None,
                "ready": ready,
                "url": run.url if run else None,
                "pid": run.pid if run else None,
            }
        )
    elif run is None:
        out.print("Matrix is not running here. Start it with `matrix up`.")
    else:
        out.print(f"Matrix runs as process {run.pid} at {run.url}; it is {'ready' if ready else 'not ready'}.")
    if not ready:
        raise typer.Exit(1)


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5, trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False
