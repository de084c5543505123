"""How a child of `matrix up` is tied to it: its standard input is a pipe that only `up` holds open. One line comes
through it, once the database serves: what the child needs to know. When the pipe ends, `up` has ended, in whatever way
and on any system, and so does the child.

So a child can load its code while the database starts, and no password is in any process's environment.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time

PATIENCE = 5.0
"""Seconds between the end of `up` and the killing of a child that does not end: its database has gone, too."""


def opening_line(neo4j: dict[str, str]) -> str:
    """What `up` sends: the settings of the database."""
    return json.dumps({"neo4j": neo4j}) + "\n"


def await_opening() -> dict[str, object]:
    """Settings that `up` sends, as overrides. Ends the process when `up` has gone before it sent any."""
    line = sys.stdin.readline()
    if not line:
        raise SystemExit(0)
    threading.Thread(target=_end_with_parent, name="lifeline", daemon=True).start()
    return dict(json.loads(line))


def _end_with_parent() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os.kill(os.getpid(), signal.SIGKILL)
