"""One `matrix up` in a data folder: it holds a lock that the kernel drops when the process ends, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from matrix.cli.private_file import cannot_write
from matrix.errors import Conflict

_NAME = "up.lock"
_GLANCES = 5
"""How often a taken lock is tried: somebody who only looks (see `holder`) has it for an instant."""


@contextmanager
def hold_folder(data_dir: Path) -> Iterator[None]:
    """The folder is ours within the context. Errors: Conflict (`up` runs there), CannotWrite."""
    path = data_dir / _NAME
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise cannot_write(path, error) from None
    try:
        _take(descriptor, data_dir)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def holder(data_dir: Path) -> int | None:
    """The process whose `up` works in the folder, ready or still starting; None when there is none."""
    try:
        descriptor = os.open(data_dir / _NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _written(descriptor)
    finally:
        os.close(descriptor)
    return None


def _take(descriptor: int, data_dir: Path) -> None:
    for _ in range(_GLANCES):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.02)
    raise Conflict(
        f"Matrix runs, or is starting, in {data_dir} already (process {_written(descriptor)}).",
        advice="Use it (`matrix status` says where), stop it with `matrix down`, or start another one with --data-dir "
        "and --port.",
    )


def _written(descriptor: int) -> int | None:
    with contextlib.suppress(ValueError):
        return int(os.pread(descriptor, 20, 0))
    return None
