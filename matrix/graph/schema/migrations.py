"""The numbered Cypher files of `graph_schema/migrations/`, each applied once, in order, by one process at a time.

A file is recorded as a `:Migration` node once all of it has run. Schema statements cannot share a transaction with
that record, so a crash in between runs the file again: every statement must bear that. The vector index is not made
here but by `embedder_pin`, since its dimension belongs to the embedder.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matrix.errors import DatabaseUnavailable, SchemaMismatch
from matrix.graph.database import Database
from matrix.graph.schema.folder import schema_folder
from matrix.graph.schema.migration_lock import holding_migration_lock

_FILE_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.cypher")
_POPULATION_SECONDS = 600

APPLIED_MIGRATIONS = """
MATCH (m:Migration:Entity)
RETURN m.number AS number, m.name AS name, m.checksum AS checksum ORDER BY number
"""

RECORD_MIGRATION = """
MERGE (m:Entity {id: 'migration-' + $name})
ON CREATE SET m:Migration, m.entityType = 'Migration', m.orgId = 'platform', m.key = replace($name, '_', '-'),
  m.createdAt = datetime(), m.updatedAt = datetime()
SET m.number = $number, m.name = $name, m.checksum = $checksum
"""

UNREADY_INDEXES = """
SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE'
RETURN name, state ORDER BY name
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its number, its name without the ending, its statements, and the SHA-256 of its text."""

    number: int
    name: str
    statements: tuple[str, ...]
    checksum: str


@dataclass(frozen=True, slots=True)
class Applied:
    """A migration as the database remembers it."""

    number: int
    name: str
    checksum: str


async def migrate(database: Database, folder: Path | None = None) -> tuple[Migration, ...]:
    """Applies what is pending and returns it; waits until all indexes are ready.

    A start beside another one waits for it. Errors: SchemaMismatch, DatabaseUnavailable.
    """
    known = read_migrations(folder)
    missing = pending(known, await applied_migrations(database))
    if missing:
        async with holding_migration_lock(database):
            missing = pending(known, await applied_migrations(database))
            for migration in missing:
                await _apply(database, migration)
    await wait_for_indexes(database)
    return missing


async def pending_migrations(database: Database, folder: Path | None = None) -> tuple[Migration, ...]:
    """What `migrate` would apply; changes nothing. Errors: SchemaMismatch."""
    return pending(read_migrations(folder), await applied_migrations(database))


def read_migrations(folder: Path | None = None) -> tuple[Migration, ...]:
    """The files of the folder in order of their numbers. Errors: SchemaMismatch when two share a number."""
    found: dict[int, Migration] = {}
    for path in sorted((folder or schema_folder() / "migrations").glob("*.cypher")):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None or int(match[1]) in found:
            raise SchemaMismatch(
                f"The migration file {path.name} is misnamed, or its number is taken.",
                advice="Name it NNNN_what_it_does.cypher, with a number of its own.",
            )
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
        found[int(match[1])] = Migration(int(match[1]), path.stem, statements_of(text), _checksum(text))
    return tuple(found.values())


def statements_of(text: str) -> tuple[str, ...]:
    """The statements of a migration: they end with `;` at the end of a line; lines that begin with // are comments."""
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    parts = re.split(r";[ \t]*(?:\n|\Z)", code)
    return tuple(part.strip() for part in parts if part.strip())


def pending(known: Sequence[Migration], applied: Mapping[int, Applied]) -> tuple[Migration, ...]:
    """The files that are not applied yet. Errors: SchemaMismatch when the database knows more, or something else."""
    by_number = {migration.number: migration for migration in known}
    for record in applied.values():
        _check_same(by_number.get(record.number), record)
    return tuple(migration for migration in known if migration.number not in applied)


async def applied_migrations(database: Database) -> dict[int, Applied]:
    """What the database remembers, by number."""
    rows = await database.read(APPLIED_MIGRATIONS)
    return {row["number"]: Applied(row["number"], row["name"], row["checksum"]) for row in rows}


async def wait_for_indexes(database: Database, seconds: float = _POPULATION_SECONDS) -> None:
    """Returns once every index is ONLINE. Errors: DatabaseUnavailable when one failed or takes too long."""
    deadline = asyncio.get_running_loop().time() + seconds
    while rows := await database.read(UNREADY_INDEXES):
        names = ", ".join(row["name"] for row in rows)
        if any(row["state"] == "FAILED" for row in rows):
            raise DatabaseUnavailable(
                f"Indexes could not be built: {names}.",
                advice="Look into the database's log, drop them and start again.",
            )
        if asyncio.get_running_loop().time() > deadline:
            raise DatabaseUnavailable(
                f"Indexes are still being built: {names}.", advice="Wait until the database has built them, then start."
            )
        await asyncio.sleep(0.1)


async def _apply(database: Database, migration: Migration) -> None:
    for statement in migration.statements:
        await database.change_schema(statement)
    await database.write(RECORD_MIGRATION, number=migration.number, name=migration.name, checksum=migration.checksum)


def _check_same(migration: Migration | None, record: Applied) -> None:
    if migration is None:
        raise SchemaMismatch(
            f"The database is newer than this version of Matrix: migration «{record.name}» is unknown here."
        )
    if migration.checksum != record.checksum or migration.name != record.name:
        raise SchemaMismatch(
            f"The migration file {migration.name}.cypher is not the one that this database was changed by.",
            advice="Bring the file back as it was, and put the change into a new file with the next number.",
        )


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
