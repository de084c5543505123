"""The layout of one server's folder, `<data-dir>/neo4j`: Neo4j's home, and beside it what we keep about it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

_OWN = 0o700


@dataclass(frozen=True, slots=True)
class Home:
    """An absolute path without links, so that it can be recognised in a command line."""

    folder: Path

    @property
    def conf(self) -> Path:
        return self.folder / "conf" / "neo4j.conf"

    @property
    def java_arguments(self) -> Path:
        return self.folder / "conf" / "java.args"

    @property
    def console_log(self) -> Path:
        return self.folder / "logs" / "console.log"

    @property
    def state_file(self) -> Path:
        return self.folder / "server.json"

    @property
    def lock_file(self) -> Path:
        return self.folder / "up.lock"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def imports(self) -> Path:
        return self.folder / "import"

    def create(self) -> None:
        """Make the folders, for this account only. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(_OWN)
        for folder in (self.conf.parent, self.console_log.parent, self.imports):
            folder.mkdir(exist_ok=True)

    def clear_temporary(self) -> None:
        """Remove the native libraries that a killed server unpacked. Only while no server runs. Raises OSError."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(exist_ok=True)


def home_of(data_dir: Path) -> Home:
    """The server's folder inside a data folder; nothing is made."""
    return Home(data_dir.expanduser().resolve() / "neo4j")
