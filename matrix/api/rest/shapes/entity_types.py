"""Entity types, in the shape of entities."""

from __future__ import annotations

from typing import Literal

from matrix.api.rest.shapes.people import RoleName
from matrix.api.rest.shapes.shape import Shape
from matrix.domain.entities import PropertyType, Verb


class PropertyDefinition(Shape):
    """A property that entities of the type may have."""

    name: str
    type: PropertyType
    required: bool
    multi: bool
    """Holds a list."""
    targetEntityType: str | None
    """The key of the type that an ENTITY property points to."""
    description: str
    default: str | float | bool | list[str] | list[float] | list[bool] | None
    choices: list[str]
    """The values that it may have; empty where all may stand."""
    minimum: float | None
    maximum: float | None
    writable: Literal["always", "create", "never"]
    """When clients may write it; `create`: it is fixed afterwards."""
    custom: bool
    """The organization added it."""


class EntityTypeProperties(Shape):
    """What entities of a type are like."""

    name: str
    description: str
    builtIn: bool
    label: str
    """`entityType` of its entities."""
    verbs: dict[Verb, RoleName]
    """What clients may do with its entities, and the role that it takes."""
    properties: list[PropertyDefinition]


class EntityType(Shape):
    """A type of entities. Its key names the collection."""

    id: str
    entityType: Literal["EntityType"]
    key: str
    orgSlug: str | None
    """Null for a type that is built in."""
    properties: EntityTypeProperties


class EntityTypeList(Shape):
    """All types, in the order of their keys."""

    items: list[EntityType]
    nextCursor: None
