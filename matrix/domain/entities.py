"""Entity types as data, and the rules by which properties are validated against them. Pure: no store is asked here;
whether the target of an ENTITY property exists is the graph's to say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from matrix.domain.access import Role
from matrix.errors import InvalidInput, UnknownField

KEY_PATTERN = re.compile(r"[a-z][a-z0-9-]{0,62}")
MAX_STRING = 100_000  # characters in one property

Value = str | int | float | bool | None | list[str] | list[float] | list[bool]
Properties = Mapping[str, Value]


class PropertyType(StrEnum):
    STRING = "STRING"
    NUMBER = "NUMBER"
    BOOLEAN = "BOOLEAN"
    DATE = "DATE"
    ENTITY = "ENTITY"


class Verb(StrEnum):
    READ = "read"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class PropertyDefinition:
    """One property of an entity type.

    `writable` says whether a client may write it: "always", "create" (fixed afterwards) or "never" (Matrix writes it).
    `whole` numbers have no fraction.
    `hidden` properties never leave the store: hashes, and secrets, which a client may write but nobody reads back.
    `relationship` is the fixed relationship type of a built-in ENTITY property (`incoming`: it points at the owner of
    the property); an organization's own use REFERS_TO.
    """

    name: str
    type: PropertyType = PropertyType.STRING
    required: bool = False
    multi: bool = False
    target_entity_type: str | None = None
    description: str = ""
    default: Value = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    whole: bool = False
    writable: str = "always"
    hidden: bool = False
    relationship: str | None = None
    incoming: bool = False
    stored_as: str | None = None
    custom: bool = False


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of entity. `key` names it in REST paths (collection) and `label` in the graph (second label, GraphQL).

    `verbs` maps each allowed verb to the lowest role that may use it; a verb that is absent answers «read only».
    `owned` types are private to the user in their `ownerId` property.
    """

    key: str
    label: str
    name: str
    properties: tuple[PropertyDefinition, ...]
    verbs: Mapping[Verb, Role]
    description: str = ""
    owner_org: str | None = None
    owned: bool = False
    has_key: bool = True

    def definition_of(self, name: str) -> PropertyDefinition | None:
        return next((p for p in self.properties if p.name == name), None)

    @property
    def visible_properties(self) -> tuple[PropertyDefinition, ...]:
        return tuple(p for p in self.properties if not p.hidden)


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity as a caller sees it: without embedding and hidden properties; ENTITY properties hold target ids."""

    id: str
    entity_type: str
    org_id: str
    key: str | None
    properties: Properties
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list, newest first; `next_cursor` is None on the last one."""

    items: tuple[Entity, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """What a list is narrowed to: equality on properties, ENTITY properties by target id, a piece of the name."""

    equals: Properties = field(default_factory=dict)
    text: str | None = None


def check_key(key: object, what: str = "key") -> str:
    """A valid key, or InvalidInput: a small letter, then small letters, digits and hyphens, at most 63."""
    if not isinstance(key, str) or not KEY_PATTERN.fullmatch(key):
        raise InvalidInput(
            f"{what} must start with a small letter and hold only small letters, digits and hyphens (at most 63).",
            field=what,
        )
    return key


def is_text(value: str) -> bool:
    """Whether it can be kept: no NUL, and no half of a character (a lone surrogate)."""
    return "\x00" not in value and not any("\ud800" <= char <= "\udfff" for char in value)


def validate_new(entity_type: EntityType, payload: Mapping[str, object]) -> dict[str, Value]:
    """The properties to store for a new entity: known, well-typed, with defaults filled in.

    Errors: UnknownField, InvalidInput (wrong type, missing, out of range, not writable).
    """
    values = _validated(entity_type, payload, verb=Verb.CREATE)
    for definition in entity_type.properties:
        if definition.default is not None:
            values.setdefault(definition.name, definition.default)
        if definition.required and values.get(definition.name) in (None, "", []):
            raise InvalidInput(f"{definition.name} is required.", field=definition.name)
    return values


def validate_patch(entity_type: EntityType, payload: Mapping[str, object]) -> dict[str, Value]:
    """The properties to change; None takes one away. Errors as in `validate_new`."""
    values = _validated(entity_type, payload, verb=Verb.UPDATE)
    for name, value in values.items():
        definition = entity_type.definition_of(name)
        if value is None and definition is not None and definition.required:
            raise InvalidInput(f"{name} is required and cannot be taken away.", field=name)
    return values


def _validated(entity_type: EntityType, payload: Mapping[str, object], verb: Verb) -> dict[str, Value]:
    allowed = ("always", "create") if verb is Verb.CREATE else ("always",)
    values: dict[str, Value] = {}
    for name, raw in payload.items():
        definition = entity_type.definition_of(name)
        if definition is None or (definition.hidden and definition.writable == "never"):
            raise UnknownField(f"{entity_type.name} has no property «{name}».", field=name)
        if definition.writable not in allowed:
            raise InvalidInput(f"{name} cannot be written{'' if verb is Verb.CREATE else ' later'}.", field=name)
        values[name] = None if raw is None else _checked(definition, raw)
    return values


def _checked(definition: PropertyDefinition, raw: object) -> Value:
    if not definition.multi:
        return _checked_one(definition, raw)
    if not isinstance(raw, Sequence) or isinstance(raw, str | bytes):
        raise InvalidInput(f"{definition.name} must be a list.", field=definition.name)
    return [_checked_one(definition, item) for item in raw]  # type: ignore[return-value]  # all share one type


def _checked_one(definition: PropertyDefinition, raw: object) -> str | int | float | bool:
    match definition.type:
        case PropertyType.BOOLEAN:
            return _checked_boolean(definition, raw)
        case PropertyType.NUMBER:
            return _checked_number(definition, raw)
        case PropertyType.DATE:
            return _checked_date(definition, raw)
        case PropertyType.STRING | PropertyType.ENTITY:
            return _checked_string(definition, raw)


def _checked_boolean(definition: PropertyDefinition, raw: object) -> bool:
    if not isinstance(raw, bool):
        raise InvalidInput(f"{definition.name} must be true or false.", field=definition.name)
    return raw


def _checked_number(definition: PropertyDefinition, raw: object) -> int | float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) <= 2**53:
        raise InvalidInput(f"{definition.name} must be a number.", field=definition.name)
    if definition.whole:
        if not float(raw).is_integer():
            raise InvalidInput(f"{definition.name} must be a whole number.", field=definition.name)
        raw = int(raw)
    low, high = definition.minimum, definition.maximum
    if (low is not None and raw < low) or (high is not None and raw > high):
        raise InvalidInput(f"{definition.name} must be between {low} and {high}.", field=definition.name)
    return raw


def _checked_date(definition: PropertyDefinition, raw: object) -> str:
    try:
        if not isinstance(raw, str):
            raise ValueError
        (datetime if "T" in raw else date).fromisoformat(raw)
    except ValueError:
        raise InvalidInput(
            f"{definition.name} must be a date like 2026-11-30 or 2026-11-30T12:00:00Z.", field=definition.name
        ) from None
    return raw


def _checked_string(definition: PropertyDefinition, raw: object) -> str:
    if not isinstance(raw, str) or not is_text(raw):
        raise InvalidInput(f"{definition.name} must be text.", field=definition.name)
    if len(raw) > MAX_STRING:
        raise InvalidInput(f"{definition.name} is longer than {MAX_STRING} characters.", field=definition.name)
    if definition.choices and raw not in definition.choices:
        raise InvalidInput(f"{definition.name} must be one of {', '.join(definition.choices)}.", field=definition.name)
    return raw
