"""All that the database holds, as values that can be compared: who changed nothing leaves the snapshot as it was."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping

from matrix.graph.database import Database, Row

# What a credential leaves behind by being used, and the marks by which corpora wait to be counted.
NODES = """
MATCH (n:Entity) WHERE NOT n:SignIn AND n.entityType <> 'MigrationLock'
RETURN n.id AS id, n.orgId AS org, labels(n) AS labels, properties(n) AS properties
"""
RELATIONSHIPS = """
MATCH (n:Entity)-[r]->(m:Entity) WHERE NOT m:SignIn AND NOT n:SignIn
RETURN n.id AS id, type(r) AS type, m.id AS target, properties(r) AS properties
"""
COUNT = "MATCH (n) RETURN count(n) AS nodes"
PASSING = frozenset({"lastUsedAt"})

Snapshot = Mapping[str, str]


async def snapshot(database: Database) -> Snapshot:
    """A hash for each node, of its labels, properties and outgoing relationships, by id."""
    links: dict[str, list[str]] = {}
    for row in await database.read(RELATIONSHIPS):
        text = f"{row['type']} {row['target']} {_text(row['properties'])}"
        links.setdefault(row["id"], []).append(text)
    return {row["id"]: _hash(row, sorted(links.get(row["id"], ()))) for row in await database.read(NODES)}


def changes(before: Snapshot, after: Snapshot) -> list[str]:
    """Ids of nodes that are new, gone or different."""
    return sorted(id_ for id_ in before.keys() | after.keys() if before.get(id_) != after.get(id_))


async def describe(database: Database, ids: list[str]) -> str:
    """What these nodes are, for the message of a failing test."""
    rows = await database.read("MATCH (n:Entity) WHERE n.id IN $ids RETURN n.entityType AS type", ids=ids)
    return ", ".join(f"{number} {kind}" for kind, number in Counter(row["type"] for row in rows).items())


async def count_nodes(database: Database) -> int:
    row = await database.read_one(COUNT)
    return int(row["nodes"]) if row else 0


def _hash(row: Row, links: list[str]) -> str:
    kept = {name: value for name, value in row["properties"].items() if name not in PASSING}
    return hashlib.sha256(f"{sorted(row['labels'])} {_text(kept)} {links}".encode()).hexdigest()


def _text(properties: Mapping[str, object]) -> str:
    return json.dumps(dict(sorted(properties.items())), default=str, sort_keys=True)
