"""Entities of any type, built-in or an organization's own, by the rules of the type. Documents, people and credentials
are read here too, but written by their own repositories; so is the deletion of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matrix.domain.access import Scope
from matrix.domain.entities import Entity, EntityFilter, EntityType, Page, Properties, Value
from matrix.domain.ids import new_id
from matrix.errors import Conflict, NotFound, ReadOnly
from matrix.graph.access.audiences import check_nothing_rests_on
from matrix.graph.access.cache import AccessCache
from matrix.graph.database import Database, Row, Transaction
from matrix.graph.entities.links import find_ids, find_targets, id_of, no_entity, write_links
from matrix.graph.entities.lists import (
    checked_filter,
    filter_parameters,
    finder_for,
    listing_for,
    next_cursor,
    page_parameters,
    scope_parameters,
)
from matrix.graph.entities.rows import columns_of, entity_of, node_properties, stored_type
from matrix.ports import EntityTypeStore

MOST_ON_A_PAGE = 100

CREATE_ENTITY = """
CYPHER 25
CREATE (n:Entity:$($label))
SET n = $properties, n.id = $id, n.entityType = $type, n.orgId = $org, n.key = $key, n.ownerId = $owner,
  n.createdAt = datetime(), n.updatedAt = datetime()
"""

UPDATE_ENTITY = """
CYPHER 25
MATCH (n:Entity {id: $id})
SET n += $properties, n.updatedAt = datetime()
"""

READ_TYPE = """
MATCH (n:Entity {id: $id}) WHERE n.orgId IN [$org, 'platform']
RETURN n.entityType AS type
"""

READ_HIDDEN = "MATCH (n:Entity {id: $id}) RETURN n[$name] AS value"

# Writing the node first locks it: what is being added to it now is matched, and what comes later finds it gone.
DELETE_ENTITY = """
MATCH (n:Entity {id: $id})
SET n.locked = true
WITH n
OPTIONAL MATCH (n)-[:REMEMBERS]->(r:Memory)
OPTIONAL MATCH (n)-[:HAS_MESSAGE]->(m:Message)
OPTIONAL MATCH (m)-[:HAS_CITATION]->(c:Citation)
DETACH DELETE c, m, r, n
"""

DELETE_MEMORIES_OF_AGENT = """
MATCH (:Entity:Agent {id: $id})-[:REMEMBERS]->(m:Memory)
WITH m LIMIT 200
DETACH DELETE m
RETURN count(*) AS gone
"""

# By the stores of documents, people and credentials; an organization's own fields on them are written here.
_WRITTEN_ELSEWHERE = frozenset({"Organization", "User", "ApiKey", "EntityType", "KnowledgeDocument"})
_DELETED_ELSEWHERE = _WRITTEN_ELSEWHERE | {"Knowledge"}


class Neo4jEntities:
    """EntityStore on the graph. What callers may see is kept for a few seconds in `cache`; a change of a team forgets
    it."""

    def __init__(self, database: Database, types: EntityTypeStore, cache: AccessCache | None = None) -> None:
        self._database = database
        self._types = types
        self._cache = cache

    async def create(
        self, scope: Scope, entity_type: EntityType, key: str | None, values: Mapping[str, Value]
    ) -> Entity:
        """A new entity from validated values. Errors: ReadOnly, InvalidInput (a target), Conflict (the key)."""
        _check_writable(entity_type, values, _WRITTEN_ELSEWHERE)
        types = await self._types.for_org(scope)
        given = {name: value for name, value in values.items() if value is not None}

        async def write(tx: Transaction) -> Entity:
            entity_id = new_id()
            targets = await find_targets(tx, scope, types, entity_type, given)
            await tx.run(
                CREATE_ENTITY,
                label=entity_type.label,
                id=entity_id,
                type=stored_type(entity_type),
                org=scope.org_id,
                key=key,
                owner=scope.user_id if entity_type.owned else None,
                properties=node_properties(entity_type, given),
            )
            await write_links(tx, scope, entity_id, entity_type, targets)
            return await _read(tx, scope, entity_type, entity_id)

        try:
            made = await self._database.write_together(write)
        except Conflict as error:
            name = entity_type.name.lower()
            raise Conflict(f"The key «{key}» is taken by another {name}.", advice="Choose another key.") from error
        self._forget(entity_type)
        return made

    async def get(self, scope: Scope, entity_type: EntityType, id_or_key: str) -> Entity:
        """Errors: NotFound."""
        return await self._database.read_together(lambda tx: _read(tx, scope, entity_type, id_or_key))

    async def type_of(self, scope: Scope, entity_id: str) -> str:
        """The `entity_type` of an id, for who is then asked whether the caller may see it. Errors: NotFound."""
        row = await self._database.read_one(READ_TYPE, id=entity_id, org=scope.org_id)
        if row is None:
            raise NotFound(f"There is no entity «{entity_id[:80]}».")
        return str(row["type"])

    async def get_many(self, scope: Scope, entity_type: EntityType, ids: Sequence[str]) -> Mapping[str, Entity]:
        """Those of the ids that the scope may see, by id."""
        rows = await self._database.read_together(lambda tx: _find(tx, scope, entity_type, ids))
        return {row["id"]: entity_of(entity_type, row) for row in rows if row["id"] == row["ref"]}

    async def list(
        self, scope: Scope, entity_type: EntityType, where: EntityFilter, limit: int, cursor: str | None
    ) -> Page:
        """Newest first; passages as they are read, messages of one session as they were said.

        Errors: UnknownField, InvalidInput (a filter value, the cursor).
        """
        limit = max(1, min(limit, MOST_ON_A_PAGE))
        equals = checked_filter(entity_type, where)
        listing = listing_for(entity_type, equals)
        parameters = {**scope_parameters(scope, entity_type), **columns_of(entity_type)}
        page = page_parameters(listing, cursor)
        types = await self._types.for_org(scope)

        async def read(tx: Transaction) -> list[Row]:
            targeted = await _with_target_ids(tx, scope, types, entity_type, equals)
            if targeted is None:
                return []
            filters = filter_parameters(entity_type, targeted, where.text, listing)
            return await tx.run(listing.query, limit=limit + 1, **parameters, **filters, **page)

        rows = await self._database.read_together(read)
        return Page(tuple(entity_of(entity_type, row) for row in rows[:limit]), next_cursor(listing, rows, limit))

    async def update(
        self, scope: Scope, entity_type: EntityType, id_or_key: str, values: Mapping[str, Value]
    ) -> Entity:
        """Changes what is named; None takes a property away. Errors: ReadOnly, NotFound, InvalidInput."""
        _check_writable(entity_type, values, _WRITTEN_ELSEWHERE)
        types = await self._types.for_org(scope)

        async def change(tx: Transaction) -> Entity:
            found = await id_of(tx, scope, entity_type, id_or_key)
            targets = await find_targets(tx, scope, types, entity_type, values)
            await tx.run(UPDATE_ENTITY, id=found, properties=node_properties(entity_type, values))
            await write_links(tx, scope, found, entity_type, targets)
            return await _read(tx, scope, entity_type, found)

        changed = await self._database.write_together(change)
        self._forget(entity_type)
        return changed

    async def delete(self, scope: Scope, entity_type: EntityType, id_or_key: str) -> None:
        """Takes the entity away with what belongs to it alone: a session's messages, an agent's memories.

        Errors: ReadOnly, NotFound, Conflict (somebody else deletes it at this moment; or documents are shared with this
        team alone).
        """
        _check_writable(entity_type, {}, _DELETED_ELSEWHERE)
        found = await self._database.read_together(lambda tx: id_of(tx, scope, entity_type, id_or_key))
        if entity_type.label == "Agent":
            while (row := await self._database.write_one(DELETE_MEMORIES_OF_AGENT, id=found)) and row["gone"]:
                pass
        await self._database.write_together(lambda tx: _delete(tx, scope, entity_type, found))
        self._forget(entity_type)

    async def hidden_value(self, scope: Scope, entity_type: EntityType, id_or_key: str, name: str) -> Value:
        """A hidden property, such as a provider's sealed key: for the service that needs it, never for a caller.

        Errors: NotFound.
        """

        async def read(tx: Transaction) -> Value:
            row = await tx.one(READ_HIDDEN, id=await id_of(tx, scope, entity_type, id_or_key), name=name)
            return row["value"] if row else None

        return await self._database.read_together(read)

    def _forget(self, written: EntityType) -> None:
        """A team admits its members to documents, and a corpus says how it is searched: both are read anew."""
        if self._cache is not None and written.label in ("Team", "Knowledge"):
            self._cache.forget()


async def _delete(tx: Transaction, scope: Scope, entity_type: EntityType, entity_id: str) -> None:
    if entity_type.label == "Team":
        await check_nothing_rests_on(tx, scope.org_id, entity_id)
    await tx.run(DELETE_ENTITY, id=entity_id)


async def _find(tx: Transaction, scope: Scope, entity_type: EntityType, refs: Sequence[str]) -> list[Row]:
    parameters = {"refs": list(refs), **scope_parameters(scope, entity_type), **columns_of(entity_type)}
    return await tx.run(finder_for(entity_type), **parameters)


async def _read(tx: Transaction, scope: Scope, entity_type: EntityType, id_or_key: str) -> Entity:
    rows = await _find(tx, scope, entity_type, [id_or_key])
    if not rows:
        raise no_entity(entity_type, id_or_key)
    # An id wins over a key that looks the same.
    return entity_of(entity_type, max(rows, key=lambda row: bool(row["id"] == id_or_key)))


async def _with_target_ids(
    tx: Transaction, scope: Scope, types: Mapping[str, EntityType], entity_type: EntityType, equals: Properties
) -> dict[str, Value] | None:
    """The filter with its targets' ids in place of their keys; None where a target is not there: nothing can match."""
    targeted = dict(equals)
    for name, value in equals.items():
        definition = entity_type.definition_of(name)
        if definition is not None and definition.target_entity_type is not None:
            found = await find_ids(tx, scope, types[definition.target_entity_type], [str(value)])
            if str(value) not in found:
                return None
            targeted[name] = found[str(value)]
    return targeted


def _check_writable(entity_type: EntityType, values: Properties, elsewhere: frozenset[str]) -> None:
    own = [definition.custom for name in values if (definition := entity_type.definition_of(name))]
    if entity_type.label in elsewhere and not (own and all(own)):
        raise ReadOnly(
            f"{entity_type.name}: entities of this type are not written like others.",
            advice="Use the call that the documentation names for them.",
        )
