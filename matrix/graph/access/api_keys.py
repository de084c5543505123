"""API keys: each acts as its creator in one organization, never above its own role. Only a secret's hash is kept."""

from __future__ import annotations

from datetime import UTC

from matrix.domain.access import CredentialKind, Principal, Role, Scope
from matrix.domain.accounts import NewApiKey
from matrix.domain.entities import Entity, Page
from matrix.domain.ids import new_id
from matrix.errors import NotAuthenticated, NotFound
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.rows import after, api_key_of, page_of
from matrix.graph.access.users import check_rank
from matrix.graph.database import Database, Row

_API_KEY_COLUMNS = """
RETURN k.id AS id, k.name AS name, k.role AS role, k.prefix AS prefix, k.expiresAt AS expiresAt,
  k.lastUsedAt AS lastUsedAt, k.ownerId AS ownerId,
  toString(k.createdAt) AS createdAt, toString(k.updatedAt) AS updatedAt
"""
CREATE_API_KEY = (
    """
MATCH (u:Entity:User {id: $owner})-[:MEMBER_OF]->(:Entity:Organization {id: $org})
OPTIONAL MATCH (maker:Entity:ApiKey {id: $maker})
CREATE (u)-[:HAS_API_KEY]->(k:Entity:ApiKey {id: $id, entityType: 'ApiKey', orgId: $org, ownerId: $owner, name: $name,
  role: $role, prefix: $prefix, secretHash: $hash, expiresAt: CASE
    WHEN maker.expiresAt IS NULL THEN $expires
    WHEN $expires IS NULL OR datetime($expires) > datetime(maker.expiresAt) THEN maker.expiresAt ELSE $expires END,
  createdAt: datetime(), updatedAt: datetime()})
FOREACH (m IN CASE WHEN maker IS NULL THEN [] ELSE [maker] END | CREATE (m)-[:MADE_KEY]->(k))"""
    + _API_KEY_COLUMNS
)
API_KEYS = (
    """
MATCH (k:Entity {orgId: $org, entityType: 'ApiKey'})
WHERE ($owner IS NULL OR k.ownerId = $owner) AND ($after IS NULL OR k.id < $after)"""
    + _API_KEY_COLUMNS
    + "ORDER BY k.id DESC LIMIT $limit"
)
API_KEY = (
    """
MATCH (k:Entity:ApiKey {id: $id}) WHERE k.orgId = $org AND ($owner IS NULL OR k.ownerId = $owner)"""
    + _API_KEY_COLUMNS
)
# With it go the keys that were made with it: who revokes one that leaked is rid of all.
DELETE_API_KEY = """
MATCH (k:Entity:ApiKey {id: $id}) WHERE k.orgId = $org AND ($owner IS NULL OR k.ownerId = $owner)
MATCH (k)-[:MADE_KEY*0..20]->(one:ApiKey)
DETACH DELETE one
RETURN DISTINCT $id AS id
"""
_HOLDER_COLUMNS = """
WHERE k.expiresAt IS NULL OR datetime(k.expiresAt) > datetime()
MATCH (u:Entity:User {id: k.ownerId})-[m:MEMBER_OF]->(:Entity:Organization {id: k.orgId})
WHERE NOT coalesce(m.suspended, false)
RETURN k.id AS keyId, k.orgId AS orgId, k.role AS role, u.id AS userId, u.email AS email,
  coalesce(u.platformAdmin, false) AS platformAdmin,
  k.lastUsedAt IS NULL OR datetime(k.lastUsedAt) + duration({minutes: 5}) < datetime() AS stale
"""
KEY_HOLDER = "MATCH (k:ApiKey {secretHash: $hash})" + _HOLDER_COLUMNS
KEY_HOLDER_BY_ID = "MATCH (k:Entity:ApiKey {id: $id})" + _HOLDER_COLUMNS
TOUCH = """
MATCH (k:Entity:ApiKey {id: $id})
SET k.lastUsedAt = toString(datetime.truncate('minute', datetime()))
RETURN k.id AS id
"""


class Neo4jApiKeys:
    """ApiKeyStore on the graph. People see their own keys, administrators all of the organization's. Who holds a key
    is kept for at most 5 s in the given cache."""

    def __init__(self, database: Database, cache: AccessCache) -> None:
        self._database = database
        self._cache = cache

    async def create(self, scope: Scope, key: NewApiKey) -> Entity:
        """A new key of the caller. Errors: NotAllowed (a role above the caller's)."""
        check_rank(scope, key.role)
        row = await self._database.write_one(
            CREATE_API_KEY,
            owner=scope.user_id,
            org=scope.org_id,
            id=new_id(),
            name=key.name,
            role=key.role.name,
            prefix=key.prefix,
            hash=key.secret_hash,
            maker=key.made_with,
            expires=key.expires_at.astimezone(UTC).isoformat() if key.expires_at else None,
        )
        return api_key_of(_found(row), scope.org_id)

    async def list(self, scope: Scope, limit: int, cursor: str | None) -> Page:
        rows = await self._database.read(
            API_KEYS, org=scope.org_id, owner=_owner(scope), after=after(cursor), limit=limit + 1
        )
        return page_of([api_key_of(row, scope.org_id) for row in rows], limit)

    async def get(self, scope: Scope, key_id: str) -> Entity:
        row = await self._database.read_one(API_KEY, org=scope.org_id, owner=_owner(scope), id=key_id)
        return api_key_of(_found(row), scope.org_id)

    async def delete(self, scope: Scope, key_id: str) -> None:
        """Deletes, and so revokes, a key. Errors: NotFound."""
        _found(await self._database.write_one(DELETE_API_KEY, org=scope.org_id, owner=_owner(scope), id=key_id))
        self._cache.forget()

    async def principal(self, secret_hash: str) -> Principal:
        """Who holds a key. Errors: NotAuthenticated (unknown, deleted, expired, or its creator is suspended or has
        left)."""
        return await self._cache.get(("api_key", secret_hash), lambda: self._holder(secret_hash))

    async def principal_by_id(self, key_id: str) -> Principal:
        """The same for who shows no secret but a link that was signed for the key. Errors: NotAuthenticated."""
        row = await self._database.read_one(KEY_HOLDER_BY_ID, id=key_id)
        return _holder_of(_active(row))

    async def _holder(self, secret_hash: str) -> Principal:
        row = _active(await self._database.read_one(KEY_HOLDER, hash=secret_hash))
        if row["stale"]:
            await self._database.write(TOUCH, id=row["keyId"])
        return _holder_of(row)


def _holder_of(row: Row) -> Principal:
    role = Role[row["role"]]
    return Principal(
        user_id=row["userId"],
        email=row["email"],
        kind=CredentialKind.API_KEY,
        session_id=row["keyId"],
        org_id=row["orgId"],
        max_role=role,
        # A key acts as its creator: with the highest role also as an administrator of the platform.
        platform_admin=row["platformAdmin"] and role is Role.OWNER,
    )


def _active(row: Row | None) -> Row:
    if row is None:
        raise NotAuthenticated("This API key is unknown, deleted or expired, or its creator is not active.")
    return row


def _owner(scope: Scope) -> str | None:
    return None if scope.role >= Role.ADMIN else scope.user_id


def _found(row: Row | None) -> Row:
    if row is None:
        raise NotFound("There is no such API key.")
    return row
