"""What holds parser children on this machine, in words: for `matrix doctor`."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from matrix.ingest.confinement.landlock import landlock_version
from matrix.ingest.confinement.seccomp import seccomp_available


@dataclass(frozen=True, slots=True)
class Protection:
    """A safeguard of the parse sandbox; `remedy` says what to do where it is not in force."""

    name: str
    in_force: bool
    remedy: str = ""


def protections() -> tuple[Protection, ...]:
    """The safeguards, asked of the running kernel."""
    linux = sys.platform == "linux"
    return (
        Protection("time, CPU, file size and open files are limited", sys.platform != "win32", "Run Matrix on Linux."),
        Protection("memory is limited", linux, "Run Matrix on Linux, or in a container with a memory limit."),
        Protection(
            "no file can be read or written but Python's own (Landlock)",
            landlock_version() > 0,
            "Use Linux 5.13 or newer, and a container runtime that lets Landlock's system calls through.",
        ),
        Protection(
            "no socket can be opened and no process started (seccomp)",
            seccomp_available(),
            "Use Linux on x86-64 or AArch64 with seccomp filters in the kernel.",
        ),
    )
