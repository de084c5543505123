"""Turns what the machine and the server say into errors with a code and advice that a person can act on."""

from __future__ import annotations

import errno
from pathlib import Path

from matrix.errors import LocalServerError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)

_KNOWN_WORDS = (
    (("No space left on device", "Disk quota exceeded"), "disk_full", "Free disk space, then start again."),
    (
        ("Address already in use", "BindException", "PortBindException"),
        "port_taken",
        "Another program took the port. Start again: other free ports are chosen by themselves.",
    ),
    (
        ("UnsupportedClassVersionError",),
        "java_too_old",
        "Install Java 21 or newer, or unset JAVA_HOME so that another is found.",
    ),
    (
        ("insufficient memory for the Java Runtime", "OutOfMemoryError", "Could not reserve enough space"),
        "out_of_memory",
        "Close other programs, or run on a machine with at least 2 GB of free memory.",
    ),
    (
        ("FileLockException", "StoreLockException", "Lock file has been locked"),
        "folder_in_use",
        "Another Neo4j works in this folder: stop it (`matrix down`), or choose another --data-dir.",
    ),
    (("AccessDeniedException", "Permission denied"), "not_writable", "Make the data folder writable for your account."),
)


def explain_os_error(error: OSError, doing: str) -> LocalServerError | None:
    """The clear error for a full disk or a missing permission; None for all else. `doing` completes "while …"."""
    if error.errno in _FULL:
        return disk_full(f"The disk is full while {doing}: {error}")
    if error.errno in _FORBIDDEN:
        return LocalServerError(
            f"Not permitted while {doing}: {error}",
            code="not_writable",
            advice="Make the folder writable for your account, or choose another --data-dir.",
        )
    return None


def disk_full(message: str) -> LocalServerError:
    return LocalServerError(message, code="disk_full", advice="Free disk space, then start again.")


def explain_exit(return_code: int | None, log_tail: str, log_file: Path) -> LocalServerError:
    """The error for a server that ended by itself, from the last lines that it wrote."""
    message = f"Neo4j ended (exit code {return_code}). Its last words:\n{log_tail}"
    for words, code, advice in _KNOWN_WORDS:
        if any(word in log_tail for word in words):
            return LocalServerError(message, code=code, advice=advice)
    return LocalServerError(message, code="server_died", advice=f"Read {log_file}, then run `matrix doctor`.")
