"""Entity types as data: what there is, an organization's own ones, and its fields on built-in ones. What may change is
for the store to say."""

from __future__ import annotations

from enum import Enum
from typing import Any

import strawberry

from matrix.api.entities import PAGE
from matrix.api.graphql.context import Info
from matrix.api.graphql.types.connections import connection, connection_type, pages_of
from matrix.api.graphql.types.dynamic_field import field
from matrix.api.graphql.types.roles import Role, shown_role
from matrix.api.graphql.types.scalars import JSON
from matrix.api.own_types import changed_type, known_type, own_type
from matrix.domain import entities
from matrix.domain.entities import Verb
from matrix.errors import InvalidInput


@strawberry.enum
class PropertyType(Enum):
    STRING = "STRING"
    NUMBER = "NUMBER"
    BOOLEAN = "BOOLEAN"
    DATE = "DATE"
    ENTITY = "ENTITY"


@strawberry.type(description="A property of an entity type.")
class PropertyDefinition:
    name: str
    required: bool
    multi: bool
    description: str
    choices: list[str]
    minimum: float | None
    maximum: float | None
    whole: bool
    writable: str = strawberry.field(description="always, create (fixed afterwards) or never.")
    custom: bool = strawberry.field(description="Whether the organization added it.")
    target_entity_type: str | None

    @field()
    @staticmethod
    def type(root: entities.PropertyDefinition) -> PropertyType:
        return PropertyType[root.type.name]

    @field()
    @staticmethod
    def default(root: entities.PropertyDefinition) -> JSON | None:
        return None if root.default is None else JSON(root.default)


@strawberry.type(description="What may be done with entities of a type, and the lowest role that may.")
class TypeVerb:
    verb: str
    role: Role


@strawberry.type(description="A type of entity; an organization adds its own, and fields to the built-in ones.")
class EntityType:
    key: str
    name: str
    description: str
    label: str

    @field(description="The same as its key.")
    @staticmethod
    def id(root: entities.EntityType) -> strawberry.ID:
        return strawberry.ID(root.key)

    @field()
    @staticmethod
    def built_in(root: entities.EntityType) -> bool:
        return root.owner_org is None

    @field()
    @staticmethod
    def verbs(root: entities.EntityType) -> list[TypeVerb]:
        return [TypeVerb(verb=verb.value, role=shown_role(role)) for verb, role in root.verbs.items()]

    @field(graphql_type=list[PropertyDefinition])
    @staticmethod
    def properties(root: entities.EntityType) -> tuple[entities.PropertyDefinition, ...]:
        return root.visible_properties


@strawberry.input(description="A property to add.")
class PropertyInput:
    name: str
    type: PropertyType = PropertyType.STRING
    required: bool = False
    multi: bool = False
    target_entity_type: str | None = None
    description: str = ""
    default: JSON | None = None
    choices: list[str] = strawberry.field(default_factory=list)
    minimum: float | None = None
    maximum: float | None = None
    whole: bool = False


@strawberry.input
class CreateEntityTypeInput:
    key: str
    name: str
    description: str = ""
    properties: list[PropertyInput] = strawberry.field(default_factory=list)


@strawberry.input
class UpdateEntityTypeInput:
    name: str | None = None
    description: str | None = None
    properties: list[PropertyInput] = strawberry.field(default_factory=list)


@strawberry.type
class TypeQuery:
    @field(graphql_type=EntityType | None)
    async def entity_type(self, info: Info, key: str) -> entities.EntityType:
        return await _known(info, key)

    @field(graphql_type=connection_type(EntityType), description="The platform's types and the organization's own.")
    async def entity_types(self, info: Info, first: int = PAGE, after: str | None = None) -> Any:
        known = await info.context.entities.types(info.context.scope)
        return await connection(pages_of([known[key] for key in sorted(known)]), first, after)


@strawberry.type
class TypeMutations:
    @field(graphql_type=EntityType, description="A type of the organization's own; usable at once in GraphQL and REST.")
    async def create_entity_type(self, info: Info, input: CreateEntityTypeInput) -> entities.EntityType:
        await info.context.entities.allowed(info.context.scope, "entity-types", Verb.CREATE)
        wanted = own_type(info.context.scope, input.key, input.name, input.description, _definitions(input.properties))
        return await info.context.services.stores.types.save_type(info.context.scope, wanted, new=True)

    @field(
        graphql_type=EntityType,
        description="Adds properties, to an own type or, as own fields, to a built-in one; nothing is taken away.",
    )
    async def update_entity_type(
        self,
        info: Info,
        key: str,
        input: UpdateEntityTypeInput,
    ) -> entities.EntityType:
        before = await _known(info, key)
        await info.context.entities.allowed(info.context.scope, "entity-types", Verb.UPDATE)
        properties = _definitions(input.properties)
        wanted = changed_type(info.context.scope, before, input.name, input.description, properties)
        return await info.context.services.stores.types.save_type(info.context.scope, wanted)


async def _known(info: Info, key: str) -> entities.EntityType:
    return known_type(await info.context.entities.types(info.context.scope), key)


def _definitions(given: list[PropertyInput]) -> tuple[entities.PropertyDefinition, ...]:
    return tuple(_definition(one) for one in given)


def _definition(given: PropertyInput) -> entities.PropertyDefinition:
    default: Any = given.default
    if isinstance(default, dict):
        raise InvalidInput("A default is one value, or a list.", field=given.name)
    return entities.PropertyDefinition(
        name=given.name,
        type=entities.PropertyType[given.type.name],
        required=given.required,
        multi=given.multi,
        target_entity_type=given.target_entity_type,
        description=given.description,
        default=default,
        choices=tuple(given.choices),
        minimum=given.minimum,
        maximum=given.maximum,
        whole=given.whole,
        custom=True,
    )
