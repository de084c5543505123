"""GraphQL object types made of the platform's entity types: first the bare classes, then their fields, since they name
each other. ENTITY properties give the entities themselves, read together by the operation's loaders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import strawberry

from matrix.api.graphql.context import Info
from matrix.api.graphql.types.any_entity import AnyEntity, ids_in
from matrix.api.graphql.types.connections import connection_type
from matrix.api.graphql.types.dynamic_field import dynamic_field, plain_field
from matrix.api.graphql.types.names import capital, is_graphql_name
from matrix.api.graphql.types.roles import ROLE_CHOICES, Role
from matrix.api.graphql.types.scalars import DateText
from matrix.api.own_types import OWN_LABEL
from matrix.domain.entities import Entity, EntityType, PropertyDefinition, PropertyType

ELSEWHERE = frozenset({"entity-types"})  # written out by hand, for what it holds are definitions


@dataclass(frozen=True, slots=True)
class ObjectTypes:
    """The types by collection. `enums` are those of properties with choices, by type and property."""

    types: Mapping[str, EntityType]
    objects: Mapping[str, Any]
    enums: Mapping[tuple[str, str], Any]
    own: Any

    def connection(self, collection: str) -> Any:
        return connection_type(self.objects[collection])

    def scalar(self, entity_type: EntityType, definition: PropertyDefinition) -> Any:
        """The GraphQL type of one value of a property that is no ENTITY."""
        return self.enums.get((entity_type.key, definition.name)) or scalar_of(definition)


Relations = Callable[[ObjectTypes], Mapping[str, Mapping[str, Any]]]


def make_object_types(types: Mapping[str, EntityType], relations: Relations) -> ObjectTypes:
    """`relations` gives fields beside the properties, by collection."""
    made = {key: kind for key, kind in types.items() if key not in ELSEWHERE}
    classes = {key: _bare_class(kind.label) for key, kind in made.items()}
    enums = {
        (key, definition.name): _enum(kind, definition)
        for key, kind in made.items()
        for definition in kind.properties
        if definition.choices and all(map(is_graphql_name, definition.choices))
    }
    built_in = frozenset(kind.label for kind in types.values())
    objects = ObjectTypes(types, classes, enums, _own_class(built_in))
    beside = relations(objects)
    for key, kind in made.items():
        fields = {definition.name: _field(objects, kind, definition) for definition in kind.visible_properties}
        _complete(classes[key], kind, {**fields, **beside.get(key, {})})
    strawberry.type(objects.own, name=OWN_LABEL, description="An entity of an organization's own type.")
    return objects


def scalar_of(definition: PropertyDefinition) -> Any:
    match definition.type:
        case PropertyType.NUMBER:
            return int if definition.whole else float
        case PropertyType.BOOLEAN:
            return bool
        case PropertyType.DATE:
            return DateText
        case PropertyType.ENTITY:
            return strawberry.ID
        case PropertyType.STRING:
            return str


def _bare_class(label: str) -> Any:
    def is_type_of(value: object, _: object) -> bool:
        return isinstance(value, Entity) and value.entity_type == label

    return type(label, (AnyEntity,), {"is_type_of": staticmethod(is_type_of)})


def _own_class(built_in: frozenset[str]) -> Any:
    def is_type_of(value: object, _: object) -> bool:
        return isinstance(value, Entity) and value.entity_type not in built_in

    return type(OWN_LABEL, (AnyEntity,), {"is_type_of": staticmethod(is_type_of)})


def _complete(bare: Any, kind: EntityType, fields: Mapping[str, Any]) -> None:
    for name, made in fields.items():
        setattr(bare, name, made)
    if kind.has_key:
        bare.key = plain_field(lambda entity: entity.key, str)
    strawberry.type(bare, name=kind.label, description=kind.description)


def _enum(kind: EntityType, definition: PropertyDefinition) -> Any:
    if definition.choices == ROLE_CHOICES:
        return Role
    name = f"{kind.label}{capital(definition.name)}"
    members = {choice: choice for choice in definition.choices}
    made: Any = Enum(name, members)  # type: ignore[misc]  # its name is known at run time
    return strawberry.enum(made, name=name)


def _field(objects: ObjectTypes, kind: EntityType, definition: PropertyDefinition) -> Any:
    if definition.type is PropertyType.ENTITY:
        return _entity_field(objects, definition)
    one = objects.scalar(kind, definition)
    shown = _shown(one, definition)
    if definition.multi:
        return plain_field(
            lambda entity: [shown(item) for item in entity.properties.get(definition.name) or ()],
            list[one],  # type: ignore[valid-type]  # made at run time
            definition.description,
        )
    always = definition.required or definition.default is not None
    return plain_field(
        lambda entity: shown(entity.properties.get(definition.name)),
        one if always else one | None,
        definition.description,
    )


def _shown(one: Any, definition: PropertyDefinition) -> Callable[[Any], object]:
    """A stored value as GraphQL shows it; what an enum does not know any more is left out."""
    if isinstance(one, type) and issubclass(one, Enum):
        return one.__members__.get
    if definition.whole:
        return lambda value: None if value is None else int(value)
    return lambda value: value


def _entity_field(objects: ObjectTypes, definition: PropertyDefinition) -> Any:
    target = definition.target_entity_type or ""
    shape = objects.objects[target]

    async def one(root: Entity, info: Info) -> Entity | None:
        ids = ids_in(root.properties.get(definition.name))
        return await info.context.loader(target).load(ids[0]) if ids else None

    async def several(root: Entity, info: Info) -> list[Entity]:
        found = await info.context.loader(target).load_many(ids_in(root.properties.get(definition.name)))
        return [entity for entity in found if entity is not None]

    if definition.multi:
        return dynamic_field(several, list[shape], description=definition.description)  # type: ignore[valid-type]  # made at run time
    return dynamic_field(one, shape | None, description=definition.description)
