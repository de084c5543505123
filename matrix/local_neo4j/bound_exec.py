"""Run as a script on Linux: binds itself to its parent's life, then becomes the given program.

`python -I -S bound_exec.py PARENT_PID PROGRAM ARGUMENT…`. The kernel then kills the program when the parent ends, even
by kill -9. A `preexec_fn` could do the same, but is not safe in a process with threads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, program, arguments = int(sys.argv[1]), sys.argv[2], sys.argv[2:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have ended before the line above: then nobody is left to die with.
    if os.getppid() == parent:
        os.execv(program, arguments)  # noqa: S606  no shell is wanted
    sys.exit(1)


if __name__ == "__main__":
    main()
