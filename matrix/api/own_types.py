"""An organization's own entity types, and its fields on built-in ones, as REST and GraphQL ask for them. How much there
may be of it, and what may change, is the store's to say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from matrix.domain.access import Scope
from matrix.domain.entities import EntityType, PropertyDefinition, check_key
from matrix.domain.names import check_name
from matrix.errors import NotFound

OWN_LABEL = "CustomEntity"


def own_type(
    scope: Scope, key: str, name: str, description: str, properties: Iterable[PropertyDefinition]
) -> EntityType:
    """A type to be made; who may do what with it, the store adds. Errors: InvalidInput."""
    return EntityType(
        key=check_key(key),
        label=OWN_LABEL,
        name=check_name(name),
        description=description,
        properties=tuple(properties),
        verbs={},
        owner_org=scope.org_id,
    )


def changed_type(
    scope: Scope,
    before: EntityType,
    name: str | None,
    description: str | None,
    properties: Iterable[PropertyDefinition],
) -> EntityType:
    """What is added to a type, as the store takes it: its key and the new properties. Errors: InvalidInput."""
    return EntityType(
        key=before.key,
        label=before.label,
        name=before.name if name is None else check_name(name),
        description=before.description if description is None else description,
        properties=tuple(properties),
        verbs=before.verbs,
        owner_org=scope.org_id,
    )


def known_type(types: Mapping[str, EntityType], key: str) -> EntityType:
    """Errors: NotFound."""
    if key not in types:
        raise NotFound(f"There is no entity type «{key[:80]}».")
    return types[key]
