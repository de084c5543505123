"""Landlock: the child may read Python's own libraries and nothing else, write nothing, connect nowhere (Linux 5.13+).

Spoken through raw system calls, whose numbers are the same on every architecture. Files that are already open, such as
the document on standard input, stay usable.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Sequence

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION_QUESTION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
# Rights of the file system that each version of the interface knows; handling them all denies them all.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def landlock_version() -> int:
    """The version of the interface that the running kernel offers; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION_QUESTION)))


def restrict_files(readable: Sequence[str]) -> bool:
    """Leaves this process nothing of the file system but the `readable` folders and files. False without Landlock."""
    version = landlock_version()
    if not version:
        return False
    attributes = _ruleset(version)
    ruleset = _checked(_libc().syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    for path in readable:
        _allow_reading(ruleset, path)
    _checked(_libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(_libc().syscall(_RESTRICT, ruleset, 0))
    os.close(ruleset)
    return True


def _ruleset(version: int) -> bytes:
    files = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    network = _TCP_BIND_AND_CONNECT if version >= 4 else 0
    scoped = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    return struct.pack("=QQQ", files, network, scoped)[:size]


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rights = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE  # noqa: PTH112  # pathlib is not loaded here
    rule = struct.pack("=Qi", rights, folder)
    _checked(_libc().syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
    os.close(folder)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
