"""What an organization may add to the entity types while it runs: types of its own, and fields on built-in ones.
Changes only add: what is stored stays valid. Pure rules; `custom_types` keeps the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from matrix.domain.access import Role
from matrix.domain.entities import EntityType, PropertyDefinition, PropertyType, Verb, check_key, validate_patch
from matrix.errors import InvalidInput
from matrix.graph.entities.rows import OWN_LABEL
from matrix.graph.entities.type_files import GRAPH_NAMES, PROPERTY_NAME

MOST_PROPERTIES = 100
LONGEST_TEXT = 1000  # characters of a name or description
MOST_CHOICES = 200

# Paths of REST, and collections that later versions of Matrix will have.
RESERVED_KEYS = frozenset(
    {"skills", "mcp-servers", "audit-events", "invitations", "receipts", "entities", "platform", "search", "chat"}
    | {"graph-entities", "communities", "claims", "audiences", "versions", "pictures", "webhooks", "evaluations"}
    | {"settings", "organization", "members", "uploads", "downloads", "collections", "files", "citations"}
)
OWN_VERBS = {Verb.READ: Role.VIEWER, Verb.CREATE: Role.EDITOR, Verb.UPDATE: Role.EDITOR, Verb.DELETE: Role.EDITOR}


SHARED_TYPES = frozenset({"users", "organizations"})
"""Their nodes belong to the platform: what one organization wrote there, all others would read."""


def own_type(wanted: EntityType, org_id: str, before: EntityType | None, known: Mapping[str, EntityType]) -> EntityType:
    """The organization's own type as it will be. Errors: InvalidInput, which names what is wrong."""
    check_key(wanted.key)
    if wanted.key in RESERVED_KEYS:
        raise InvalidInput(f"The key «{wanted.key}» is reserved for Matrix itself.", field="key")
    _check_text(wanted.name, "name")
    _check_text(wanted.description, "description")
    if not wanted.name.strip():
        raise InvalidInput("An entity type needs a name.", field="name")
    properties = _added(
        before.properties if before else (), wanted.properties, {*known, wanted.key}, before is not None
    )
    return replace(
        wanted,
        label=OWN_LABEL,
        properties=properties,
        verbs=dict(OWN_VERBS),
        owner_org=org_id,
        owned=False,
        has_key=True,
    )


def own_fields(
    wanted: EntityType, built_in: EntityType, before: Sequence[PropertyDefinition], known: Mapping[str, EntityType]
) -> tuple[PropertyDefinition, ...]:
    """The organization's own fields on a built-in type as they will be. Errors: InvalidInput."""
    if Verb.UPDATE not in built_in.verbs or built_in.owned or built_in.key in SHARED_TYPES:
        raise InvalidInput(f"{built_in.name} takes no fields of an organization: nobody could write them.", field="key")
    given = []
    for definition in wanted.properties:
        existing = built_in.definition_of(definition.name)
        if existing is None:
            given.append(definition)
        elif existing != definition:
            raise InvalidInput(
                f"{definition.name} is a property of Matrix itself and stays as it is.", field=definition.name
            )
    return _added(before, given, set(known), exists=True)


def _added(
    before: Sequence[PropertyDefinition], given: Sequence[PropertyDefinition], targets: set[str], exists: bool
) -> tuple[PropertyDefinition, ...]:
    """Those of before, changed where that is harmless, then the new ones. What is not given again stays."""
    merged = {definition.name: definition for definition in before}
    _check_distinct(given)
    for raw in given:
        definition = _own(raw, targets)
        old = merged.get(definition.name)
        if old is not None:
            _check_harmless(old, definition)
        elif exists and definition.required and definition.default is None:
            raise InvalidInput(
                f"{definition.name} is required, so entities that exist need a default for it.", field=definition.name
            )
        merged[definition.name] = definition
    if len(merged) > MOST_PROPERTIES:
        raise InvalidInput(f"A type has at most {MOST_PROPERTIES} properties of its own.", field="properties")
    return tuple(merged.values())


def _check_distinct(given: Sequence[PropertyDefinition]) -> None:
    seen: set[str] = set()
    for definition in given:
        if definition.name in seen:
            raise InvalidInput(f"{definition.name} is defined twice.", field=definition.name)
        seen.add(definition.name)


def _own(raw: PropertyDefinition, targets: set[str]) -> PropertyDefinition:
    definition = replace(
        raw, custom=True, writable="always", hidden=False, relationship=None, incoming=False, stored_as=None
    )
    _check_name(definition.name)
    _check_text(definition.description, definition.name)
    _check_fits(definition, targets)
    if definition.default is not None:
        validate_patch(EntityType("", "", "", (definition,), {}), {definition.name: definition.default})
    return definition


def _check_name(name: str) -> None:
    if not PROPERTY_NAME.fullmatch(name):
        raise InvalidInput(
            "A property's name starts with a small letter and holds only letters and digits (at most 63).", field=name
        )
    if name in GRAPH_NAMES:
        raise InvalidInput(f"The name «{name}» is reserved for Matrix itself.", field=name)


def _check_fits(definition: PropertyDefinition, targets: set[str]) -> None:
    name, kind = definition.name, definition.type
    if kind is PropertyType.ENTITY and definition.target_entity_type not in targets:
        raise InvalidInput(f"{name}: there is no entity type «{definition.target_entity_type}».", field=name)
    if kind is not PropertyType.ENTITY and definition.target_entity_type is not None:
        raise InvalidInput(f"{name}: only ENTITY properties have a target type.", field=name)
    if kind is PropertyType.ENTITY and definition.default is not None:
        raise InvalidInput(f"{name}: an ENTITY property has no default.", field=name)
    if kind is not PropertyType.NUMBER and (definition.minimum is not None or definition.maximum is not None):
        raise InvalidInput(f"{name}: only NUMBER properties have a minimum and a maximum.", field=name)
    if definition.choices and (kind is not PropertyType.STRING or len(definition.choices) > MOST_CHOICES):
        raise InvalidInput(f"{name}: only STRING properties have choices, at most {MOST_CHOICES}.", field=name)
    for choice in definition.choices:
        _check_text(choice, name)


def _check_harmless(old: PropertyDefinition, new: PropertyDefinition) -> None:
    """Values that were allowed stay allowed. Errors: InvalidInput."""
    fixed = ("type", "multi", "target_entity_type")
    tighter = (
        (new.required and not old.required and new.default is None)
        or (new.choices and not (old.choices and set(old.choices) <= set(new.choices)))
        or (new.minimum is not None and (old.minimum is None or new.minimum > old.minimum))
        or (new.maximum is not None and (old.maximum is None or new.maximum < old.maximum))
    )
    if tighter or any(getattr(old, name) != getattr(new, name) for name in fixed):
        raise InvalidInput(
            f"{new.name} exists already, and this change would make stored values invalid.",
            field=new.name,
            advice="Add a property with another name, and leave this one.",
        )


def _check_text(text: str, field: str) -> None:
    if len(text) > LONGEST_TEXT or "\x00" in text:
        raise InvalidInput(f"{field} is longer than {LONGEST_TEXT} characters.", field=field)
