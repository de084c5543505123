"""What earlier starts brought this database to, noted so that the next start need not do all of it again: a server that
has just started takes up to a second to plan each query. Migrations are not among it; they are looked at every time."""

from __future__ import annotations

import hashlib

from matrix.graph.database import Database
from matrix.graph.schema.embedder_pin import INDEX_NAME

READ_STAMPS = "MATCH (p:Preparation:Entity {id: 'preparation'}) RETURN p.stamps AS stamps"

ADD_STAMP = """
MERGE (p:Entity {id: 'preparation'})
ON CREATE SET p:Preparation, p.entityType = 'Preparation', p.orgId = 'platform', p.key = 'preparation',
  p.createdAt = datetime()
SET p.stamps = [stamp IN coalesce(p.stamps, []) WHERE NOT stamp STARTS WITH $kind] + [$stamp], p.updatedAt = datetime()
"""

INDEX_STATES = "SHOW INDEXES YIELD name, state RETURN name, state"


def stamp_of(kind: str, *facts: object) -> str:
    """Differs whenever one of the facts does. One stamp of a kind is kept."""
    return f"{kind}:{hashlib.sha256(repr(facts).encode()).hexdigest()}"


async def is_stamped(database: Database, stamp: str) -> bool:
    row = await database.read_one(READ_STAMPS)
    return row is not None and stamp in row["stamps"]


async def add_stamp(database: Database, stamp: str) -> None:
    """Takes the place of an earlier one of its kind."""
    await database.write(ADD_STAMP, kind=stamp.partition(":")[0] + ":", stamp=stamp)


async def indexes_are_ready(database: Database) -> bool:
    """Every index answers, the vector index among them."""
    states = {row["name"]: row["state"] for row in await database.read(INDEX_STATES)}
    return INDEX_NAME in states and set(states.values()) == {"ONLINE"}
