"""`matrix down`: stops what `matrix up` started in this data folder."""

from __future__ import annotations

import os
import signal
import time

from matrix.cli.console import explained, out, print_json
from matrix.cli.data_folder import is_alive, read_run
from matrix.cli.options import DataDir, Json, settings_in
from matrix.errors import MatrixError

STOP_SECONDS = 60


def down(data_dir: DataDir = None, json: Json = False) -> None:
    """Stop Matrix; data stays."""
    with explained(json):
        run = read_run(settings_in(data_dir).data_dir.resolve())
        if run is not None:
            _stop(run.pid)
    if json:
        print_json({"stopped": run is not None})
    else:
        out.print("Stopped." if run else "Nothing is running here.")


def _stop(pid: int) -> None:
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while is_alive(pid):
        if time.monotonic() > deadline:
            raise MatrixError(
                f"Process {pid} does not stop.", code="not_stopped", advice=f"End it with `kill -9 {pid}`."
            )
        time.sleep(0.1)
