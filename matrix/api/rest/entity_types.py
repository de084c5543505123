"""`/api/orgs/{slug}/entity-types`: the types there are, an organization's own ones, and its fields on built-in ones."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter, status
from pydantic import StrictBool, StrictFloat

from matrix.api.auth.principal import OrgScope
from matrix.api.entities import Entities
from matrix.api.own_types import changed_type, known_type, own_type
from matrix.api.rest.bodies import Body
from matrix.api.rest.shapes import entity_types as shapes
from matrix.api.rest.shapes.answers import MEMBER, answers
from matrix.domain.entities import EntityType, PropertyDefinition, PropertyType, Value, Verb
from matrix.ports import EntityTypeStore

Json = dict[str, object]


class PropertyBody(Body):
    name: str
    type: PropertyType = PropertyType.STRING
    required: StrictBool = False
    multi: StrictBool = False
    target_entity_type: str | None = None
    description: str = ""
    default: str | float | bool | None = None
    choices: tuple[str, ...] = ()
    minimum: StrictFloat | None = None
    maximum: StrictFloat | None = None

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
    name: str
    description: str = ""
    properties: tuple[PropertyBody, ...] = ()


class NewTypeBody(Body):
    properties: NewTypeProperties


class TypeChanges(Body):
    name: str | None = None
    description: str | None = None
    properties: tuple[PropertyBody, ...] = ()


class TypeChangeBody(Body):
    properties: TypeChanges


def entity_types_router(types: EntityTypeStore, entities: Entities) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}/entity-types", tags=["entity types"], responses=MEMBER)

    @router.get("", name="list_entity_types", responses=answers(shapes.EntityTypeList))
    async def list_types(slug: str, scope: OrgScope) -> Json:
        known = await types.for_org(scope)
        return {"items": [type_json(known[key], slug) for key in sorted(known)], "nextCursor": None}

    @router.post(
        "",
        name="create_entity_type",
        status_code=status.HTTP_201_CREATED,
        responses=answers(shapes.EntityType, 409, status=201),
    )
    async def create_type(slug: str, body: NewTypeBody, scope: OrgScope) -> Json:
        await entities.allowed(scope, "entity-types", Verb.CREATE)
        given = body.properties
        wanted = own_type(scope, given.key, given.name, given.description, definitions(given.properties))
        return type_json(await types.save_type(scope, wanted, new=True), slug)

    @router.get("/{key}", name="get_entity_type", responses=answers(shapes.EntityType))
    async def get_type(slug: str, key: str, scope: OrgScope) -> Json:
        return type_json(known_type(await types.for_org(scope), key), slug)

    @router.patch("/{key}", name="change_entity_type", responses=answers(shapes.EntityType, 409))
    async def change_type(slug: str, key: str, body: TypeChangeBody, scope: OrgScope) -> Json:
        """Adds properties, to an own type or, as own fields, to a built-in one; nothing is ever taken away."""
        before = known_type(await types.for_org(scope), key)
        await entities.allowed(scope, "entity-types", Verb.UPDATE)
        given = body.properties
        wanted = changed_type(scope, before, given.name, given.description, definitions(given.properties))
        return type_json(await types.save_type(scope, wanted), slug)

    return router


def definitions(bodies: Iterable[PropertyBody]) -> Iterable[PropertyDefinition]:
    return (body.to_definition() for body in bodies)


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
