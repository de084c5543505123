"""What `matrix doctor` looks at: the machine, the settings, the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from matrix.errors import MatrixError
from matrix.graph.database import Database
from matrix.graph.schema.embedder_pin import read_pin
from matrix.graph.schema.migrations import applied_migrations, pending, read_migrations
from matrix.ingest.confinement.protections import protections
from matrix.local_neo4j import JavaPlaces, check_local_neo4j
from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.plugins.embedders.minilm_files import find_model
from matrix.settings import Settings, unknown_variables
from matrix.wiring.choices import make_embedder
from matrix.wiring.databases import database_of, pinned


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `advice` says how to mend it."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


async def examine(settings: Settings) -> tuple[Finding, ...]:
    """All findings, the bad ones too; never raises for what it is to find."""
    local = [] if settings.neo4j.uri else await _local(settings)
    return (_settings(), *local, _model(settings), *_confinement(), *await _database(settings))


def _settings() -> Finding:
    unknown = unknown_variables()
    if not unknown:
        return Finding("settings", True, "all are known")
    return Finding("settings", False, f"unknown: {', '.join(unknown)}", "Compare them with .env.example.")


def _model(settings: Settings) -> Finding:
    try:
        embedder = make_embedder(settings)
        if isinstance(embedder, MiniLmEmbedder):
            find_model()
    except MatrixError as error:
        return Finding("embedding model", False, error.message, error.advice)
    return Finding("embedding model", True, f"{embedder.name}, {embedder.dimensions} dimensions")


async def _local(settings: Settings) -> list[Finding]:
    checks = await check_local_neo4j(settings.data_dir, java=JavaPlaces(java_home=settings.java_home))
    return [Finding(f"embedded database: {c.name}", c.ok, c.detail, c.advice) for c in checks]


def _confinement() -> list[Finding]:
    """What a kernel lacks is said, and does not keep Matrix from running."""
    return [
        Finding("parser confinement", True, one.name if one.in_force else f"NOT in force: {one.name}", one.remedy)
        for one in protections()
    ]


async def _database(settings: Settings) -> list[Finding]:
    if not settings.neo4j.uri:
        return [Finding("database", True, "not running", "Start it with `matrix up`.")]
    try:
        async with database_of(settings) as database:
            return [
                Finding("database", True, f"answers at {settings.neo4j.uri}"),
                await _found("schema", lambda: _schema(database)),
                await _found("embedder", lambda: _embedder(settings, database)),
            ]
    except MatrixError as error:
        return [Finding("database", False, error.message, error.advice)]


async def _found(name: str, look: Callable[[], Awaitable[Finding]]) -> Finding:
    try:
        return await look()
    except MatrixError as error:
        return Finding(name, False, error.message, error.advice)


async def _schema(database: Database) -> Finding:
    missing = pending(read_migrations(), await applied_migrations(database))
    if missing:
        return Finding("schema", False, f"{len(missing)} migrations are missing", "Run `matrix migrate`.")
    return Finding("schema", True, "up to date")


async def _embedder(settings: Settings, database: Database) -> Finding:
    pin, chosen = await read_pin(database), make_embedder(await pinned(settings, database))
    if pin is None:
        return Finding("embedder", True, f"not pinned yet; would be {chosen.name}")
    fits = (pin.name, pin.dimensions) == (chosen.name, chosen.dimensions)
    detail = f"the database is pinned to {pin.name} with {pin.dimensions} dimensions"
    advice = "" if fits else f"The settings choose {chosen.name}. Set MATRIX_EMBEDDER__PROVIDER to the pinned one."
    return Finding("embedder", fits, detail, advice)
