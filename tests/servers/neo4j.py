"""The Neo4j that tests run against: one of its own in a temporary folder, or the empty one named by
MATRIX_TEST_NEO4J_URI (with MATRIX_TEST_NEO4J_USERNAME and MATRIX_TEST_NEO4J_PASSWORD)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from matrix.graph.database import open_database
from matrix.graph.server_probe import BoltProbe
from matrix.local_neo4j import start_local_neo4j

PASSWORD = "matrix-of-the-tests"


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    uri: str
    username: str
    password: str


@asynccontextmanager
async def running_neo4j(folder: Path) -> AsyncIterator[Neo4jServer]:
    """A server for as long as the context lasts."""
    uri = os.environ.get("MATRIX_TEST_NEO4J_URI")
    if uri:
        yield await _empty_server(uri)
        return
    async with _own_server(folder) as server:
        yield server


async def _empty_server(uri: str) -> Neo4jServer:
    server = Neo4jServer(
        uri, os.environ.get("MATRIX_TEST_NEO4J_USERNAME", "neo4j"), os.environ.get("MATRIX_TEST_NEO4J_PASSWORD", "")
    )
    async with open_database(server.uri, server.username, server.password) as database:
        row = await database.read_one("MATCH (n) RETURN count(n) AS nodes")
    if row is None or row["nodes"]:
        raise RuntimeError("MATRIX_TEST_NEO4J_URI names a database that is not empty: tests would wipe it.")
    return server


@asynccontextmanager
async def _own_server(folder: Path) -> AsyncIterator[Neo4jServer]:
    async with await start_local_neo4j(folder, PASSWORD, BoltProbe()) as running:
        yield Neo4jServer(running.bolt_uri, running.user, PASSWORD)
