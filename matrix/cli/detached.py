"""`matrix up --detach`: the same command in a session of its own, watched until it is ready."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from matrix.cli.console import err
from matrix.cli.private_file import cannot_write
from matrix.cli.run_file import Run, read_run
from matrix.errors import MatrixError

POLL_SECONDS = 0.1


def start_detached(data_dir: Path) -> Run:
    """Shows what it prints meanwhile. Errors: MatrixError when it ended instead of getting ready; CannotWrite.

    There is no time limit: the first start fetches what it needs, however slow the network is. Ctrl-C ends it.
    """
    log = data_dir / "logs" / "up.log"
    process = _start(log)
    shown = 0
    try:
        while process.poll() is None:
            more = _more(log, shown)  # read before the file is: what it says once it is ready, we say ourselves
            run = read_run(data_dir)
            if run is not None and run.pid == process.pid:
                return run
            shown += _show(more)
            time.sleep(POLL_SECONDS)
        _show(_more(log, shown))
    except BaseException:
        process.terminate()
        process.wait()
        raise
    raise MatrixError("Matrix did not start.", code="not_started", advice=f"What it said is above, and in {log}.")


def _start(log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "matrix.cli.main", *(word for word in sys.argv[1:] if word != "--detach")]
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            return subprocess.Popen(  # noqa: S603  # our own program
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
    except OSError as error:
        raise cannot_write(log, error) from None


def _more(log: Path, start: int) -> bytes:
    with log.open("rb") as file:
        file.seek(start)
        return file.read()


def _show(more: bytes) -> int:
    err.file.write(more.decode("utf-8", errors="replace"))
    err.file.flush()
    return len(more)
