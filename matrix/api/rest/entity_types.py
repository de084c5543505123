"""`/api/orgs/{slug}/entity-types`: the types there are, an organization's own ones, and its fields on built-in ones."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, status
from pydantic import Field

from matrix.api.auth.principal import OrgScope
from matrix.api.entities import Entities
from matrix.api.rest.bodies import Body
from matrix.domain.access import Role, Scope
from matrix.domain.entities import EntityType, PropertyDefinition, PropertyType, Value, Verb, check_key
from matrix.errors import NotFound
from matrix.ports import EntityTypeStore

Json = dict[str, object]
OWN_VERBS = {Verb.READ: Role.VIEWER, Verb.CREATE: Role.EDITOR, Verb.UPDATE: Role.EDITOR, Verb.DELETE: Role.EDITOR}


class PropertyBody(Body):
    name: str = Field(min_length=1, max_length=63)
    type: PropertyType = PropertyType.STRING
    required: bool = False
    multi: bool = False
    target_entity_type: str | None = None
    description: str = Field("", max_length=500)
    default: str | float | bool | None = None
    choices: tuple[str, ...] = Field((), max_length=100)
    minimum: float | None = None
    maximum: float | None = None

    def to_definition(self) -> PropertyDefinition:
        return PropertyDefinition(
            name=self.name,
            type=self.type,
            required=self.required,
            multi=self.multi,
            target_entity_type=self.target_entity_type,
            description=self.description,
            default=self.default,
            choices=self.choices,
            minimum=self.minimum,
            maximum=self.maximum,
            custom=True,
        )


class NewTypeProperties(Body):
    key: str
    name: str = Field(min_length=1, max_length=100)
    description: str = Field("", max_length=1000)
    properties: tuple[PropertyBody, ...] = Field((), max_length=100)


class NewTypeBody(Body):
    properties: NewTypeProperties


class TypeChanges(Body):
    name: str | None = Field(None, min_length=1, max_length=100)
    description: str | None = Field(None, max_length=1000)
    properties: tuple[PropertyBody, ...] = Field((), max_length=100)


class TypeChangeBody(Body):
    properties: TypeChanges


def entity_types_router(types: EntityTypeStore, entities: Entities) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}/entity-types", tags=["entity types"])

    @router.get("")
    async def list_types(slug: str, scope: OrgScope) -> Json:
        known = await types.for_org(scope)
        return {"items": [type_json(known[key], slug) for key in sorted(known)], "nextCursor": None}

    @router.post("", status_code=status.HTTP_201_CREATED)
    async def create_type(slug: str, body: NewTypeBody, scope: OrgScope) -> Json:
        await entities.allowed(scope, "entity-types", Verb.CREATE)
        return type_json(await types.save_type(scope, own_type(scope, body.properties), new=True), slug)

    @router.get("/{key}")
    async def get_type(slug: str, key: str, scope: OrgScope) -> Json:
        return type_json(_known(await types.for_org(scope), key), slug)

    @router.patch("/{key}")
    async def change_type(slug: str, key: str, body: TypeChangeBody, scope: OrgScope) -> Json:
        """Adds properties, to an own type or, as own fields, to a built-in one; nothing is ever taken away."""
        before = _known(await types.for_org(scope), key)
        await entities.allowed(scope, "entity-types", Verb.UPDATE)
        return type_json(await types.save_type(scope, changed_type(scope, before, body.properties)), slug)

    return router


def own_type(scope: Scope, wanted: NewTypeProperties) -> EntityType:
    """An organization's own type: everybody may read it, editors write it."""
    key = check_key(wanted.key)
    return EntityType(
        key=key,
        label="CustomEntity",
        name=wanted.name,
        description=wanted.description,
        properties=tuple(body.to_definition() for body in wanted.properties),
        verbs=OWN_VERBS,
        owner_org=scope.org_id,
    )


def changed_type(scope: Scope, before: EntityType, changes: TypeChanges) -> EntityType:
    """What is added to a type, as the store takes it: its key and the new properties."""
    return EntityType(
        key=before.key,
        label=before.label,
        name=changes.name or before.name,
        description=changes.description if changes.description is not None else before.description,
        properties=tuple(body.to_definition() for body in changes.properties),
        verbs=before.verbs,
        owner_org=scope.org_id,
    )


def type_json(entity_type: EntityType, slug: str) -> Json:
    """A type in the shape of an entity; its key is its id."""
    return {
        "id": entity_type.key,
        "entityType": "EntityType",
        "key": entity_type.key,
        "orgSlug": slug if entity_type.owner_org else None,
        "properties": {
            "name": entity_type.name,
            "description": entity_type.description,
            "builtIn": entity_type.owner_org is None,
            "label": entity_type.label,
            "verbs": {verb.value: role.name for verb, role in entity_type.verbs.items()},
            "properties": [property_json(definition) for definition in entity_type.visible_properties],
        },
    }


def property_json(definition: PropertyDefinition) -> dict[str, Value | dict[str, Value]]:
    return {
        "name": definition.name,
        "type": definition.type.value,
        "required": definition.required,
        "multi": definition.multi,
        "targetEntityType": definition.target_entity_type,
        "description": definition.description,
        "default": definition.default,
        "choices": list(definition.choices),
        "minimum": definition.minimum,
        "maximum": definition.maximum,
        "writable": definition.writable,
        "custom": definition.custom,
    }


def _known(types: Mapping[str, EntityType], key: str) -> EntityType:
    if key not in types:
        raise NotFound(f"There is no entity type «{key}».")
    return types[key]
