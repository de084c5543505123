"""Files that only their owner may read, written whole or not at all; and what is said when a folder takes none."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from matrix.errors import MatrixError


class CannotWrite(MatrixError):
    code = "not_writable"
    advice = "Make the folder writable for your account, or choose another --data-dir."


def write_private(path: Path, text: str) -> None:
    """Errors: CannotWrite."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise cannot_write(path, error) from None


def cannot_write(path: Path, error: OSError) -> CannotWrite:
    """What stands in the way, in words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CannotWrite(
            f"The disk is full: {path} cannot be written.",
            code="disk_full",
            advice="Free some disk space, or choose another --data-dir.",
        )
    return CannotWrite(f"{path} cannot be used: {error.strerror or error}.")
