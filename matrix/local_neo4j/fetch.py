"""Makes sure that every jar of the lock stands in the cache folder: look, and fetch what is missing."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from matrix.errors import LocalServerError
from matrix.local_neo4j.download import PAUSES, THREADS, Download
from matrix.local_neo4j.faults import disk_full, explain_os_error
from matrix.local_neo4j.file_lock import FileLock, LockHeld
from matrix.local_neo4j.jar_cache import JarCache
from matrix.local_neo4j.jars import Jar, JarLock
from matrix.local_neo4j.ports import Progress
from matrix.local_neo4j.registry import JarSource

WAIT_POLL = 0.2
"""Seconds between looks at another process's fetch."""


async def ensure_jars(
    lock: JarLock, cache: JarCache, source: JarSource, progress: Progress, pauses: tuple[float, ...] = PAUSES
) -> tuple[Path, ...]:
    """All jars, fetched where needed, as paths in class-path order.

    `pauses` are the seconds between attempts at one jar.
    Raises LocalServerError: `registry_unreachable`, `jar_missing`, `jar_corrupt`, `disk_full`, `not_writable`.
    """
    try:
        if not await asyncio.to_thread(all_unchanged, lock, cache):
            await _complete(lock, Download(cache, source, Event(), pauses), progress)
    except OSError as error:
        raise explain_os_error(error, "preparing the folder of jars") or LocalServerError(
            f"The folder of jars {cache.folder} cannot be used: {error}", code="cache_unusable"
        ) from error
    return tuple(cache.path_of(jar) for jar in lock.jars)


def all_unchanged(lock: JarLock, cache: JarCache) -> bool:
    """The cheap look of every start but the first. Blocks for some milliseconds."""
    seen = cache.read_marker()
    return all(cache.unchanged(jar, seen) for jar in lock.jars)


def missing_jars(lock: JarLock, cache: JarCache) -> tuple[Jar, ...]:
    """What is absent or wrong, hashing whatever the marker does not vouch for. Blocks."""
    seen = cache.read_marker()
    doubtful = [jar for jar in lock.jars if not cache.unchanged(jar, seen)]
    with ThreadPoolExecutor(THREADS) as threads:
        verdicts = threads.map(cache.right, doubtful)
        return tuple(jar for jar, right in zip(doubtful, verdicts, strict=True) if not right)


async def _complete(lock: JarLock, download: Download, progress: Progress) -> None:
    cache = download.cache
    cache.folder.mkdir(parents=True, exist_ok=True)
    async with _alone(cache.lock_file, progress):
        await asyncio.to_thread(cache.clear_leftovers)
        missing = await asyncio.to_thread(missing_jars, lock, cache)
        if missing:
            _check_space(missing, cache.folder)
            await _fetch(missing, download, progress)
        await asyncio.to_thread(cache.write_marker, lock.jars)


@contextlib.asynccontextmanager
async def _alone(path: Path, progress: Progress) -> AsyncIterator[None]:
    """One fetching process at a time: a second one waits, then finds everything there."""
    lock, waited = FileLock(path), False
    while (holder := _take(lock)) is not None:
        if not waited:
            progress.begin(f"Waiting for process {holder}, which is fetching Neo4j", None)
        waited = True
        await asyncio.sleep(WAIT_POLL)
    if waited:
        progress.finish()
    try:
        yield
    finally:
        lock.release()


def _take(lock: FileLock) -> int | None:
    try:
        lock.take()
    except LockHeld as held:
        return held.pid or 0
    return None


def _check_space(missing: Iterable[Jar], folder: Path) -> None:
    needed = sum(jar.size for jar in missing)
    free = shutil.disk_usage(folder).free
    if free < needed * 1.05:
        raise disk_full(f"Neo4j needs {needed / 1e6:.0f} MB in {folder}, and {free / 1e6:.0f} MB are free.")


async def _fetch(missing: tuple[Jar, ...], download: Download, progress: Progress) -> None:
    loop = asyncio.get_running_loop()

    def arrived(size: int) -> None:
        loop.call_soon_threadsafe(progress.advance, size)

    progress.begin("Fetching Neo4j", sum(jar.size for jar in missing))
    try:
        await asyncio.to_thread(download.fetch_all, missing, arrived)
    finally:
        # When this task is cancelled the thread goes on: tell it to end with what it holds.
        download.stop.set()
    progress.finish()
