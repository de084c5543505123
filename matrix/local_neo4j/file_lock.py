"""An exclusive lock on a file (flock): the kernel drops it when its holder ends, however that ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path


class LockHeld(Exception):
    """Somebody else holds the lock; `pid` is who, as far as the file tells."""

    def __init__(self, pid: int | None) -> None:
        super().__init__(f"held by process {pid}")
        self.pid = pid


class FileLock:
    """Held from `take` to `release`. Python opens files as not inheritable, so no child process keeps it alive."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._over = False

    def take(self) -> None:
        """Take the lock and write our pid into the file. Raises LockHeld at once when it is taken, and OSError."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _read_pid(descriptor)
            os.close(descriptor)
            raise LockHeld(holder) from None
        except OSError:
            os.close(descriptor)
            raise
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        self._descriptor = descriptor
        if self._over:
            self.release()

    def release(self) -> None:
        """Let go, for good: a `take` that still runs in another thread lets go too. Harmless when not held.

        The file stays, since removing it would race with the next taker.
        """
        self._over = True
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.ftruncate(descriptor, 0)
            os.close(descriptor)


def holder_of(path: Path) -> int | None:
    """The pid that holds the lock, 0 when it is held by somebody unnamed, None when it is free."""
    if not path.exists():
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_pid(descriptor) or 0
    finally:
        os.close(descriptor)
    return None


def _read_pid(descriptor: int) -> int | None:
    with contextlib.suppress(ValueError):
        return int(os.pread(descriptor, 20, 0))
    return None
