"""Create, change and delete: made for every entity type that is written like others, and the generic ones for own
types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import strawberry

from matrix.api.graphql.context import Info
from matrix.api.graphql.types.any_entity import AnyEntity, find_type
from matrix.api.graphql.types.dynamic_field import Argument, dynamic_field
from matrix.api.graphql.types.inputs import given_properties, input_type
from matrix.api.graphql.types.names import capital, one_and_many
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.scalars import JSON
from matrix.domain.entities import Entity, EntityType, Verb
from matrix.errors import InvalidInput

# Verbs with mutations of their own: documents and corpora are purged by jobs, people and keys are access's business.
WRITTEN_OUT = frozenset(
    {("documents", verb) for verb in Verb}
    | {("organizations", verb) for verb in Verb}
    | {("users", verb) for verb in Verb}
    | {("api-keys", verb) for verb in Verb}
    | {("knowledge", Verb.DELETE)}
)


def entity_mutations(objects: ObjectTypes) -> dict[str, Any]:
    """The fields of Mutation, by name."""
    fields: dict[str, Any] = {
        "create_entity": _create_any(),
        "update_entity": _update_any(),
        "delete_entity": _delete_any(),
    }
    for key in objects.objects:
        kind = objects.types[key]
        for verb, make in (Verb.CREATE, _create), (Verb.UPDATE, _update), (Verb.DELETE, _delete):
            if verb in kind.verbs and (key, verb) not in WRITTEN_OUT:
                fields[f"{verb.value}{capital(one_and_many(key)[0])}"] = make(objects, kind)
    return fields


def named(kind: EntityType) -> Argument:
    """How one entity of a type is named in an argument."""
    if kind.has_key:
        return Argument("key", str, description="Id or key.")
    return Argument("id", strawberry.ID)


def _create(objects: ObjectTypes, kind: EntityType) -> Any:
    async def resolve(_: object, info: Info, input: Any) -> Entity:
        return await info.context.entities.create(info.context.scope, kind.key, given_properties(input))

    given = Argument("input", input_type(objects, kind, Verb.CREATE))
    return dynamic_field(resolve, objects.objects[kind.key], [given])


def _update(objects: ObjectTypes, kind: EntityType) -> Any:
    async def resolve(_: object, info: Info, input: Any, **name: str) -> Entity:
        [ref] = name.values()
        return await info.context.entities.update(info.context.scope, kind.key, ref, given_properties(input))

    given = Argument("input", input_type(objects, kind, Verb.UPDATE))
    description = "Changes what is given; null takes a property away."
    return dynamic_field(resolve, objects.objects[kind.key], [named(kind), given], description)


def _delete(_: ObjectTypes, kind: EntityType) -> Any:
    async def resolve(_: object, info: Info, **name: str) -> bool:
        [ref] = name.values()
        await info.context.entities.delete(info.context.scope, kind.key, ref)
        return True

    return dynamic_field(resolve, bool, [named(kind)])


ENTITY_TYPE = Argument("entityType", str, description="The key of the type.")
PROPERTIES = Argument("properties", JSON)


def _create_any() -> Any:
    async def resolve(_: object, info: Info, entityType: str, properties: Any) -> Entity:
        collection = await _collection(info, entityType)
        return await info.context.entities.create(info.context.scope, collection, _object(properties))

    described = "A new entity of any type; its key stands among the properties."
    return dynamic_field(resolve, AnyEntity, [ENTITY_TYPE, PROPERTIES], described)


def _update_any() -> Any:
    async def resolve(_: object, info: Info, entityType: str, key: str, properties: Any) -> Entity:
        collection = await _collection(info, entityType)
        return await info.context.entities.update(info.context.scope, collection, key, _object(properties))

    arguments = [ENTITY_TYPE, Argument("key", str, description="Id or key."), PROPERTIES]
    return dynamic_field(resolve, AnyEntity, arguments, "Changes what is given; null takes a property away.")


def _delete_any() -> Any:
    async def resolve(_: object, info: Info, entityType: str, key: str) -> bool:
        await info.context.entities.delete(info.context.scope, await _collection(info, entityType), key)
        return True

    return dynamic_field(resolve, bool, [ENTITY_TYPE, Argument("key", str, description="Id or key.")])


async def _collection(info: Info, name: str) -> str:
    return find_type(await info.context.entities.types(info.context.scope), name).key


def _object(properties: object) -> Mapping[str, object]:
    if not isinstance(properties, Mapping):
        raise InvalidInput("Properties are an object.", field="properties")
    return properties
