"""Entities between the graph and the domain: which properties and relationships of a type are asked for, and a row as
an Entity. Hidden properties and vectors are never asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from neo4j.time import Date, DateTime

from matrix.domain.entities import Entity, EntityType, PropertyDefinition, PropertyType, Value
from matrix.graph.database import Row

OWN_LABEL = "CustomEntity"
OWN_RELATIONSHIP = "REFERS_TO"


def stored_type(entity_type: EntityType) -> str:
    """The `entityType` of its nodes: the label of a built-in type, the key of an organization's own."""
    return entity_type.key if entity_type.label == OWN_LABEL else entity_type.label


def stored_name(definition: PropertyDefinition) -> str:
    """The property of the node. An organization's own fields stand apart from what Matrix keeps on a node for itself,
    whatever they are called; `name` is what lists are searched by."""
    if definition.custom and definition.name != "name":
        return f"own_{definition.name}"
    return definition.stored_as or definition.name


def is_linked(definition: PropertyDefinition) -> bool:
    """Whether the value is a relationship, not a property of the node."""
    return definition.type is PropertyType.ENTITY and definition.stored_as is None


def link_of(definition: PropertyDefinition) -> dict[str, str]:
    """How an ENTITY property is told from others: its name, and the type of its relationships."""
    return {"name": definition.name, "type": definition.relationship or OWN_RELATIONSHIP}


def columns_of(entity_type: EntityType) -> dict[str, object]:
    """The parameters `names`, `outgoing` and `incoming` of the reading queries."""
    visible = entity_type.visible_properties
    linked = [definition for definition in visible if is_linked(definition)]
    return {
        "names": [stored_name(definition) for definition in visible if not is_linked(definition)],
        "outgoing": [link_of(definition) for definition in linked if not definition.incoming],
        "incoming": [link_of(definition) for definition in linked if definition.incoming],
    }


def entity_of(entity_type: EntityType, row: Row) -> Entity:
    """The entity in a row; every visible property is there, None (or an empty list) where it has no value."""
    plain = [definition for definition in entity_type.visible_properties if not is_linked(definition)]
    values = dict(zip((definition.name for definition in plain), row["values"], strict=True))
    links = sorted(row["links"], key=lambda link: (link["position"], link["id"]))
    return Entity(
        id=row["id"],
        entity_type=stored_type(entity_type),
        org_id=row["orgId"],
        key=row["key"],
        properties={d.name: _value_of(d, values, links) for d in entity_type.visible_properties},
        created_at=datetime.fromisoformat(row["createdAt"]),
        updated_at=datetime.fromisoformat(row["updatedAt"]),
    )


def node_properties(entity_type: EntityType, values: Mapping[str, Value]) -> dict[str, object]:
    """What of the values is stored on the node, under its names there; None takes a property away."""
    stored: dict[str, object] = {}
    for name, value in values.items():
        definition = entity_type.definition_of(name)
        if definition is not None and not is_linked(definition):
            stored[stored_name(definition)] = _storable(value)
    return stored


def _storable(value: Value) -> object:
    if isinstance(value, list) and any(isinstance(item, float) for item in value):
        return [float(item) for item in value]  # a stored list has one type
    return value


def _value_of(definition: PropertyDefinition, values: Mapping[str, Any], links: Iterable[Mapping[str, Any]]) -> Value:
    if is_linked(definition):
        ids = [str(link["id"]) for link in links if link["name"] == definition.name]
        return ids if definition.multi else next(iter(ids), None)
    value = values[definition.name]
    if value is None:
        return definition.default if definition.default is not None else ([] if definition.multi else None)
    if isinstance(value, DateTime | Date):
        return value.iso_format()
    return value  # type: ignore[no-any-return]  # what a node holds was validated when it was written
