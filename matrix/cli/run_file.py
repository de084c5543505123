"""`run.json`: where a running Matrix is and how to get in. It counts only while the process that it names works in the
folder, so neither a file left by a killed process nor a process number used again misleads anybody."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from matrix.cli.data_folder import Neo4jRun
from matrix.cli.folder_lock import holder
from matrix.cli.private_file import write_private


@dataclass(frozen=True, slots=True)
class Run:
    """A running Matrix: where it is and how to get in."""

    pid: int
    url: str
    graphql: str
    admin: str
    org: str
    api_key: str
    admin_email: str
    admin_password: str | None
    neo4j: Neo4jRun


def read_run(data_dir: Path) -> Run | None:
    """What runs in this folder and is ready, or None."""
    try:
        raw = json.loads((data_dir / "run.json").read_text(encoding="utf-8"))
        run = Run(
            pid=raw["pid"],
            url=raw["url"],
            graphql=raw["graphql"],
            admin=raw["admin"],
            org=raw["org"],
            api_key=raw["apiKey"],
            admin_email=raw["adminEmail"],
            admin_password=raw["adminPassword"],
            neo4j=Neo4jRun(**raw["neo4j"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return run if run.pid == holder(data_dir) else None


def write_run(data_dir: Path, run: Run) -> None:
    """Errors: CannotWrite."""
    body = {
        "pid": run.pid,
        "url": run.url,
        "graphql": run.graphql,
        "admin": run.admin,
        "org": run.org,
        "apiKey": run.api_key,
        "adminEmail": run.admin_email,
        "adminPassword": run.admin_password,
        "neo4j": asdict(run.neo4j),
    }
    write_private(data_dir / "run.json", json.dumps(body, indent=2))


def remove_run(data_dir: Path) -> bool:
    """Whether there was one."""
    path = data_dir / "run.json"
    there = path.exists()
    path.unlink(missing_ok=True)
    return there
