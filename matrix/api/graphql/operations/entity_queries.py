"""Queries for one entity and for lists, made for every entity type; and the generic ones, which reach own types
too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import strawberry
from strawberry import relay

from matrix.api.graphql.context import Info
from matrix.api.graphql.types.any_entity import AnyEntity, find_type
from matrix.api.graphql.types.connections import PAGING, connection, connection_type
from matrix.api.graphql.types.dynamic_field import Argument, dynamic_field
from matrix.api.graphql.types.names import one_and_many
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.scalars import JSON
from matrix.api.own_types import OWN_LABEL
from matrix.domain.entities import Entity, EntityFilter, EntityType, Page, PropertyType, Value, Verb
from matrix.errors import InvalidInput, NotFound

WRITTEN_OUT = frozenset({"organizations", "users", "api-keys"})  # read by stores of their own, in `people_queries`
TEXT = Argument("text", str | None, None, "A piece of the name, of the title or of the text.")
FILTER = Argument("filter", JSON | None, None, 'Any other property by equality: {"language": "en"}.')
LONGEST_TEXT = 200


def entity_fields(objects: ObjectTypes) -> dict[str, Any]:
    """The fields of Query, by name, for every type that is read like others."""
    fields: dict[str, Any] = {}
    for key in objects.objects.keys() - WRITTEN_OUT:
        kind = objects.types[key]
        if Verb.READ in kind.verbs:
            one, many = one_and_many(key)
            fields[one] = _one(objects, kind)
            fields[many] = list_field(objects, key)
    fields["entity"] = _any_one()
    fields["entities"] = _any_list()
    return dict(sorted(fields.items()))


def list_field(objects: ObjectTypes, collection: str, parent: str | None = None) -> Any:
    """The connection of a collection; below a `parent` entity, of those whose property of that name is the parent."""
    kind = objects.types[collection]

    async def resolve(root: Any, info: Info, first: int, after: str | None, text: str | None, **given: Any) -> Any:
        equals = _equals(given)
        if parent is not None:
            equals[parent] = root.id
        return await listed(info, collection, EntityFilter(equals, _text(text)), first, after)

    arguments = (*PAGING, TEXT, *narrowing(objects, kind, without=parent), FILTER)
    return dynamic_field(resolve, objects.connection(collection), arguments, kind.description)


def narrowing(objects: ObjectTypes, kind: EntityType, without: str | None) -> Iterable[Argument]:
    """Arguments for the properties that people narrow lists by: entities, choices, flags."""
    for definition in kind.visible_properties:
        chosen = definition.choices or definition.type in (PropertyType.ENTITY, PropertyType.BOOLEAN)
        if chosen and definition.name != without:
            one = objects.scalar(kind, definition)
            named = "Id or key." if definition.type is PropertyType.ENTITY else definition.description
            yield Argument(definition.name, one | None, None, named)


async def listed(
    info: Info, collection: str, where: EntityFilter, first: int, after: str | None
) -> relay.Connection[Any]:
    context = info.context

    async def read(limit: int, cursor: str | None) -> Page:
        return await context.entities.list(context.scope, collection, where, limit, cursor)

    return await connection(read, first, after)


def _one(objects: ObjectTypes, kind: EntityType) -> Any:
    async def by_key(_: object, info: Info, key: str) -> Entity:
        return await info.context.entities.get(info.context.scope, kind.key, key)

    async def by_id(_: object, info: Info, id: str) -> Entity:  # GraphQL's name
        return await info.context.entities.get(info.context.scope, kind.key, id)

    shape = objects.objects[kind.key] | None
    if kind.has_key:
        return dynamic_field(by_key, shape, [Argument("key", str, description="Id or key.")], kind.description)
    return dynamic_field(by_id, shape, [Argument("id", strawberry.ID)], kind.description)


def _any_one() -> Any:
    async def resolve(_: object, info: Info, id: str, entityType: str | None) -> Entity:
        context = info.context
        if entityType is not None:
            kind = find_type(await context.entities.types(context.scope), entityType)
            return await context.entities.get(context.scope, kind.key, id)
        return await _anywhere(info, id)

    arguments = [
        Argument("id", strawberry.ID, description="With `entityType`, id or key."),
        Argument("entityType", str | None, None, "Quicker where it is known."),
    ]
    return dynamic_field(resolve, AnyEntity | None, arguments, "An entity of any type.")


async def _anywhere(info: Info, entity_id: str) -> Entity:
    """Ids are unique across types. Errors: NotFound, in the same words whatever the reason."""
    context = info.context
    types = {_stored(kind): key for key, kind in (await context.entities.types(context.scope)).items()}
    try:
        stored = await context.services.stores.entities.type_of(context.scope, entity_id)
        return await context.entities.get(context.scope, types[stored], entity_id)
    except (NotFound, KeyError):
        raise NotFound(f"There is no entity «{entity_id[:80]}».") from None


def _stored(kind: EntityType) -> str:
    """What entities of a type call it."""
    return kind.key if kind.label == OWN_LABEL else kind.label


def _any_list() -> Any:
    async def resolve(
        _: object,
        info: Info,
        entityType: str,
        first: int,
        after: str | None,
        text: str | None,
        filter: Any,
    ) -> Any:
        kind = find_type(await info.context.entities.types(info.context.scope), entityType)
        if kind.key == "entity-types":
            raise InvalidInput("Entity types are definitions.", field="entityType", advice="Ask for `entityTypes`.")
        return await listed(info, kind.key, EntityFilter(_equals({"filter": filter}), _text(text)), first, after)

    arguments = [Argument("entityType", str, description="Its key, such as `knowledge`."), *PAGING, TEXT, FILTER]
    return dynamic_field(resolve, connection_type(AnyEntity), arguments, "Entities of one type, own types included.")


def _equals(given: Mapping[str, Any]) -> dict[str, Value]:
    """Narrowing arguments and the JSON filter as one; enums by their values."""
    free = given.get("filter") or {}
    if not isinstance(free, dict):
        raise InvalidInput("A filter is an object of properties.", field="filter")
    named = {name: getattr(value, "value", value) for name, value in given.items() if name != "filter"}
    return {**free, **{name: value for name, value in named.items() if value is not None}}


def _text(text: str | None) -> str | None:
    if text is not None and len(text) > LONGEST_TEXT:
        raise InvalidInput(f"A piece of text has at most {LONGEST_TEXT} characters.", field="text")
    return text
