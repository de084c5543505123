"""Entities and pages of them."""

from __future__ import annotations

from matrix.api.rest.shapes.shape import Instant, Shape


class Entity(Shape):
    """An entity of any type."""

    id: str
    entityType: str
    """The label of its type, such as Document."""
    key: str | None
    """The name in addresses that stays; null where entities of the type have none."""
    orgSlug: str
    properties: dict[str, object]
    """By the definitions of the type, see `GET …/entity-types/{key}`; properties of the type ENTITY hold ids."""
    createdAt: Instant
    updatedAt: Instant


class EntityList(Shape):
    """A page of entities, newest first."""

    items: list[Entity]
    nextCursor: str | None
    """Hand it back as `cursor` for the next page; null on the last one."""
