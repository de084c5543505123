"""How long and how often a database that does not answer is asked, told from tries and settings, never from times."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from neo4j.exceptions import Neo4jError, ServiceUnavailable

from matrix.errors import DatabaseUnavailable
from matrix.graph.database import FOR_PEOPLE, FOR_WORK, Database, Patience, open_database, translated_errors
from tests.servers.neo4j import Neo4jServer

pytestmark = pytest.mark.feature("H4")


class Away:
    """A driver without a server: every session fails, or hangs. `sessions` counts them."""

    def __init__(self, hangs: bool = False) -> None:
        self.sessions = 0
        self.hangs = hangs

    @asynccontextmanager
    async def session(self, **_: object) -> AsyncIterator[Away]:
        self.sessions += 1
        yield self

    async def run(self, *_: object) -> None:
        if self.hangs:
            await asyncio.Event().wait()
        raise ServiceUnavailable("nobody there")

    async def execute_read(self, _: object) -> None:
        await self.run()

    execute_write = execute_read


def database(driver: Away, patience: Patience = FOR_PEOPLE, seconds: float = 0.01) -> Database:
    return Database(driver, "neo4j", seconds, patience)  # type: ignore[arg-type]  # as much of a driver as it needs


async def test_a_quick_look_is_one_try() -> None:
    driver = Away()
    with pytest.raises(DatabaseUnavailable):
        await database(driver).check_once()
    assert driver.sessions == 1


async def test_a_read_is_tried_once_more_by_the_driver_with_its_patience() -> None:
    driver = Away()
    with pytest.raises(DatabaseUnavailable):
        await database(driver).read("RETURN 1 AS one")
    assert driver.sessions == 2


async def test_a_server_that_hangs_is_given_up() -> None:
    nothing = Patience(0, 0, 0)
    for ask in (
        lambda one: one.check_once(0.01),
        lambda one: one.read("RETURN 1 AS one"),
        lambda one: one.write("CREATE (n:Never)"),
    ):
        driver = Away(hangs=True)
        with pytest.raises(DatabaseUnavailable, match="did not answer within"):
            await ask(database(driver, nothing))
        assert driver.sessions == 1


async def test_an_error_of_time_that_is_not_the_databases_stays_one() -> None:
    class Slow(Away):
        async def run(self, *_: object) -> None:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        await database(Slow()).write("CREATE (n:Never)")


def test_people_wait_less_than_work() -> None:
    assert FOR_PEOPLE.connect + FOR_PEOPLE.retry < 10 < FOR_WORK.total


async def test_the_driver_has_the_patience_that_was_asked_for(neo4j_server: Neo4jServer) -> None:
    async with open_database(
        neo4j_server.uri, neo4j_server.username, neo4j_server.password, patience=FOR_PEOPLE
    ) as opened:
        await opened.check_once()
        assert opened.patience is FOR_PEOPLE
        pool = opened._driver._pool
        assert pool.pool_config.connection_timeout == FOR_PEOPLE.connect
        assert opened._driver._default_workspace_config.max_transaction_retry_time == FOR_PEOPLE.retry
        assert opened._driver._default_workspace_config.connection_acquisition_timeout == FOR_PEOPLE.acquire


@pytest.mark.parametrize("ended", ["TransactionTimedOut", "LockClientStopped", "Terminated"])
def test_what_the_server_ended_may_be_tried_again(ended: str) -> None:
    error = Neo4jError._hydrate_neo4j(code=f"Neo.ClientError.Transaction.{ended}", message="It was ended.")
    with pytest.raises(DatabaseUnavailable), translated_errors():
        raise error
