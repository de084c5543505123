"""Entities that belong to the platform and are there in every database: the entity types, and the tools that an agent
may be given. Written at each start, so that their texts are those of the running code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from matrix.domain.entities import EntityType
from matrix.graph.database import Database

INTERNAL_TOOLS = (
    ("remember", "Keeps what a person asks the agent to remember, for that person alone."),
    ("recall", "Brings back what the agent remembers of the person who asks."),
)
"""`search_knowledge` is not among them: attaching a corpus is what adds it."""

WRITE_PLATFORM_ENTITIES = """
CYPHER 25
UNWIND $entities AS entity
MERGE (n:Entity {id: entity.id})
ON CREATE SET n:$(entity.label), n.entityType = entity.label, n.orgId = 'platform', n.key = entity.key,
  n.createdAt = datetime(), n.updatedAt = datetime()
SET n += entity.properties
"""


async def ensure_platform_entities(database: Database, types: Mapping[str, EntityType]) -> None:
    """Writes them, or brings their texts up to date. Run after the migrations, at each start."""
    await database.write(WRITE_PLATFORM_ENTITIES, entities=[*map(_tool, INTERNAL_TOOLS), *map(_type, types.values())])


def _tool(tool: tuple[str, str]) -> dict[str, object]:
    name, description = tool
    return _entity("Tool", name, {"name": name, "description": description, "kind": "INTERNAL"})


def _type(entity_type: EntityType) -> dict[str, object]:
    texts = {"name": entity_type.name, "description": entity_type.description, "builtIn": True}
    return _entity("EntityType", entity_type.key, texts)


def _entity(label: str, key: str, properties: dict[str, object]) -> dict[str, object]:
    entity_id = hashlib.sha256(f"platform/{label}/{key}".encode()).hexdigest()[:32]
    return {"id": entity_id, "label": label, "key": key, "properties": properties}
