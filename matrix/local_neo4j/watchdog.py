"""Run as a script where the kernel does not bind a process to ours: macOS, and servers that were adopted.

`python -I watchdog.py PID CREATED` reads its standard input, a pipe that only our process holds open. When we end, in
whatever way, the pipe ends, and the watchdog kills the server. CREATED guards against a pid that is used again.
"""

from __future__ import annotations

import contextlib
import sys

import psutil

CLOCK_SLACK = 2.0
"""Seconds by which a creation time may differ between two readings: the clock may have been set meanwhile."""


def main() -> None:
    pid, created = int(sys.argv[1]), float(sys.argv[2])
    sys.stdin.buffer.read()
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        if abs(process.create_time() - created) < CLOCK_SLACK:
            process.kill()


if __name__ == "__main__":
    main()
