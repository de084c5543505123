"""The lock that lets one process at a time change the schema: a node with a lease on the database's clock, renewed
while it is held. A process that is killed leaves a lease that runs out within seconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from neo4j.exceptions import Neo4jError

from matrix.domain.ids import new_id
from matrix.errors import SchemaMismatch
from matrix.graph.database import Database

_LEASE_SECONDS = 20
_WAIT_SECONDS = 900

_ALREADY_THERE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"

# The lock rests on this constraint, so it comes before all migrations (0001 asks for it again).
_UNIQUE_IDS = "CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE"

TAKE_MIGRATION_LOCK = """
MERGE (lock:Entity {id: 'migration-lock'})
ON CREATE SET lock:MigrationLock, lock.entityType = 'MigrationLock', lock.orgId = 'platform',
  lock.createdAt = datetime()
SET lock.updatedAt = datetime()
WITH lock WHERE lock.holder IS NULL OR lock.holder = $holder OR lock.heldUntil < datetime()
SET lock.holder = $holder, lock.heldUntil = datetime() + duration({seconds: $seconds})
RETURN lock.holder AS holder
"""

FREE_MIGRATION_LOCK = """
MATCH (lock:Entity {id: 'migration-lock'}) WHERE lock.holder = $holder
REMOVE lock.holder, lock.heldUntil
"""


@asynccontextmanager
async def holding_migration_lock(database: Database) -> AsyncIterator[None]:
    """Waits for the lock and holds it. Errors: SchemaMismatch when another process keeps it for too long."""
    holder = new_id()
    await _make_ids_unique(database)
    await _wait_for_lock(database, holder)
    renewing = asyncio.create_task(_renew(database, holder))
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)  # where renewing failed, the statements failed too
        await database.write(FREE_MIGRATION_LOCK, holder=holder)


async def _make_ids_unique(database: Database) -> None:
    try:
        await database.change_schema(_UNIQUE_IDS)
    except Neo4jError as error:
        # IF NOT EXISTS is no lock: of two first starts at the same moment one is told that it exists.
        if error.code != _ALREADY_THERE:
            raise


async def _wait_for_lock(database: Database, holder: str) -> None:
    deadline = asyncio.get_running_loop().time() + _WAIT_SECONDS
    while not await _take(database, holder):
        if asyncio.get_running_loop().time() > deadline:
            raise SchemaMismatch(
                "Another process has been changing the database's schema for a long time.",
                advice="Wait until it is done, or stop it and start again.",
            )
        await asyncio.sleep(0.5)


async def _renew(database: Database, holder: str) -> None:
    while True:
        await asyncio.sleep(_LEASE_SECONDS / 4)
        await _take(database, holder)


async def _take(database: Database, holder: str) -> bool:
    row = await database.write_one(TAKE_MIGRATION_LOCK, holder=holder, seconds=_LEASE_SECONDS)
    return row is not None
