"""ENTITY properties as relationships: finding what a client named as targets, and writing the relationships."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matrix.domain.access import Scope
from matrix.domain.entities import EntityType, PropertyDefinition, Value
from matrix.errors import InvalidInput, NotFound
from matrix.graph.database import Transaction
from matrix.graph.entities.lists import finder_for, scope_parameters
from matrix.graph.entities.queries import INCOMING, OUTGOING, TARGET_VISIBLE
from matrix.graph.entities.rows import OWN_RELATIONSHIP, is_linked, link_of

# Who writes a list back writes what they see of it; the rest stays. `all` clears a property that has one value.
CLEAR_OUTGOING = f"""
CYPHER 25
MATCH (n:Entity {{id: $id}})-[r:{OUTGOING}]->(t:Entity)
WHERE any(link IN $links WHERE type(r) = link.type AND coalesce(r.property, link.name) = link.name
  AND (link.all OR ({TARGET_VISIBLE})))
DELETE r
"""

CLEAR_INCOMING = f"""
CYPHER 25
MATCH (n:Entity {{id: $id}})<-[r:{INCOMING}]-(t:Entity)
WHERE any(link IN $links WHERE type(r) = link.type AND (link.all OR ({TARGET_VISIBLE})))
DELETE r
"""

LINK_OUTGOING = """
CYPHER 25
MATCH (n:Entity {id: $id})
UNWIND $links AS link
MATCH (t:Entity {id: link.target})
CREATE (n)-[r:$(link.type) {position: link.position}]->(t)
SET r.property = link.property
"""

LINK_INCOMING = """
CYPHER 25
MATCH (n:Entity {id: $id})
UNWIND $links AS link
MATCH (t:Entity {id: link.target})
CREATE (n)<-[:$(link.type) {position: link.position}]-(t)
"""

Targets = Mapping[str, Sequence[str]]  # by property, ids in order


async def find_ids(tx: Transaction, scope: Scope, entity_type: EntityType, refs: Sequence[str]) -> dict[str, str]:
    """The ids of what the scope may see, by the id or key that names it; the unknown are missing."""
    rows = await tx.run(
        finder_for(entity_type),
        refs=list(refs),
        names=[],
        outgoing=[],
        incoming=[],
        **scope_parameters(scope, entity_type),
    )
    # An id wins over a key that looks the same.
    return {row["ref"]: row["id"] for row in sorted(rows, key=lambda row: bool(row["id"] == row["ref"]))}


async def id_of(tx: Transaction, scope: Scope, entity_type: EntityType, id_or_key: str) -> str:
    """The id of one entity that the scope may see. Errors: NotFound."""
    found = await find_ids(tx, scope, entity_type, [id_or_key])
    if id_or_key not in found:
        raise no_entity(entity_type, id_or_key)
    return found[id_or_key]


def no_entity(entity_type: EntityType, id_or_key: str) -> NotFound:
    """The same words for what is absent and what this caller may not see."""
    return NotFound(f"There is no {entity_type.name.lower()} «{id_or_key[:80]}».")


async def find_targets(
    tx: Transaction,
    scope: Scope,
    types: Mapping[str, EntityType],
    entity_type: EntityType,
    values: Mapping[str, Value],
) -> dict[str, list[str]]:
    """The targets of the ENTITY properties among the values. Errors: InvalidInput, which names the property."""
    targets: dict[str, list[str]] = {}
    for name, value in values.items():
        definition = entity_type.definition_of(name)
        if definition is not None and is_linked(definition):
            targets[name] = await _targets_of(tx, scope, types[definition.target_entity_type or ""], definition, value)
    return targets


async def write_links(tx: Transaction, scope: Scope, entity_id: str, entity_type: EntityType, targets: Targets) -> None:
    """Puts the targets in place of what the scope saw these properties hold before."""
    definitions = [definition for definition in entity_type.properties if definition.name in targets]
    outgoing = [definition for definition in definitions if not definition.incoming]
    incoming = [definition for definition in definitions if definition.incoming]
    seen = {"id": entity_id, "user": scope.user_id, "audiences": list(scope.audiences)}
    if outgoing:
        await tx.run(CLEAR_OUTGOING, links=_cleared(outgoing, targets), **seen)
        await tx.run(LINK_OUTGOING, id=entity_id, links=_links(outgoing, targets))
    if incoming:
        await tx.run(CLEAR_INCOMING, links=_cleared(incoming, targets), **seen)
        await tx.run(LINK_INCOMING, id=entity_id, links=_links(incoming, targets))


def _cleared(definitions: Sequence[PropertyDefinition], targets: Targets) -> list[dict[str, object]]:
    return [
        {**link_of(definition), "all": not definition.multi and bool(targets[definition.name])}
        for definition in definitions
    ]


async def _targets_of(
    tx: Transaction, scope: Scope, target_type: EntityType, definition: PropertyDefinition, value: Value
) -> list[str]:
    refs = [str(ref) for ref in value] if isinstance(value, list) else [] if value is None else [str(value)]
    found = await find_ids(tx, scope, target_type, list(dict.fromkeys(refs))) if refs else {}
    for ref in refs:
        if ref not in found:
            raise InvalidInput(
                f"{definition.name}: there is no {target_type.name.lower()} «{ref[:80]}».", field=definition.name
            )
    return list(dict.fromkeys(found[ref] for ref in refs))


def _links(definitions: Sequence[PropertyDefinition], targets: Targets) -> list[dict[str, object]]:
    return [
        {
            **link_of(definition),
            "property": definition.name if link_of(definition)["type"] == OWN_RELATIONSHIP else None,
            "target": target,
            "position": position,
        }
        for definition in definitions
        for position, target in enumerate(targets[definition.name])
    ]
