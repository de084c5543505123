"""Fetches jars in parallel threads: staging folder, SHA-256, rename into the cache. Blocking code only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from matrix.errors import LocalServerError
from matrix.local_neo4j.faults import explain_os_error
from matrix.local_neo4j.jar_cache import JarCache, is_right
from matrix.local_neo4j.jars import Jar
from matrix.local_neo4j.registry import JarSource

THREADS = 16
PAUSES = (1.0, 3.0)
"""Seconds before the second and the third attempt at a jar."""


@dataclass(frozen=True, slots=True)
class Download:
    """What every thread works with. Setting `stop` ends the attempts that have not begun yet."""

    cache: JarCache
    source: JarSource
    stop: Event
    pauses: tuple[float, ...] = PAUSES

    def fetch_all(self, jars: Iterable[Jar], arrived: Callable[[int], None]) -> None:
        """Fetch every jar, calling `arrived` with the size of each. Raises the first LocalServerError."""
        # Largest first, so that the last thread to end holds a small one.
        waiting = sorted(jars, key=lambda jar: -jar.size)
        with self.cache.staging() as staging, ThreadPoolExecutor(THREADS) as threads:
            try:
                for done in as_completed([threads.submit(self._fetch, jar, Path(staging)) for jar in waiting]):
                    arrived(done.result())
            except BaseException:
                self.stop.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    def _fetch(self, jar: Jar, staging: Path) -> int:
        for pause in self.pauses:
            try:
                return self._try(jar, staging)
            except LocalServerError as error:
                # A disk or a permission does not mend itself; a registry and a line do.
                if error.code in ("disk_full", "not_writable") or self.stop.wait(pause):
                    raise
        return self._try(jar, staging)

    def _try(self, jar: Jar, staging: Path) -> int:
        # jgo takes a file that is there for a whole one, so a half-fetched one must go first.
        (staging / jar.path).unlink(missing_ok=True)
        fetched = _bring(self.source, jar, staging)
        if not is_right(jar, fetched):
            raise LocalServerError(
                f"{jar.coordinate} arrived with other bytes than the committed lock names.",
                code="jar_corrupt",
                advice="Start again; when it stays so, a proxy between here and the registry changes files.",
            )
        self.cache.put(jar, fetched)
        return jar.size


def _bring(source: JarSource, jar: Jar, staging: Path) -> Path:
    try:
        return source.bring(jar, staging)
    except LookupError as error:
        raise LocalServerError(
            f"The Maven registry did not give {jar.coordinate}.",
            code="jar_missing",
            advice="Start again later, or set NEO4J_URI to a Neo4j of your own.",
        ) from error
    except OSError as error:
        raise explain_os_error(error, f"fetching {jar.coordinate}") or LocalServerError(
            f"The Maven registry could not be reached for {jar.coordinate}: {type(error).__name__}.",
            code="registry_unreachable",
            advice="Check the network and the proxy variables, then start again: what has arrived is kept. "
            "Without a network, set NEO4J_URI to a Neo4j of your own.",
        ) from error
