"""Input types of mutations, made of the writable properties of entity types: what a client may not write is unknown to
GraphQL itself. An organization's own fields go into `customProperties`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import strawberry

from matrix.api.graphql.types.names import capital, one_and_many
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.scalars import JSON
from matrix.domain.entities import EntityType, PropertyDefinition, Verb
from matrix.errors import InvalidInput

OWN_FIELDS = "customProperties"
_WRITABLE = {Verb.CREATE: ("always", "create"), Verb.UPDATE: ("always",)}


def input_type(
    objects: ObjectTypes, kind: EntityType, verb: Verb, wanted: Callable[[PropertyDefinition], bool] = lambda _: True
) -> Any:
    """`CreateKnowledgeInput` and the like."""
    name = f"{capital(verb.value)}{capital(one_and_many(kind.key)[0])}Input"
    annotations: dict[str, Any] = {}
    defaults: dict[str, Any] = {}

    def add(field: str, graphql_type: Any, required: bool, description: str) -> None:
        annotations[field] = graphql_type if required else graphql_type | None
        given = {} if required else {"default": strawberry.UNSET}
        defaults[field] = strawberry.field(name=field, description=description or None, **given)

    if verb is Verb.CREATE and kind.has_key:
        add("key", str, False, "Made of the name where it is not given.")
    for definition in kind.properties:
        if definition.writable in _WRITABLE[verb] and wanted(definition):
            needed = verb is Verb.CREATE and definition.required and definition.default is None
            one = objects.scalar(kind, definition)
            add(definition.name, list[one] if definition.multi else one, needed, definition.description)  # type: ignore[valid-type]  # made at run time
    if Verb.UPDATE in kind.verbs and not kind.owned:
        add(OWN_FIELDS, JSON, False, "Properties that the organization added to the type.")
    # A field without a default cannot follow one that has one.
    ordered = dict(sorted(annotations.items(), key=lambda item: item[0] in _optional(defaults)))
    made = type(name, (), {**{field: defaults[field] for field in ordered}, "__annotations__": ordered})
    return strawberry.input(made, name=name)


def given_properties(given: Any) -> dict[str, object]:
    """What a client wrote, as the services take it: by property, own fields among them. Errors: InvalidInput."""
    values = {name: _plain(value) for name, value in vars(given).items() if value is not strawberry.UNSET}
    own = values.pop(OWN_FIELDS, None) or {}
    if not isinstance(own, Mapping):
        raise InvalidInput("Own properties are an object.", field=OWN_FIELDS)
    for name in own:
        if hasattr(given, name):
            raise InvalidInput(
                f"{name} is a property of Matrix itself.", field=name, advice="Give it beside the others."
            )
    return {**values, **own}


def _optional(fields: Mapping[str, Any]) -> set[str]:
    return {name for name, made in fields.items() if made.default is strawberry.UNSET}


def _plain(value: Any) -> object:
    """Enums by their values."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return getattr(value, "value", value)
