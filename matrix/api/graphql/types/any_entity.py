"""The interface that all entities have in common, and the type of an organization's own ones. An own type is known
only while Matrix runs, so its properties come as JSON and the schema stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import strawberry

from matrix.api.graphql.context import Info
from matrix.api.graphql.types.dynamic_field import field
from matrix.api.graphql.types.scalars import JSON
from matrix.api.own_types import OWN_LABEL
from matrix.domain.entities import Entity, EntityType, PropertyType, Value
from matrix.errors import InvalidInput, UnknownField

MOST_RELATED = 100


@strawberry.interface(name="Entity", description="Anything that Matrix keeps. Ids are the same as in REST.")
class AnyEntity:
    @field()
    @staticmethod
    def id(root: Entity) -> strawberry.ID:
        return strawberry.ID(root.id)

    @field(description="The name of a built-in type, or the key of an organization's own.")
    @staticmethod
    def entity_type(root: Entity) -> str:
        return root.entity_type

    @field(description="Unique among the organization's entities of this type; some types have none.")
    @staticmethod
    def key(root: Entity) -> str | None:
        return root.key

    @field()
    @staticmethod
    def created_at(root: Entity) -> datetime:
        return root.created_at

    @field()
    @staticmethod
    def updated_at(root: Entity) -> datetime:
        return root.updated_at

    @field(description="All properties, in the shape of REST; entities by their ids.")
    @staticmethod
    def properties(root: Entity) -> JSON:
        return JSON(dict(root.properties))

    @field(description="Properties that the organization added: all of an own type's.")
    @staticmethod
    async def custom_properties(root: Entity, info: Info) -> JSON:
        own = {p.name for p in (await type_of(info, root)).properties if p.custom}
        return JSON({name: value for name, value in root.properties.items() if name in own})

    @field(graphql_type=list["AnyEntity"], description="The entities that an ENTITY property names, in their order.")
    @staticmethod
    async def related(root: Entity, info: Info, property: str, first: int = 50) -> list[Entity]:
        definition = (await type_of(info, root)).definition_of(property)
        if definition is None or definition.hidden:
            raise UnknownField(f"{root.entity_type} has no property «{property}».", field="property")
        if definition.type is not PropertyType.ENTITY or definition.target_entity_type is None:
            raise InvalidInput(f"{property} names no entities.", field="property")
        if not 1 <= first <= MOST_RELATED:
            raise InvalidInput(f"Between 1 and {MOST_RELATED} entities.", field="first")
        loader = info.context.loader(definition.target_entity_type)
        found = await loader.load_many(ids_in(root.properties.get(property))[:first])
        return [entity for entity in found if entity is not None]


async def type_of(info: Info, entity: Entity) -> EntityType:
    """The entity's type as the organization has it."""
    types = await info.context.entities.types(info.context.scope)
    return find_type(types, entity.entity_type)


def find_type(types: Mapping[str, EntityType], name: str) -> EntityType:
    """A type by its key, or by the name of a built-in one: `knowledge` and `Knowledge` are the same.

    Errors: InvalidInput.
    """
    found = types.get(name) or next((t for t in types.values() if t.label == name != OWN_LABEL), None)
    if found is None:
        raise InvalidInput(f"There is no entity type «{name[:80]}».", field="entityType")
    return found


def ids_in(value: Value) -> list[str]:
    """The ids that an ENTITY property holds."""
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(value)] if value else []
