"""`matrix status`: whether Matrix runs in this data folder, and where."""

from __future__ import annotations

import httpx2
import typer

from matrix.cli.console import explained, out, print_json
from matrix.cli.folder_lock import holder
from matrix.cli.options import DataDir, Json, settings_in
from matrix.cli.run_file import read_run


def status(data_dir: DataDir = None, json: Json = False) -> None:
    """Say whether Matrix runs here; exit 1 when it does not, or is not ready."""
    with explained(json):
        folder = settings_in(data_dir).data_dir
    run, pid = read_run(folder), holder(folder)
    ready = run is not None and is_ready(run.url)
    if json:
        print_json({"running": pid is not None, "ready": ready, "url": run.url if run else None, "pid": pid})
    elif run is not None:
        out.print(f"Matrix runs as process {run.pid} at {run.url}; it is {'ready' if ready else 'not ready'}.")
    elif pid is not None:
        out.print(f"Matrix is starting, or stopping, as process {pid}.")
    else:
        out.print(f"Matrix is not running in {folder}. Start it with `matrix up`.", markup=False)
    if not ready:
        raise typer.Exit(1)


def is_ready(url: str) -> bool:
    """Whether the Matrix at `url` can serve."""
    try:
        return httpx2.get(f"{url}/ready", timeout=5, trust_env=False).status_code == httpx2.codes.OK
    except httpx2.HTTPError:
        return False
