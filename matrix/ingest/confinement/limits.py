"""What a parser child may use, and how the child takes these limits upon itself."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from dataclasses import dataclass

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_CAPABILITY_VERSION_3 = 0x20080522


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Bytes, seconds and counts for one child, that is for one slice of `slice_pages` pages."""

    address_space: int = 2 << 30
    cpu_seconds: int = 120
    wall_seconds: float = 180.0
    file_size: int = 512 << 20
    open_files: int = 64
    slice_pages: int = 100
    attempts: int = 2
    result_size: int = 256 << 20


def apply_limits(address_space: int, cpu_seconds: int, file_size: int, open_files: int) -> None:
    """Sets the limits of this process, soft and hard. A limit that the system lacks (macOS: memory) is passed over."""
    import resource  # noqa: PLC0415  # absent on Windows, where this module must still load

    for name, soft, hard in (
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_AS", address_space, address_space),
        ("RLIMIT_CPU", cpu_seconds, cpu_seconds + 5),  # apart, so that SIGXCPU comes first and says what happened
        ("RLIMIT_FSIZE", file_size, file_size),
        ("RLIMIT_NOFILE", open_files, open_files),
    ):
        try:
            resource.setrlimit(getattr(resource, name), (soft, hard))
        except (ValueError, OSError, AttributeError):
            if sys.platform == "linux":
                raise


def forbid_processes() -> None:
    """No further process or thread for this user from here on: the fallback where seccomp is missing."""
    import resource  # noqa: PLC0415  # absent on Windows

    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def die_with_parent(parent: int) -> None:
    """Killed when the parent dies; at once if it is dead already. Linux only."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def drop_capabilities() -> None:
    """Root without its powers (a container often runs as root): nothing but ordinary permissions is left."""
    if sys.platform == "linux" and os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
        nothing = (ctypes.c_uint32 * 6)()
        ctypes.CDLL(None, use_errno=True).capset(header, nothing)
