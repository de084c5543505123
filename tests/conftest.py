"""Fixtures that all tests share: one Neo4j a run, a migrated database in it that is emptied before each module."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from matrix.graph.database import Database, open_database
from tests.fakes.embedder import FakeEmbedder
from tests.servers.neo4j import Neo4jServer, running_neo4j


@pytest.fixture(scope="session")
async def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Neo4jServer]:
    async with running_neo4j(tmp_path_factory.mktemp("neo4j")) as server:
        yield server


@pytest.fixture(scope="session")
async def migrated_database(neo4j_server: Neo4jServer) -> AsyncIterator[Database]:
    """Migrated, and pinned to the FakeEmbedder (384 dimensions)."""
    from matrix.graph.embedder_pin import pin_embedder
    from matrix.graph.migrations import migrate

    async with open_database(neo4j_server.uri, neo4j_server.username, neo4j_server.password) as database:
        await migrate(database)
        await pin_embedder(database, FakeEmbedder.name, FakeEmbedder.dimensions)
        yield database


@pytest.fixture(scope="module")
async def database(migrated_database: Database) -> Database:
    """The migrated database, without any entity but the platform's own."""
    while True:
        row = await migrated_database.write_one(
            "MATCH (n:Entity) WHERE n.orgId <> 'platform' WITH n LIMIT 1000 DETACH DELETE n RETURN count(*) AS gone"
        )
        if row is None or row["gone"] == 0:
            return migrated_database


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()
