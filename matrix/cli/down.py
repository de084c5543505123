"""`matrix down`: stops what `matrix up` started in this data folder."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from matrix.cli.console import explained, out, print_json
from matrix.cli.folder_lock import holder
from matrix.cli.options import DataDir, Json, settings_in
from matrix.errors import MatrixError

STOP_SECONDS = 90
"""A worker takes 10 to give back its jobs, a busy database 30 to close its files."""


def down(data_dir: DataDir = None, json: Json = False) -> None:
    """Stop Matrix, ready or still starting; data stays. Exit 0 as well when nothing ran."""
    with explained(json):
        folder = settings_in(data_dir).data_dir
        pid = holder(folder)
        if pid is not None:
            _stop(folder, pid)
    if json:
        print_json({"stopped": pid is not None})
    else:
        out.print("Stopped." if pid else f"Nothing is running in {folder}.", markup=False)


def _stop(folder: Path, pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while holder(folder) == pid:
        if time.monotonic() > deadline:
            raise MatrixError(
                f"Process {pid} does not stop.",
                code="not_stopped",
                advice=f"End it with `kill -9 {pid}`; its children end with it, and no data is lost.",
            )
        time.sleep(0.1)
