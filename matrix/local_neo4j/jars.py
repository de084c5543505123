"""The committed list of jars that make up the embedded Neo4j, and the values that describe one.

`jars.lock.json` holds names, versions, sizes and SHA-256, never a host: where jars come from is the registry client's
own business. `lock.py` writes the file, `fetch.py` brings the jars.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypedDict

LOCK_FILE = Path(__file__).with_name("jars.lock.json")

ROOTS = (
    ("org.neo4j", "neo4j", "2026.08.1"),
    ("org.neo4j.app", "neo4j-server", "2026.08.1"),
    ("org.neo4j.client", "neo4j-browser", "5.24.0"),
)
"""Group, artifact and version of what is asked for; all other jars follow from them."""

NEO4J_VERSION = ROOTS[0][2]


class JarRow(TypedDict):
    group: str
    artifact: str
    version: str
    classifier: str
    packaging: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, order=True)
class Jar:
    """One file of the registry: its coordinates, its SHA-256 in hex, its size in bytes."""

    group: str
    artifact: str
    version: str
    classifier: str
    packaging: str
    sha256: str
    size: int

    @property
    def path(self) -> PurePosixPath:
        """Where it lies below a cache folder, in the registry's own layout."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        name = f"{self.artifact}-{self.version}{suffix}.{self.packaging}"
        return PurePosixPath(*self.group.split("."), self.artifact, self.version, name)

    @property
    def coordinate(self) -> str:
        return ":".join(part for part in (self.group, self.artifact, self.classifier, self.version) if part)


@dataclass(frozen=True)
class JarLock:
    """All jars, in class-path order."""

    jars: tuple[Jar, ...]

    @property
    def total_bytes(self) -> int:
        return sum(jar.size for jar in self.jars)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the list itself: what a cache folder's marker is compared with."""
        return hashlib.sha256(self.as_json().encode()).hexdigest()

    def as_json(self) -> str:
        """One row a line, so that a change of version reads as one changed line."""
        rows = ",\n".join(f"  {json.dumps(asdict(jar))}" for jar in self.jars)
        return f"[\n{rows}\n]\n"


def load_lock(path: Path = LOCK_FILE) -> JarLock:
    """Read the committed lock. Raises OSError or ValueError only when the installation itself is damaged."""
    rows: list[JarRow] = json.loads(path.read_text(encoding="utf-8"))
    return JarLock(tuple(Jar(**row) for row in rows))


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
