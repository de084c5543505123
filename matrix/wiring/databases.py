"""Opening the database that the settings name, and bringing it to where this version of Matrix needs it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from matrix import __version__
from matrix.errors import DatabaseUnavailable, InvalidSettings
from matrix.graph.access.first_start import ensure_first_organization
from matrix.graph.database import FOR_WORK, Database, Patience, open_database
from matrix.graph.entities.platform import INTERNAL_TOOLS, ensure_platform_entities
from matrix.graph.entities.type_files import read_entity_types
from matrix.graph.schema.embedder_pin import pin_embedder, read_pin
from matrix.graph.schema.migrations import migrate, pending_migrations
from matrix.graph.schema.preparation import add_stamp, indexes_are_ready, is_stamped, stamp_of
from matrix.plugins.passwords.argon2 import Argon2Passwords
from matrix.ports import Embedder
from matrix.settings import Settings
from matrix.wiring.choices import as_pinned, make_embedder, secret_value
from matrix.wiring.demo_embedding import embed_demo_anew

PATIENCE_SECONDS = 20
"""Longer than `up` needs between three restarts of a child in a minute: one that waits for the database, which is
being restarted, is never given up."""
PREPARING_SECONDS = 120
"""How long one transaction of the preparation may take: a server that has just started plans its first queries slowly,
and a migration may change much."""


@asynccontextmanager
async def database_of(
    settings: Settings, *, preparing: bool = False, patience: Patience = FOR_WORK
) -> AsyncIterator[Database]:
    """The database that the settings name, which answers. Errors: InvalidSettings, DatabaseUnavailable."""
    neo4j = settings.neo4j
    if not neo4j.uri:
        raise InvalidSettings("No database is named.", field="NEO4J_URI", advice="Set NEO4J_URI, or use `matrix up`.")
    password = neo4j.password.get_secret_value()
    seconds = max(neo4j.transaction_seconds, PREPARING_SECONDS if preparing else 0)
    async with open_database(neo4j.uri, neo4j.username, password, neo4j.database, seconds, patience=patience) as opened:
        try:
            await opened.check()
        except DatabaseUnavailable as error:
            raise DatabaseUnavailable(
                f"The database at {neo4j.uri} does not answer.",
                advice="Start it, or correct NEO4J_URI; `matrix doctor` tells when it answers.",
            ) from error
        yield opened


async def pinned(settings: Settings, database: Database) -> Settings:
    """Settings that fit the embedder to which the database is pinned, if it is."""
    pin = await read_pin(database)
    return as_pinned(settings, pin.name, pin.dimensions) if pin else settings


async def until_it_answers(settings: Settings, seconds: float = PATIENCE_SECONDS) -> None:
    """For a process that starts while the database starts, too. Errors: as in `database_of`, after `seconds`."""
    until = time.monotonic() + seconds
    while True:
        try:
            async with database_of(settings):
                return
        except DatabaseUnavailable:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(0.5)


async def prepare_schema(database: Database, embedder: Embedder) -> None:
    """Migrations, the pinned embedder with its index, and what the platform itself owns. Safe to run again."""
    types, missing = read_entity_types(), await pending_migrations(database)
    stamp = stamp_of("schema", __version__, sorted(types.items()), INTERNAL_TOOLS, embedder.name, embedder.dimensions)
    if not missing and await is_stamped(database, stamp) and await indexes_are_ready(database):
        return
    await migrate(database)
    await pin_embedder(database, embedder.name, embedder.dimensions)
    await ensure_platform_entities(database, types)
    await add_stamp(database, stamp)


async def prepare_database(settings: Settings, api_key: str | None) -> None:
    """Schema, first organization and administrator, and `api_key` as a key of theirs. Safe to run again.

    What was made so once and was deleted since by somebody stays deleted. Another embedder than the pinned one is taken
    while the database holds nothing but the demo.
    Errors: DatabaseUnavailable, SchemaMismatch, EmbedderMismatch, InvalidSettings, Conflict (somebody else's key).
    """
    security = settings.security
    password = secret_value(security.admin_password, "MATRIX_SECURITY__ADMIN_PASSWORD")
    async with database_of(settings, preparing=True) as database:
        embedder = make_embedder(await pinned(settings, database))
        await embed_demo_anew(database, embedder)
        await prepare_schema(database, embedder)
        stamp = stamp_of("access", settings.organization, security.admin_email, api_key)
        if await is_stamped(database, stamp):
            return
        await ensure_first_organization(
            database,
            Argon2Passwords(),
            slug=settings.organization,
            admin_email=security.admin_email,
            admin_password=password,
            api_key=api_key,
        )
        await add_stamp(database, stamp)


async def migrate_database(settings: Settings) -> tuple[str, ...]:
    """The names of the migrations that were applied now."""
    async with database_of(settings, preparing=True) as database:
        return tuple(migration.name for migration in await migrate(database))
