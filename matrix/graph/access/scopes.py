"""Who belongs where: makes the Scope under which everything else is read and written."""

from __future__ import annotations

from dataclasses import replace

from matrix.domain.access import CredentialKind, Membership, Principal, Role, Scope
from matrix.errors import NotFound
from matrix.graph.access.audiences import audiences_of
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.rows import membership_of
from matrix.graph.database import Database

ROLE = """
MATCH (u:Entity:User {id: $user})-[m:MEMBER_OF]->(o:Organization {slug: $slug})
WHERE NOT coalesce(m.suspended, false)
RETURN o.id AS org, m.role AS role
"""

MEMBERSHIPS = """
MATCH (u:Entity:User {id: $user})-[m:MEMBER_OF]->(o:Organization)
WHERE NOT coalesce(m.suspended, false) AND ($org IS NULL OR o.id = $org)
RETURN o.id AS id, o.slug AS slug, o.name AS name, m.role AS role ORDER BY o.slug
"""


class Neo4jAccess:
    """AccessStore on the graph. Scopes are kept for at most 5 s in the given cache."""

    def __init__(self, database: Database, cache: AccessCache) -> None:
        self._database = database
        self._cache = cache

    async def scope_for(self, principal: Principal, org_slug: str) -> Scope:
        """The caller's scope in an organization. Errors: NotFound, the same for no organization and no membership."""
        found = await self._cache.get(
            ("scope", principal.user_id, org_slug), lambda: self._read(principal.user_id, org_slug)
        )
        if principal.kind is CredentialKind.API_KEY and principal.org_id != found.org_id:
            raise _no_organization(org_slug)
        return replace(found, role=min(found.role, principal.max_role))

    async def memberships(self, principal: Principal) -> tuple[Membership, ...]:
        """Where the caller may act; an API key in its own organization alone."""
        rows = await self._database.read(MEMBERSHIPS, user=principal.user_id, org=principal.org_id)
        return tuple(membership_of(row, principal) for row in rows)

    async def _read(self, user_id: str, slug: str) -> Scope:
        row = await self._database.read_one(ROLE, user=user_id, slug=slug)
        if row is None:
            raise _no_organization(slug)
        access = await audiences_of(self._database, row["org"], user_id)
        return Scope(row["org"], user_id, Role[row["role"]], access.audiences, access.principals)


def _no_organization(slug: str) -> NotFound:
    return NotFound(f"There is no organization «{slug}».")
