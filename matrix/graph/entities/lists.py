"""Which query finds or lists entities of a type, with which parameters, and where the next page begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

from matrix.domain.access import Scope
from matrix.domain.entities import EntityFilter, EntityType, PropertyDefinition, PropertyType, Value
from matrix.errors import InvalidInput, UnknownField
from matrix.graph.cursors import decode_cursor, encode_cursor, not_a_cursor
from matrix.graph.database import Row
from matrix.graph.entities.queries import (
    FIND_CHUNKS,
    FIND_DOCUMENTS,
    FIND_ENTITIES,
    FIND_JOBS,
    FIND_KNOWLEDGE,
    FIND_MEMBERS,
    FIND_ORGANIZATIONS,
    FIND_OWNED,
    LIST_CHUNKS,
    LIST_CHUNKS_OF_DOCUMENT,
    LIST_CHUNKS_OF_KNOWLEDGE,
    LIST_DOCUMENTS,
    LIST_DOCUMENTS_OF_KNOWLEDGE,
    LIST_ENTITIES,
    LIST_JOBS,
    LIST_KNOWLEDGE,
    LIST_MEMBERS,
    LIST_MESSAGES_OF_SESSION,
    LIST_ORGANIZATIONS,
    LIST_OWNED,
    LIST_SHARED,
)
from matrix.graph.entities.rows import is_linked, link_of, stored_name, stored_type

PLATFORM = "platform"
SHARED_LABELS = frozenset({"Tool", "EntityType", "Organization"})  # the platform's own are shown to everybody
COUNTED = frozenset({"documentCount", "chunkCount"})
_BEHIND_ALL = "~"  # sorts after every id


@dataclass(frozen=True, slots=True)
class Listing:
    """A query, the property by which it begins (a target's id), and how its cursor is made."""

    query: LiteralString
    start: str | None = None
    cursor: tuple[str, ...] = ("id",)


_BY_POSITION = ("position",)
_BY_PLACE = ("documentId", "position")

# The first whose `start` is filtered by wins; the last of each label has none.
_SPECIAL: Mapping[str, tuple[Listing, ...]] = {
    "Knowledge": (Listing(LIST_KNOWLEDGE),),
    "KnowledgeDocument": (Listing(LIST_DOCUMENTS_OF_KNOWLEDGE, "knowledge"), Listing(LIST_DOCUMENTS)),
    "KnowledgeChunk": (
        Listing(LIST_CHUNKS_OF_DOCUMENT, "document", _BY_PLACE),
        Listing(LIST_CHUNKS_OF_KNOWLEDGE, "knowledge", _BY_PLACE),
        Listing(LIST_CHUNKS, None, _BY_PLACE),
    ),
    "Message": (Listing(LIST_MESSAGES_OF_SESSION, "session", _BY_POSITION), Listing(LIST_OWNED)),
    "IngestJob": (Listing(LIST_JOBS),),
    "User": (Listing(LIST_MEMBERS),),
    "Organization": (Listing(LIST_ORGANIZATIONS),),
}


_FINDERS: Mapping[str, LiteralString] = {
    "Knowledge": FIND_KNOWLEDGE,
    "KnowledgeDocument": FIND_DOCUMENTS,
    "KnowledgeChunk": FIND_CHUNKS,
    "IngestJob": FIND_JOBS,
    "User": FIND_MEMBERS,
    "Organization": FIND_ORGANIZATIONS,
}


def finder_for(entity_type: EntityType) -> LiteralString:
    """The query that finds entities of the type by ids or keys."""
    return _FINDERS.get(entity_type.label, FIND_OWNED if entity_type.owned else FIND_ENTITIES)


def listing_for(entity_type: EntityType, filtered: Mapping[str, Value]) -> Listing:
    for listing in _SPECIAL.get(entity_type.label, ()):
        if listing.start is None or listing.start in filtered:
            return listing
    if entity_type.label in SHARED_LABELS:
        return Listing(LIST_SHARED)
    return Listing(LIST_OWNED if entity_type.owned else LIST_ENTITIES)


def scope_parameters(scope: Scope, entity_type: EntityType) -> dict[str, object]:
    """What every reading query knows about who asks, and for what."""
    shared = entity_type.label in SHARED_LABELS
    return {
        "org": scope.org_id,
        "orgs": [scope.org_id, PLATFORM] if shared else [scope.org_id],
        "user": scope.user_id,
        "owner": scope.user_id if entity_type.owned else None,
        "audiences": list(scope.audiences),
        "type": stored_type(entity_type),
    }


def filter_parameters(
    entity_type: EntityType, values: Mapping[str, Value], text: str | None, listing: Listing
) -> dict[str, object]:
    """A checked filter (targets by id) as parameters; what the listing begins with is not filtered again."""
    kept = [(_known(entity_type, name), value) for name, value in values.items() if name != listing.start]
    linked = [(definition, value) for definition, value in kept if is_linked(definition)]
    plain = [(definition, value) for definition, value in kept if not is_linked(definition)]
    return {
        "start": values.get(listing.start) if listing.start else None,
        "equals": [{"name": stored_name(d), "value": value, "default": d.default} for d, value in plain if not d.multi],
        "contains": [{"name": stored_name(d), "value": value} for d, value in plain if d.multi],
        "outgoingTo": [{**link_of(d), "id": value} for d, value in linked if not d.incoming],
        "incomingFrom": [{**link_of(d), "id": value} for d, value in linked if d.incoming],
        "text": text or None,
    }


def checked_filter(entity_type: EntityType, where: EntityFilter) -> dict[str, Value]:
    """The filter with values of the properties' types; text from a query string is read as such. Errors: UnknownField,
    InvalidInput."""
    if entity_type.label == "Knowledge" and (counted := COUNTED & where.equals.keys()):
        # What is stored is of everything, what is shown is of what the caller may see.
        raise InvalidInput(f"Knowledge is not filtered by {min(counted)}.", field=min(counted))
    return {name: _filter_value(_known(entity_type, name), value) for name, value in where.equals.items()}


def page_parameters(listing: Listing, cursor: str | None) -> dict[str, object]:
    """Where the page begins. Errors: InvalidInput."""
    parts = dict(zip(listing.cursor, decode_cursor(cursor, len(listing.cursor)), strict=True)) if cursor else {}
    position = parts.get("position", "-1")
    if not position.removeprefix("-").isdecimal():
        raise not_a_cursor()
    return {"before": parts.get("id", parts.get("documentId", _BEHIND_ALL)), "after": int(position)}


def next_cursor(listing: Listing, rows: Sequence[Row], limit: int) -> str | None:
    """The cursor of the page after this one, where there is one more row than shown."""
    return encode_cursor(*(rows[limit - 1][name] for name in listing.cursor)) if len(rows) > limit else None


def _known(entity_type: EntityType, name: str) -> PropertyDefinition:
    definition = entity_type.definition_of(name)
    if definition is None or definition.hidden:
        raise UnknownField(f"{entity_type.name} has no property «{name}».", field=name)
    return definition


def _filter_value(definition: PropertyDefinition, value: Value) -> Value:
    match definition.type, value:
        case PropertyType.BOOLEAN, "true" | "false":
            return value == "true"
        case PropertyType.BOOLEAN, bool():
            return value
        case PropertyType.NUMBER, str():
            return _number(definition, value)
        case PropertyType.NUMBER, int() | float():
            return value
        case PropertyType.STRING | PropertyType.DATE | PropertyType.ENTITY, str():
            return value
    raise _wrong(definition)


def _number(definition: PropertyDefinition, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise _wrong(definition) from None


def _wrong(definition: PropertyDefinition) -> InvalidInput:
    return InvalidInput(
        f"{definition.name} is filtered by one {definition.type.value.lower()} value.", field=definition.name
    )
