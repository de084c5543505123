"""The server's console log: started anew at each start, read when something went wrong."""

from __future__ import annotations

from pathlib import Path

TAIL_BYTES = 8_000
TAIL_LINES = 30


def fresh_log(path: Path) -> None:
    """Keep one earlier log as `console.previous.log`. Raises OSError."""
    if path.exists():
        path.replace(path.with_name("console.previous.log"))
    path.touch(mode=0o600)


def tail(path: Path) -> str:
    """The last lines, at most 30; a remark when there is nothing to read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            lines = file.read().decode("utf-8", errors="replace").splitlines()
    except OSError as error:
        return f"(no log: {error})"
    return "\n".join(lines[-TAIL_LINES:]) or "(it wrote nothing)"
