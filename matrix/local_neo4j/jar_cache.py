"""The cache folder of jars: which are there and right, and how one is put in.

Every jar is hashed once. Its modification time and size then stand in the marker, so that later starts look at 238
file sizes and times (milliseconds) instead of hashing 191 MB.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from matrix.local_neo4j.atomic import write_atomically
from matrix.local_neo4j.jars import NEO4J_VERSION, Jar, sha256_of


@dataclass(frozen=True, slots=True)
class JarCache:
    """A folder that several data folders, and several processes at once, may share."""

    folder: Path

    @property
    def marker(self) -> Path:
        return self.folder / "verified.json"

    @property
    def lock_file(self) -> Path:
        return self.folder / "fetch.lock"

    def path_of(self, jar: Jar) -> Path:
        return self.folder / jar.path

    def staging(self) -> tempfile.TemporaryDirectory[str]:
        """A place on the same disk for half-fetched jars, so that a rename can put them in."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix=".staging-", dir=self.folder)

    def read_marker(self) -> dict[str, int]:
        """Path to modification time in nanoseconds of what was found right before; empty when there is no marker."""
        with contextlib.suppress(OSError, ValueError):
            seen = json.loads(self.marker.read_text(encoding="utf-8"))
            if isinstance(seen, dict):
                return {str(path): int(time) for path, time in seen.items()}
        return {}

    def write_marker(self, jars: Iterable[Jar]) -> None:
        times = {str(jar.path): self.path_of(jar).stat().st_mtime_ns for jar in jars}
        write_atomically(self.marker, json.dumps(times, indent=0), mode=0o644)

    def unchanged(self, jar: Jar, seen: dict[str, int]) -> bool:
        """The cheap check: size right, and not written to since it was hashed."""
        try:
            status = self.path_of(jar).stat()
        except OSError:
            return False
        return status.st_size == jar.size and seen.get(str(jar.path)) == status.st_mtime_ns

    def right(self, jar: Jar) -> bool:
        """The full check: the bytes have the locked SHA-256."""
        return is_right(jar, self.path_of(jar))

    def put(self, jar: Jar, fetched: Path) -> None:
        """Move a checked file in, replacing whatever is there. Raises OSError."""
        target = self.path_of(jar)
        target.parent.mkdir(parents=True, exist_ok=True)
        fetched.replace(target)

    def clear_leftovers(self) -> None:
        """Remove what killed fetches left. Only for the holder of the fetch lock."""
        for folder in self.folder.glob(".staging-*"):
            shutil.rmtree(folder, ignore_errors=True)


def is_right(jar: Jar, path: Path) -> bool:
    try:
        return path.stat().st_size == jar.size and sha256_of(path) == jar.sha256
    except OSError:
        return False


def default_cache_dir() -> Path:
    """Where the platform keeps caches; the version is in the name, so an upgrade starts a new folder."""
    caches = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return caches / "matrix" / f"neo4j-{NEO4J_VERSION}"
