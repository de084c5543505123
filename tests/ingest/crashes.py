"""Ports that die at a chosen call, and a picture of a corpus by which two runs are compared."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from matrix.graph.database import Database
from matrix.ingest.processing import WorkerPorts

PICTURE = """
MATCH (k:Knowledge:Entity {id: $corpus})-[:HAS_DOCUMENT]->(d:KnowledgeDocument)-[:HAS_VERSION]->(v:DocumentVersion)
OPTIONAL MATCH (v)-[h:HAS_CHUNK]->(c:KnowledgeChunk)
RETURN properties(k) AS k, properties(d) AS d, properties(v) AS v, EXISTS { (d)-[:LIVE]->(v) } AS live,
  properties(h) AS h, properties(c) AS c
"""

LOOSE = """
MATCH (c:KnowledgeChunk) WHERE c.scopeId = $corpus AND NOT EXISTS { (c)<-[:HAS_CHUNK]-() }
RETURN count(c) AS loose
"""

_OWN = (
    "Id",
    "At",
    "id",
    "key",
    "Key",
    "createdBy",
    "locked",
    "scopeTokens",
    "retries",
    "uncountedSince",
    "countedAudiences",
)


class Killed(BaseException):
    """The process is gone: nothing catches this."""


class Deaths:
    """Kills a run before and after each step of it, once each: the next run gets one step further."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def ports(self, ports: WorkerPorts) -> WorkerPorts:
        fields = {field.name: getattr(ports, field.name) for field in dataclasses.fields(ports)}
        wrapped = {name: part if isinstance(part, int) else _Port(part, self) for name, part in fields.items()}
        return WorkerPorts(**wrapped)  # type: ignore[arg-type]  # stand-ins for every port

    async def call(self, method: Any, args: Any, kwargs: Any) -> Any:
        self._die_once(f"before {method.__name__}")
        try:
            return await method(*args, **kwargs)
        finally:
            self._die_once(f"after {method.__name__}")

    def _die_once(self, step: str) -> None:
        if step not in self.steps:
            self.steps.append(step)
            raise Killed


class _Port:
    def __init__(self, port: Any, deaths: Deaths) -> None:
        self._port = port
        self._deaths = deaths

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def call(*args: Any, **kwargs: Any) -> Any:
            return await self._deaths.call(found, args, kwargs)

        return call


async def picture(database: Database, corpus: str) -> list[str]:
    """All that the corpus is, but for ids, times and jobs."""
    rows = await database.read(PICTURE, corpus=corpus)
    loose = await database.read_one(LOOSE, corpus=corpus)
    return [*sorted(str({name: _content(part) for name, part in row.items()}) for row in rows), str(loose)]


def _content(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    return sorted((name, str(value)) for name, value in part.items() if not name.endswith(_OWN))
