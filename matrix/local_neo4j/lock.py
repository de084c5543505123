"""Writes `jars.lock.json` anew: `python -m matrix.local_neo4j.lock [FOLDER]`. For maintainers, after changing `ROOTS`.

It resolves the whole dependency tree (one to three minutes on a cold folder) and downloads every jar into FOLDER (a
temporary one by default) to measure and hash it. The natives of all platforms are part of the tree, so that one lock
serves Linux and macOS.
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jgo.maven import MavenContext

from matrix.local_neo4j.jars import LOCK_FILE, ROOTS, Jar, JarLock, sha256_of

THREADS = 16


def resolve_tree(folder: Path) -> list[Any]:
    """The roots and all they need at run time, as jgo artifacts."""
    context = MavenContext(repo_cache=folder, timeout=60)
    roots = [context.create_dependency(":".join(root)) for root in ROOTS]
    inputs, rest = context.resolver.resolve(roots)
    wanted = [dependency for dependency in (*inputs, *rest) if dependency.scope not in ("test", "provided", "system")]
    return [dependency.artifact for dependency in wanted]


def describe(artifact: Any) -> Jar:
    """Download one artifact and note its size and hash."""
    path = Path(artifact.resolve())
    return Jar(
        group=artifact.groupId,
        artifact=artifact.artifactId,
        version=artifact.version,
        classifier=artifact.classifier or "",
        packaging=artifact.packaging,
        sha256=sha256_of(path),
        size=path.stat().st_size,
    )


def write_lock(folder: Path, target: Path = LOCK_FILE) -> JarLock:
    with ThreadPoolExecutor(THREADS) as threads:
        lock = JarLock(tuple(sorted(threads.map(describe, resolve_tree(folder)))))
    target.write_text(lock.as_json(), encoding="utf-8")
    return lock


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        lock = write_lock(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary))
    sys.stdout.write(f"{len(lock.jars)} jars, {lock.total_bytes / 1e6:.0f} MB -> {LOCK_FILE.name}\n")


if __name__ == "__main__":
    main()
