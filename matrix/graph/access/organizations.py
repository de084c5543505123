"""Organizations, the tenants: made with their owner and the audience that is everyone in them."""

from __future__ import annotations

from matrix.domain.access import Principal, Scope
from matrix.domain.entities import Entity, Page, check_key
from matrix.domain.ids import new_id
from matrix.domain.names import check_name
from matrix.errors import Conflict, NotAllowed, NotFound
from matrix.graph.access.audiences import ensure_org_audience
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.rows import after, organization_of, page_of
from matrix.graph.access.users import LOCK_ORGANIZATION
from matrix.graph.database import Database, Row, Transaction

HOUSEKEEPING = [
    "ApiKey",
    "Audience",
    "AuditEvent",
    "DeletionReceipt",
    "EntityType",
    "IngestJob",
    "OneTimeLink",
    "Team",
]

_ORGANIZATION_COLUMNS = """
RETURN o.id AS id, o.slug AS slug, o.name AS name,
  toString(o.createdAt) AS createdAt, toString(o.updatedAt) AS updatedAt
"""
CREATE_ORGANIZATION = (
    """
MATCH (u:Entity:User {id: $owner})
CREATE (o:Entity:Organization {id: $id, entityType: 'Organization', orgId: 'platform', key: $slug, slug: $slug,
  name: $name, createdAt: datetime(), updatedAt: datetime()})
CREATE (u)-[:MEMBER_OF {role: 'OWNER', createdAt: datetime()}]->(o)"""
    + _ORGANIZATION_COLUMNS
)
MY_ORGANIZATIONS = (
    """
MATCH (:Entity:User {id: $user})-[m:MEMBER_OF]->(o:Organization)
WHERE NOT coalesce(m.suspended, false) AND ($org IS NULL OR o.id = $org) AND ($after IS NULL OR o.id < $after)"""
    + _ORGANIZATION_COLUMNS
    + "ORDER BY o.id DESC LIMIT $limit"
)
ORGANIZATION = "MATCH (o:Entity:Organization {id: $org})" + _ORGANIZATION_COLUMNS
RENAME = "MATCH (o:Entity:Organization {id: $org}) SET o.name = $name, o.updatedAt = datetime()" + _ORGANIZATION_COLUMNS
CONTENT = """
MATCH (e:Entity {orgId: $org}) WHERE NOT e.entityType IN $housekeeping
RETURN e.entityType AS entityType, count(e) AS number ORDER BY entityType
"""
DELETE_ORGANIZATION = """
MATCH (o:Entity:Organization {id: $org}) DETACH DELETE o RETURN $org AS id
"""
SWEEP = """
MATCH (e:Entity {orgId: $org})
WITH e LIMIT 200
DETACH DELETE e
RETURN count(*) AS gone
"""


class Neo4jOrganizations:
    """OrganizationStore on the graph."""

    def __init__(self, database: Database, cache: AccessCache) -> None:
        self._database = database
        self._cache = cache

    async def create(self, principal: Principal, slug: str, name: str) -> Entity:
        """A new organization with the caller as its owner. Errors: NotAllowed (not of the platform's administrators),
        InvalidInput, Conflict (the slug is taken)."""
        if not principal.platform_admin:
            raise NotAllowed(
                "Only an administrator of the platform makes organizations.",
                advice="Ask the administrator who set Matrix up.",
            )
        values = {"owner": principal.user_id, "id": new_id(), "slug": check_key(slug, "slug"), "name": check_name(name)}

        async def create(tx: Transaction) -> Row | None:
            row = await tx.one(CREATE_ORGANIZATION, **values)
            if row is not None:
                await ensure_org_audience(tx, row["id"])
            return row

        row = await self._database.write_together(create)
        self._cache.forget()
        return organization_of(_found(row))

    async def list(self, principal: Principal, limit: int, cursor: str | None) -> Page:
        """The organizations that the caller belongs to, newest first."""
        rows = await self._database.read(
            MY_ORGANIZATIONS, user=principal.user_id, org=principal.org_id, after=after(cursor), limit=limit + 1
        )
        return page_of([organization_of(row) for row in rows], limit)

    async def get(self, scope: Scope) -> Entity:
        return organization_of(_found(await self._database.read_one(ORGANIZATION, org=scope.org_id)))

    async def rename(self, scope: Scope, name: str) -> Entity:
        row = await self._database.write_one(RENAME, org=scope.org_id, name=check_name(name))
        return organization_of(_found(row))

    async def delete(self, scope: Scope) -> None:
        """Deletes an organization that holds no content any more. Errors: Conflict, naming what is left; then nothing
        was touched.

        The check and the end of the organization are one transaction: from then on nobody gets a scope of it. What
        was its own (audiences, keys, receipts), and what came in at that very moment, is swept afterwards; a sweep
        that is cut off leaves only what nobody can reach.
        """

        async def end(tx: Transaction) -> None:
            await tx.run(LOCK_ORGANIZATION, org=scope.org_id)
            left = await tx.run(CONTENT, org=scope.org_id, housekeeping=HOUSEKEEPING)
            if left:
                raise _not_empty(", ".join(f"{row['number']} {row['entityType']}" for row in left))
            _found(await tx.one(DELETE_ORGANIZATION, org=scope.org_id))

        await self._database.write_together(end)
        self._cache.forget()
        while await self._sweep(scope):
            pass

    async def _sweep(self, scope: Scope) -> bool:
        row = await self._database.write_one(SWEEP, org=scope.org_id)
        return row is not None and row["gone"] > 0


def _not_empty(content: str) -> Conflict:
    return Conflict(
        f"The organization still holds {content}.",
        code="not_empty",
        advice="Delete its knowledge, agents, sessions and other content first, and wait until it is purged.",
    )


def _found(row: Row | None) -> Row:
    if row is None:
        raise NotFound("There is no such organization.")
    return row
