"""An organization's own entity types, and its fields on built-in ones, merged over the platform's. They are kept as
`:EntityType` and `:EntityTypeFields` nodes, the definitions as JSON. What may change is in `type_changes`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace

from matrix.domain.access import Scope
from matrix.domain.entities import EntityType, PropertyDefinition
from matrix.domain.ids import new_id
from matrix.errors import Conflict, InvalidInput
from matrix.graph.database import Database, Row, Transaction
from matrix.graph.entities.rows import OWN_LABEL
from matrix.graph.entities.type_changes import OWN_VERBS, own_fields, own_type
from matrix.graph.entities.type_files import property_of

CACHE_SECONDS = 3.0  # how long another process may not see a new type
MOST_CACHED = 1000
MOST_TYPES = 100

READ_OWN_TYPES = """
MATCH (t:Entity) WHERE t.orgId = $org AND t.entityType IN ['EntityType', 'EntityTypeFields']
RETURN t.entityType AS kind, t.key AS key, t.name AS name, t.description AS description, t.definitions AS definitions
ORDER BY t.id
"""

# The constraint on (orgId, entityType, key) makes the second of two at once wait for the first.
LOCK_TYPE = """
CYPHER 25
MERGE (t:Entity {orgId: $org, entityType: $kind, key: $key})
ON CREATE SET t:$($kind), t.id = $id, t.createdAt = datetime()
SET t.updatedAt = datetime()
"""

WRITE_TYPE = """
MATCH (t:Entity {orgId: $org, entityType: $kind, key: $key})
SET t.name = $name, t.description = $description, t.definitions = $definitions, t.ownerOrg = $org, t.builtIn = false
"""


class Neo4jEntityTypes:
    """EntityTypeStore on the graph. Merged types are kept for a few seconds, by organization."""

    def __init__(
        self, database: Database, platform: Mapping[str, EntityType], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._platform = platform
        self._clock = clock
        self._cache: dict[str, tuple[float, Mapping[str, EntityType]]] = {}

    async def for_org(self, scope: Scope) -> Mapping[str, EntityType]:
        """All types that the organization has, by key: the platform's first."""
        kept = self._cache.get(scope.org_id)
        if kept is not None and kept[0] > self._clock():
            return kept[1]
        rows = await self._database.read(READ_OWN_TYPES, org=scope.org_id)
        types = _merged(self._platform, scope.org_id, rows)
        if len(self._cache) >= MOST_CACHED:
            self._cache.clear()
        self._cache[scope.org_id] = (self._clock() + CACHE_SECONDS, types)
        return types

    async def save_type(self, scope: Scope, entity_type: EntityType, *, new: bool = False) -> EntityType:
        """Makes or extends an own type, or adds own fields to the built-in type of that key; returns it as it is now.
        With `new` there must be none of that key yet.

        What is not given again stays. Errors: InvalidInput (a reserved name, a change that would break stored values),
        Conflict.
        """
        kind = "EntityTypeFields" if entity_type.key in self._platform else "EntityType"

        async def save(tx: Transaction) -> EntityType:
            await tx.run(LOCK_TYPE, org=scope.org_id, kind=kind, key=entity_type.key, id=new_id())
            rows = [row for row in await tx.run(READ_OWN_TYPES, org=scope.org_id) if row["definitions"] is not None]
            changed = self._changed(scope, entity_type, rows, new)
            await tx.run(
                WRITE_TYPE,
                org=scope.org_id,
                kind=kind,
                key=entity_type.key,
                name=changed.name,
                description=changed.description,
                definitions=_as_json(changed.properties),
            )
            return changed

        try:
            changed = await self._database.write_together(save)
        finally:
            self._cache.pop(scope.org_id, None)
        return changed

    def _changed(self, scope: Scope, wanted: EntityType, rows: Sequence[Row], new: bool) -> EntityType:
        known = _merged(self._platform, scope.org_id, rows)
        built_in = self._platform.get(wanted.key)
        before = known.get(wanted.key)
        if new and before is not None:
            raise Conflict(
                f"There is an entity type «{wanted.key}» already.",
                advice="Choose another key, or add properties to that one.",
            )
        if built_in is not None and before is not None:
            fields = own_fields(wanted, built_in, [p for p in before.properties if p.custom], known)
            return replace(built_in, properties=(*built_in.properties, *fields))
        if before is None and len(known) - len(self._platform) >= MOST_TYPES:
            raise InvalidInput(f"An organization has at most {MOST_TYPES} entity types of its own.", field="key")
        return own_type(wanted, scope.org_id, before, known)


def _merged(platform: Mapping[str, EntityType], org_id: str, rows: Sequence[Row]) -> Mapping[str, EntityType]:
    types = dict(platform)
    for row in rows:
        definitions = tuple(property_of(raw) for raw in json.loads(row["definitions"]))
        if row["kind"] == "EntityType":
            types.setdefault(row["key"], _own(row, org_id, definitions))
        elif (built_in := types.get(row["key"])) is not None:
            names = {definition.name for definition in built_in.properties}
            fields = tuple(definition for definition in definitions if definition.name not in names)
            types[row["key"]] = replace(built_in, properties=(*built_in.properties, *fields))
    return types


def _own(row: Row, org_id: str, definitions: tuple[PropertyDefinition, ...]) -> EntityType:
    return EntityType(
        key=row["key"],
        label=OWN_LABEL,
        name=row["name"],
        description=row["description"] or "",
        properties=definitions,
        verbs=dict(OWN_VERBS),
        owner_org=org_id,
    )


def _as_json(properties: Sequence[PropertyDefinition]) -> str:
    """The organization's own among the properties."""
    return json.dumps([asdict(definition) for definition in properties if definition.custom], ensure_ascii=False)
