"""Every Cypher constant is understood by the database, does what the way it is called says, and is a constant: so that
in a cluster followers answer what only reads, and no text of a client ever becomes Cypher."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from neo4j import AsyncGraphDatabase

from matrix.graph.database import Database
from tests.architecture.cypher_calls import READS, WRITES, built_in_place, calls, constants
from tests.servers.neo4j import Neo4jServer

pytestmark = pytest.mark.feature("A2", "H2")
# What a write transaction may begin with for another reason than writing, with that reason.
READ_ON_THE_LEADER: Mapping[str, str] = {}


@pytest.fixture(scope="module")
async def kinds(neo4j_server: Neo4jServer, database: Database) -> Mapping[str, str]:
    """The database's own judgement of each query: r, rw, w or s."""
    texts = set(constants().values()) | {query for call in calls() for query in call.queries}
    found: dict[str, str] = {}
    auth = (neo4j_server.username, neo4j_server.password)
    async with AsyncGraphDatabase.driver(neo4j_server.uri, auth=auth) as driver, driver.session() as session:
        for text in sorted(texts):
            summary = await (await session.run(f"EXPLAIN {text}")).consume()
            found[text] = summary.query_type or ""
    return found


def test_constants_are_found() -> None:
    assert len(constants()) > 80
    assert len(calls()) > 60


def test_no_query_is_built_where_it_is_called() -> None:
    assert built_in_place() == []


def test_every_constant_is_called(kinds: Mapping[str, str]) -> None:
    called = {query for call in calls() for query in call.queries}
    assert [name for name, text in constants().items() if text not in called] == []


def test_reads_only_read(kinds: Mapping[str, str]) -> None:
    wrong = [
        (call.where, sorted(query.strip()[:60] for query in call.queries if kinds[query] != "r"))
        for call in calls()
        if call.method.startswith("read") and any(kinds[query] != "r" for query in call.queries)
    ]
    assert wrong == []


def test_writes_write(kinds: Mapping[str, str]) -> None:
    """What only reads goes through read*, or in a cluster the leader would answer it."""
    wrong = [
        call.where
        for call in calls()
        if call.method.startswith("write")
        and call.where not in READ_ON_THE_LEADER
        and not any(kinds[query] != "r" for query in call.queries)
    ]
    assert wrong == []


def test_every_call_is_understood() -> None:
    """A call whose queries this test cannot see would escape it."""
    assert [call.where for call in calls() if not call.queries] == []
    assert {call.method for call in calls()} >= READS | WRITES


async def test_the_server_refuses_a_write_in_read_mode(database: Database) -> None:
    """So that a read that writes fails here, and not first in a cluster."""
    with pytest.raises(Exception, match="read access mode"):
        await database.read("CREATE (n:Never) RETURN n")
    assert await database.read("MATCH (n:Never) RETURN n") == []
