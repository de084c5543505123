"""Fixtures that all tests share: no network, one Neo4j a run, a migrated database in it that is emptied before each
module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest

from matrix.graph.database import Database, open_database
from tests.fakes.embedder import FakeEmbedder
from tests.no_network import allow_outside, forbid_outside
from tests.servers.neo4j import Neo4jServer, running_neo4j

# All but what migrations, the pin and the platform itself wrote: people, too, are data.
EMPTY = """
MATCH (n) WHERE NOT (n.orgId = 'platform' AND n.entityType IN ['EntityType', 'Tool', 'Migration', 'MigrationLock',
  'EmbedderPin'])
WITH n LIMIT 1000 DETACH DELETE n RETURN count(*) AS gone
"""


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    with forbid_outside():
        yield


@pytest.fixture(scope="session")
async def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Neo4jServer]:
    async with AsyncExitStack() as stack:
        with allow_outside():
            server = await stack.enter_async_context(running_neo4j(tmp_path_factory.mktemp("neo4j")))
        yield server


@pytest.fixture(scope="session")
async def migrated_database(neo4j_server: Neo4jServer) -> AsyncIterator[Database]:
    """Migrated, pinned to the FakeEmbedder (384 dimensions), with what the platform itself owns."""
    from matrix.wiring.databases import prepare_schema

    async with open_database(neo4j_server.uri, neo4j_server.username, neo4j_server.password) as database:
        await prepare_schema(database, FakeEmbedder())
        yield database


@pytest.fixture(scope="module")
async def database(migrated_database: Database) -> Database:
    """The migrated database, without any entity but the platform's own."""
    while True:
        row = await migrated_database.write_one(EMPTY)
        if row is None or row["gone"] == 0:
            return migrated_database


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()
