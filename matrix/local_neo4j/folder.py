"""Makes the server's folder ready and takes its lock, so that one `up` at a time works in it."""

from __future__ import annotations

import shutil

from matrix.errors import LocalServerError
from matrix.local_neo4j.faults import disk_full, explain_os_error
from matrix.local_neo4j.file_lock import FileLock, LockHeld
from matrix.local_neo4j.home import Home

LEAST_SPACE = 1_000_000_000
"""Bytes that must be free to start: two databases reserve 512 MiB of transaction logs at the first start."""


def take_folder(home: Home, lock: FileLock) -> None:
    """Create and lock the folder. Blocks. Raises LocalServerError `folder_in_use`, `not_writable`, `disk_full`."""
    try:
        home.create()
        lock.take()
    except LockHeld as held:
        who = f"process {held.pid}" if held.pid else "another process"
        raise LocalServerError(
            f"The folder {home.folder} is in use by {who}.",
            code="folder_in_use",
            advice="Run `matrix down` (or end that process), or choose another --data-dir.",
        ) from None
    except OSError as error:
        raise explain_os_error(error, f"preparing {home.folder}") or LocalServerError(
            f"The folder {home.folder} cannot be used: {error}",
            code="folder_unusable",
            advice="Choose another --data-dir, on a local disk.",
        ) from error


def check_space(home: Home) -> None:
    """Raises LocalServerError `disk_full` when too little is left for a database to work."""
    free = shutil.disk_usage(home.folder).free
    if free < LEAST_SPACE:
        raise disk_full(f"{free / 1e6:.0f} MB are free in {home.folder}; Neo4j needs {LEAST_SPACE / 1e6:.0f} MB.")
