"""An open Neo4j database: reads are routed to followers, writes to the leader, transient errors retried, every
transaction bounded in time. The only place where the driver's exceptions are translated."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, LiteralString, TypeVar

from neo4j import (
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    NotificationMinimumSeverity,
    Query,
    Record,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from matrix.errors import Conflict, DatabaseUnavailable, InvalidSettings

Row = Mapping[str, Any]  # a record of the driver: values are vendor values until a repository reads them
T = TypeVar("T")


class Transaction:
    """Several statements that commit together."""

    def __init__(self, vendor: AsyncManagedTransaction) -> None:
        self._vendor = vendor

    async def run(self, query: LiteralString, /, **parameters: object) -> list[Row]:
        result = await self._vendor.run(query, parameters)
        return [_row(record) async for record in result]

    async def one(self, query: LiteralString, /, **parameters: object) -> Row | None:
        rows = await self.run(query, **parameters)
        return rows[0] if rows else None


class Database:
    """One database of a server or a cluster, shared by all repositories of the process."""

    def __init__(self, driver: AsyncDriver, name: str, transaction_seconds: float) -> None:
        self._driver = driver
        self._name = name
        self._seconds = transaction_seconds
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()

    async def read(self, query: LiteralString, /, **parameters: object) -> list[Row]:
        """Rows of a query that writes nothing; in a cluster a follower may answer it.

        One round trip: a transaction around a single read costs two more. What may pass is tried again, in one.
        """
        bounded = Query(query, timeout=self._seconds)
        with translated_errors():
            try:
                async with self._reading() as session:
                    return [_row(record) async for record in await session.run(bounded, parameters)]
            except (DriverError, Neo4jError) as error:
                if not error.is_retryable():
                    raise
        return await self.read_together(lambda tx: tx.run(query, **parameters))

    async def read_one(self, query: LiteralString, /, **parameters: object) -> Row | None:
        rows = await self.read(query, **parameters)
        return rows[0] if rows else None

    async def write(self, query: LiteralString, /, **parameters: object) -> list[Row]:
        """Rows of a query that writes, in a transaction of its own."""
        return await self.write_together(lambda tx: tx.run(query, **parameters))

    async def write_one(self, query: LiteralString, /, **parameters: object) -> Row | None:
        rows = await self.write(query, **parameters)
        return rows[0] if rows else None

    async def read_together(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        bounded = unit_of_work(timeout=self._seconds)(_on(work))
        with translated_errors():
            async with self._reading() as session:
                return await session.execute_read(bounded)

    async def write_together(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """All that `work` runs commits together; it may run more than once, when a transient error is retried."""
        bounded = unit_of_work(timeout=self._seconds)(_on(work))
        with translated_errors():
            async with self._driver.session(database=self._name, bookmark_manager=self._bookmarks) as session:
                return await session.execute_write(bounded)

    async def change_schema(self, query: str) -> None:
        """One schema statement (DDL cannot share a transaction with data); `query` comes from a migration file."""
        with translated_errors():
            async with self._driver.session(database=self._name, bookmark_manager=self._bookmarks) as session:
                await (await session.run(Query(query, timeout=600))).consume()

    def _reading(self) -> AsyncSession:
        return self._driver.session(database=self._name, default_access_mode="READ", bookmark_manager=self._bookmarks)

    async def check(self) -> None:
        """Raises DatabaseUnavailable when the database does not answer."""
        await self.read("RETURN 1 AS one")


@asynccontextmanager
async def open_database(
    uri: str, username: str, password: str, name: str = "neo4j", transaction_seconds: float = 15
) -> AsyncIterator[Database]:
    """A Database for as long as the context lasts. Nothing is asked of the server yet: `check` does."""
    driver = AsyncGraphDatabase.driver(
        uri,
        auth=(username, password),
        connection_acquisition_timeout=15,
        connection_timeout=10,
        max_transaction_retry_time=10,
        notifications_min_severity=NotificationMinimumSeverity.OFF,
    )
    async with driver:
        yield Database(driver, name, transaction_seconds)


def _on(work: Callable[[Transaction], Awaitable[T]]) -> Callable[[AsyncManagedTransaction], Awaitable[T]]:
    async def run(vendor: AsyncManagedTransaction) -> T:
        return await work(Transaction(vendor))

    return run


def _row(record: Record) -> Row:
    """Our queries answer values, never nodes, which `Record.data` would look for everywhere: that costs a search more
    than all else that is done with its rows."""
    return dict(zip(record.keys(), record.values(), strict=True))


@contextmanager
def translated_errors() -> Iterator[None]:
    """The driver's exceptions as ours: unreachable, wrong password, a constraint that says no."""
    try:
        yield
    except AuthError as error:
        raise InvalidSettings(
            "The database refuses the user name or password.", field="MATRIX_NEO4J__PASSWORD"
        ) from error
    except ConstraintError as error:
        raise Conflict("Another one with this key or name exists already.") from error
    except (ServiceUnavailable, SessionExpired, TransientError) as error:
        raise DatabaseUnavailable("The database does not answer now.") from error
    except Neo4jError as error:
        if error.code == "Neo.ClientError.Statement.EntityNotFound":
            raise Conflict("It was deleted by somebody else just now.") from error
        if error.code and "TransactionTimedOut" in error.code:
            raise DatabaseUnavailable("The database took too long to answer.") from error
        raise
    except DriverError as error:
        raise DatabaseUnavailable(f"The connection to the database failed: {type(error).__name__}.") from error
