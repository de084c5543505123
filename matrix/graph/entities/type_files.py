"""The platform's entity types, read from `graph_schema/entity_types/*.yaml`. The same reading serves an organization's
own types, which `custom_types` keeps as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import cast

import yaml

from matrix.domain.access import Role
from matrix.domain.entities import EntityType, PropertyDefinition, PropertyType, Value, Verb, check_key
from matrix.errors import SchemaMismatch
from matrix.graph.schema.folder import schema_folder

PROPERTY_NAME = re.compile(r"[a-z][A-Za-z0-9]{0,62}")
_LABEL = re.compile(r"[A-Z][A-Za-z]{0,62}")
_RELATIONSHIP = re.compile(r"[A-Z]+(_[A-Z]+)*")
_WRITABLE = ("always", "create", "never")
_TYPE_KEYS = frozenset({"key", "label", "name", "description", "verbs", "properties", "owned", "has_key"})
_PROPERTY_KEYS = frozenset(field.name for field in fields(PropertyDefinition))

GRAPH_NAMES = frozenset(
    {"id", "key", "entityType", "orgId", "orgSlug", "createdAt", "updatedAt", "deletedAt", "ownerId", "position"}
    | {"embedding", "embeddingModel", "embeddingDimensions", "contentHash", "scopeTokens", "sourceKind", "nameKey"}
    | {"scopeId", "audienceId", "documentId", "knowledgeId", "sessionId", "versionId", "chunkId"}
    | {"properties", "customProperties", "definitions", "related", "limit", "cursor", "q"}
)
"""What every node may carry for Matrix itself: no organization's own property is called so."""


def read_entity_types(folder: Path | None = None) -> dict[str, EntityType]:
    """The platform's types by key, in order of their keys. Errors: SchemaMismatch, which names file and fault."""
    types: dict[str, EntityType] = {}
    for path in sorted((folder or schema_folder() / "entity_types").glob("*.yaml")):
        try:
            entity_type = _type_of(yaml.safe_load(path.read_text(encoding="utf-8")))
            if entity_type.key != path.stem:
                raise ValueError(f"key {entity_type.key} is not the file's name")
        except (ValueError, TypeError, KeyError, yaml.YAMLError) as error:
            raise SchemaMismatch(f"{path.name} is no entity type: {error}", advice="Correct the file.") from error
        types[entity_type.key] = entity_type
    _check_together(types)
    return types


def property_of(raw: Mapping[str, object]) -> PropertyDefinition:
    """A property from its written form. Errors: ValueError, in words."""
    _check_written(raw)
    definition = PropertyDefinition(
        **{  # type: ignore[arg-type]  # every value is checked just below
            **raw,
            "type": PropertyType(str(raw.get("type", "STRING"))),
            "choices": tuple(str(choice) for choice in cast(Sequence[object], raw.get("choices", ()))),
            "default": cast(Value, raw.get("default")),
        }
    )
    _check_property(definition)
    return definition


def _check_written(raw: Mapping[str, object]) -> None:
    name = raw.get("name")
    if unknown := raw.keys() - _PROPERTY_KEYS:
        raise ValueError(f"unknown {', '.join(sorted(unknown))} in property {name}")
    for key, wanted in (
        ("required", bool),
        ("multi", bool),
        ("hidden", bool),
        ("incoming", bool),
        ("whole", bool),
        ("description", str),
    ):
        if key in raw and not isinstance(raw[key], wanted):
            raise ValueError(f"{key} of {name} must be a {wanted.__name__}")
    for key in ("minimum", "maximum"):
        if raw.get(key) is not None and (isinstance(raw[key], bool) or not isinstance(raw[key], int | float)):
            raise ValueError(f"{key} of {name} must be a number")


def _type_of(raw: Mapping[str, object]) -> EntityType:
    if unknown := raw.keys() - _TYPE_KEYS:
        raise ValueError(f"unknown {', '.join(sorted(unknown))}")
    properties = tuple(property_of(item) for item in cast(Sequence[Mapping[str, object]], raw["properties"]))
    entity_type = EntityType(
        key=check_key(raw["key"]),
        label=str(raw["label"]),
        name=str(raw["name"]),
        description=str(raw.get("description", "")),
        properties=properties,
        verbs={Verb(verb): Role[role] for verb, role in cast(Mapping[str, str], raw["verbs"]).items()},
        owned=bool(raw.get("owned", False)),
        has_key=bool(raw.get("has_key", True)),
    )
    if not _LABEL.fullmatch(entity_type.label):
        raise ValueError(f"label {entity_type.label} is not a label")
    names = [definition.name for definition in properties]
    if len(set(names)) < len(names):
        raise ValueError("a property is there twice")
    return entity_type


def _check_property(definition: PropertyDefinition) -> None:
    name = definition.name
    if not isinstance(name, str) or not PROPERTY_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a property name")
    if definition.writable not in _WRITABLE:
        raise ValueError(f"writable of {name} must be one of {', '.join(_WRITABLE)}")
    if (definition.type is PropertyType.ENTITY) != (definition.target_entity_type is not None):
        raise ValueError(f"{name}: ENTITY and target_entity_type belong together")
    if definition.relationship is not None and not _RELATIONSHIP.fullmatch(definition.relationship):
        raise ValueError(f"{name}: {definition.relationship} is not a relationship type")


def _check_together(types: Mapping[str, EntityType]) -> None:
    labels = [entity_type.label for entity_type in types.values()]
    if len(set(labels)) < len(labels):
        raise SchemaMismatch("Two entity types share a label.", advice="Correct graph_schema/entity_types.")
    for entity_type in types.values():
        for definition in entity_type.properties:
            if definition.type is PropertyType.ENTITY:
                _check_target(types, entity_type, definition)


def _check_target(types: Mapping[str, EntityType], entity_type: EntityType, definition: PropertyDefinition) -> None:
    stored = definition.relationship is not None or (definition.stored_as and definition.writable == "never")
    if definition.target_entity_type not in types or not stored:
        raise SchemaMismatch(
            f"{entity_type.key}.{definition.name} needs a known target_entity_type and a relationship (or stored_as, "
            "where no client writes it).",
            advice="Correct graph_schema/entity_types.",
        )
