"""The embedder that this database belongs to: its name and dimensions, kept in a node, and the one vector index that
was made for it. A vector of another embedder would stay out of the index in silence, so a start with one is refused."""

from __future__ import annotations

from dataclasses import dataclass

from matrix.errors import DatabaseUnavailable, EmbedderMismatch
from matrix.graph.database import Database
from matrix.graph.schema.migration_lock import holding_migration_lock
from matrix.graph.schema.migrations import wait_for_indexes

INDEX_NAME = "entity_node_embedding"
MAX_DIMENSIONS = 4096  # what Neo4j takes

READ_PIN = """
MATCH (pin:EmbedderPin:Entity {id: 'embedder-pin'})
RETURN pin.name AS name, pin.dimensions AS dimensions
"""

WRITE_PIN = """
MERGE (pin:Entity {id: 'embedder-pin'})
ON CREATE SET pin:EmbedderPin, pin.entityType = 'EmbedderPin', pin.orgId = 'platform', pin.key = 'embedder',
  pin.name = $name, pin.dimensions = $dimensions, pin.createdAt = datetime(), pin.updatedAt = datetime()
RETURN pin.name AS name, pin.dimensions AS dimensions, coalesce(pin.emptying, false) AS emptying
"""

CHANGE_PIN = """
MATCH (pin:EmbedderPin:Entity {id: 'embedder-pin'})
SET pin.name = $name, pin.dimensions = $dimensions, pin.updatedAt = datetime(), pin.emptying = true
"""

EMPTIED = "MATCH (pin:EmbedderPin:Entity {id: 'embedder-pin'}) REMOVE pin.emptying"

DROP_VECTORS = """
MATCH (n:Entity) WHERE n.embedding IS NOT NULL
WITH n LIMIT 200
REMOVE n.embedding, n.embeddingModel, n.embeddingDimensions
RETURN count(n) AS dropped
"""

INDEX_DIMENSIONS = """
SHOW VECTOR INDEXES YIELD name, options WHERE name = 'entity_node_embedding'
RETURN options.indexConfig['vector.dimensions'] AS dimensions
"""

_CREATE_INDEX = """
CYPHER 25 CREATE VECTOR INDEX entity_node_embedding IF NOT EXISTS FOR (n:Entity) ON n.embedding
WITH [n.entityType, n.orgId, n.scopeId, n.audienceId, n.documentId, n.sourceKind]
OPTIONS {indexConfig: {`vector.dimensions`: DIMENSIONS, `vector.similarity_function`: 'cosine',
  `vector.quantization.type`: 'none'}}
"""

_DROP_INDEX = "DROP INDEX entity_node_embedding IF EXISTS"


@dataclass(frozen=True, slots=True)
class EmbedderPin:
    """The embedder of a database."""

    name: str
    dimensions: int


async def pin_embedder(database: Database, name: str, dimensions: int) -> EmbedderPin:
    """Pins the embedder at the first start, checks it at later ones, and makes sure that the index is ready.

    Errors: EmbedderMismatch.
    """
    check_dimensions(dimensions)
    row = await database.write_one(WRITE_PIN, name=name, dimensions=dimensions)
    if row is None:
        raise DatabaseUnavailable("The database did not answer which embedder it is pinned to.")
    pin = EmbedderPin(row["name"], row["dimensions"])
    _check_same(pin, EmbedderPin(name, dimensions))
    if row["emptying"]:
        await _take_vectors_away(database)
    await _make_index(database, dimensions)
    return pin


async def read_pin(database: Database) -> EmbedderPin | None:
    """The pinned embedder, or None before the first start."""
    row = await database.read_one(READ_PIN)
    return EmbedderPin(row["name"], row["dimensions"]) if row else None


async def repin(database: Database, name: str, dimensions: int) -> EmbedderPin:
    """Pins another embedder and takes all vectors away: for a database whose contents are embedded anew afterwards.

    After a crash in between, the next start with the new embedder goes on; one with the old is refused.
    """
    check_dimensions(dimensions)
    await database.write(CHANGE_PIN, name=name, dimensions=dimensions)
    return await pin_embedder(database, name, dimensions)


async def _take_vectors_away(database: Database) -> None:
    await database.change_schema(_DROP_INDEX)
    while (row := await database.write_one(DROP_VECTORS)) and row["dropped"]:
        pass
    await database.write(EMPTIED)


async def _make_index(database: Database, dimensions: int) -> None:
    if await _index_dimensions(database) is None:
        async with holding_migration_lock(database):
            await database.change_schema(_CREATE_INDEX.replace("DIMENSIONS", str(int(dimensions))))
    await wait_for_indexes(database)
    found = await _index_dimensions(database)
    if found != dimensions:
        raise EmbedderMismatch(
            f"The vector index {INDEX_NAME} has {found} dimensions, the embedder {dimensions}.",
            advice=f"Nobody but Matrix should make this index: drop {INDEX_NAME}, then start again.",
        )


async def _index_dimensions(database: Database) -> int | None:
    row = await database.read_one(INDEX_DIMENSIONS)
    return int(row["dimensions"]) if row else None


def check_dimensions(dimensions: int) -> None:
    """Errors: EmbedderMismatch."""
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise EmbedderMismatch(
            f"The embedder gives {dimensions} dimensions; the database takes 1 to {MAX_DIMENSIONS}.",
            advice="Choose another model, or fewer dimensions.",
        )


def _check_same(pinned: EmbedderPin, configured: EmbedderPin) -> None:
    if pinned != configured:
        raise EmbedderMismatch(
            f"This database is pinned to the embedder {pinned.name} ({pinned.dimensions} dimensions), but "
            f"{configured.name} ({configured.dimensions} dimensions) is configured.",
            advice=f"Set MATRIX_EMBEDDER__PROVIDER, and its model, back to {pinned.name}, or start with another data "
            "folder or database. Only while a database holds nothing but the demo may its embedder change.",
        )
