"""`server.json`: what must survive between starts, and what finds a server whose parent has gone."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from matrix.local_neo4j.addresses import Addresses
from matrix.local_neo4j.atomic import write_atomically


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A running server: pid, its creation time (seconds since 1970, as psutil gives it), its Java and Neo4j version.

    Pid and time together name one process for good: pids are used again, times are not.
    """

    pid: int
    created: float
    java: str
    version: str


@dataclass(frozen=True, slots=True)
class ServerState:
    """Ports are kept when the server stops; `process` is None then."""

    addresses: Addresses
    has_password: bool = False
    process: ServerProcess | None = None


def read_state(path: Path) -> ServerState | None:
    """None when there is no file or a damaged one: all of it can be found anew."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        content = json.loads(path.read_text(encoding="utf-8"))
        process = content["process"]
        return ServerState(
            addresses=Addresses(int(content["boltPort"]), int(content["httpPort"])),
            has_password=bool(content["hasPassword"]),
            process=ServerProcess(**process) if process else None,
        )
    return None


def write_state(path: Path, state: ServerState) -> None:
    """Raises OSError."""
    content = {
        "boltPort": state.addresses.bolt_port,
        "httpPort": state.addresses.http_port,
        "hasPassword": state.has_password,
        "process": asdict(state.process) if state.process else None,
    }
    write_atomically(path, json.dumps(content, indent=2) + "\n")
