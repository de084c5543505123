"""Entities made and listed as tests of the store do it."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.domain.access import Scope
from matrix.domain.entities import Entity, EntityFilter, EntityType, Value, validate_new
from matrix.graph.entities.entities import Neo4jEntities

Types = Mapping[str, EntityType]


class Maker:
    """Creates entities in one organization."""

    def __init__(self, entities: Neo4jEntities, types: Types, who: Scope) -> None:
        self.entities, self.types, self.who = entities, types, who

    async def __call__(self, kind: str, key: str | None, **values: object) -> Entity:
        named = {"name": key or "unnamed", **values}
        return await self.entities.create(self.who, self.types[kind], key, validate_new(self.types[kind], named))


async def ids(entities: Neo4jEntities, who: Scope, kind: EntityType, **equals: Value) -> list[str]:
    return [item.id for item in (await entities.list(who, kind, EntityFilter(equals), 100, None)).items]
