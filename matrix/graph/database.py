"""An open Neo4j database: reads are routed to followers, writes to the leader, transient errors retried, every
transaction bounded in time. The only place where the driver's exceptions are translated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
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

ANYTHING = "RETURN 1 AS one"
Row = Mapping[str, Any]  # a record of the driver: values are vendor values until a repository reads them
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that a database which does not answer is waited for: until connected, for a free connection, and with
    all tries again of what may pass."""

    connect: float
    acquire: float
    retry: float

    @property
    def total(self) -> float:
        return self.connect + self.acquire + self.retry


FOR_WORK = Patience(connect=10, acquire=15, retry=10)
# Who waits for an answer is better told that there is none. A wait for a free connection is a sign of many askers, not
# of an absent database, and stays.
FOR_PEOPLE = Patience(connect=2, acquire=15, retry=2)
QUICK_SECONDS = 4.0  # for one look, on a machine that is busy


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

    def __init__(
        self, driver: AsyncDriver, name: str, transaction_seconds: float, patience: Patience = FOR_WORK
    ) -> None:
        self.patience = patience
        self._driver = driver
        self._name = name
        self._seconds = transaction_seconds
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()

    async def read(self, query: LiteralString, /, **parameters: object) -> list[Row]:
        """Rows of a query that writes nothing; in a cluster a follower may answer it.

        One round trip: a transaction around a single read costs two more. What may pass is tried again, in one.
        """
        async with self._answering():
            try:
                return await self._read_once(Query(query, timeout=self._seconds), parameters)
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
        async with self._answering(), self._reading() as session:
            return await session.execute_read(bounded)

    async def write_together(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """All that `work` runs commits together; it may run more than once, when a transient error is retried."""
        bounded = unit_of_work(timeout=self._seconds)(_on(work))
        async with self._answering(), self._writing() as session:
            return await session.execute_write(bounded)

    async def change_schema(self, query: str) -> None:
        """One schema statement (DDL cannot share a transaction with data); `query` comes from a migration file."""
        with translated_errors():
            async with self._writing() as session:
                await (await session.run(Query(query, timeout=600))).consume()

    async def _read_once(self, query: Query, parameters: dict[str, object]) -> list[Row]:
        async with self._reading() as session:
            return [_row(record) async for record in await session.run(query, parameters)]

    def _reading(self) -> AsyncSession:
        return self._driver.session(database=self._name, default_access_mode="READ", bookmark_manager=self._bookmarks)

    def _writing(self) -> AsyncSession:
        return self._driver.session(database=self._name, bookmark_manager=self._bookmarks)

    @asynccontextmanager
    async def _answering(self) -> AsyncIterator[None]:
        """Errors as ours, and an end: a server that hangs ends no transaction either."""
        seconds = self._seconds + self.patience.total
        with translated_errors():
            try:
                async with asyncio.timeout(seconds) as clock:
                    yield
            except TimeoutError:
                if not clock.expired():
                    raise
                raise _silent(seconds) from None

    async def check(self) -> None:
        """Raises DatabaseUnavailable when the database does not answer."""
        await self.read(ANYTHING)

    async def check_once(self, seconds: float = QUICK_SECONDS) -> None:
        """One look, which is not repeated. Errors: DatabaseUnavailable."""
        with translated_errors():
            try:
                async with asyncio.timeout(seconds):
                    await self._read_once(Query(ANYTHING, timeout=seconds), {})
            except TimeoutError:
                raise _silent(seconds) from None


@asynccontextmanager
async def open_database(
    uri: str,
    username: str,
    password: str,
    name: str = "neo4j",
    transaction_seconds: float = 15,
    *,
    patience: Patience = FOR_WORK,
) -> AsyncIterator[Database]:
    """A Database for as long as the context lasts. Nothing is asked of the server yet: `check` does."""
    driver = AsyncGraphDatabase.driver(
        uri,
        auth=(username, password),
        connection_acquisition_timeout=patience.acquire,
        connection_timeout=patience.connect,
        max_transaction_retry_time=patience.retry,
        notifications_min_severity=NotificationMinimumSeverity.OFF,
    )
    async with driver:
        yield Database(driver, name, transaction_seconds, patience)


def _silent(seconds: float) -> DatabaseUnavailable:
    return DatabaseUnavailable(f"The database did not answer within {seconds:g} seconds.")


def _on(work: Callable[[Transaction], Awaitable[T]]) -> Callable[[AsyncManagedTransaction], Awaitable[T]]:
    async def run(vendor: AsyncManagedTransaction) -> T:
        return await work(Transaction(vendor))

    return run


# A transaction that took too long is ended at its work, or while it waits for a lock.
_ENDED_BY_THE_SERVER = ("TransactionTimedOut", "LockClientStopped", "Transaction.Terminated")


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
        if error.code and any(ended in error.code for ended in _ENDED_BY_THE_SERVER):
            raise DatabaseUnavailable("The database took too long to answer.") from error
        raise
    except DriverError as error:
        raise DatabaseUnavailable(f"The connection to the database failed: {type(error).__name__}.") from error
