"""People: their accounts on the platform, and their membership of organizations."""

from __future__ import annotations

from matrix.domain.access import Role, Scope
from matrix.domain.accounts import Account
from matrix.domain.entities import Entity, Page
from matrix.errors import Conflict, NotAllowed, NotAuthenticated, NotFound
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.rows import account_of, after, member_of, page_of
from matrix.graph.database import Database, Row, Transaction

# A person is suspended on the platform once every organization that they belong to has suspended them: one
# organization's administrator cannot shut a person out of another.
_SUSPENDED = """
  EXISTS { (u)-[m:MEMBER_OF]->(:Organization) WHERE m.suspended }
  AND NOT EXISTS { (u)-[m:MEMBER_OF]->(:Organization) WHERE NOT coalesce(m.suspended, false) } AS suspended
"""
_ACCOUNT_COLUMNS = (
    """
RETURN u.id AS id, u.email AS email, u.name AS name, coalesce(u.platformAdmin, false) AS platformAdmin,
  u.passwordHash AS passwordHash,"""
    + _SUSPENDED
)
ACCOUNT_BY_EMAIL = "MATCH (u:User {email: $email})" + _ACCOUNT_COLUMNS
ACCOUNT_BY_ID = "MATCH (u:Entity:User {id: $id})" + _ACCOUNT_COLUMNS

SIGNED_IN = (
    """
MATCH (u:User)-[:HAS_SIGN_IN]->(s:Entity:SignIn {id: $id}) WHERE s.expiresAt > datetime()
RETURN u.id AS id, u.email AS email, coalesce(u.platformAdmin, false) AS platformAdmin,"""
    + _SUSPENDED
)

NEW_HASH = """
MATCH (u:Entity:User {id: $user})
SET u.passwordHash = $hash, u.updatedAt = datetime()
WITH u
OPTIONAL MATCH (u)-[:HAS_SIGN_IN]->(s:SignIn) WHERE $keep IS NULL OR s.id <> $keep
DETACH DELETE s
WITH DISTINCT u
OPTIONAL MATCH (l:OneTimeLink {kind: 'RESET', email: u.email})
DETACH DELETE l
RETURN DISTINCT u.id AS id
"""
UPGRADE_HASH = """
MATCH (u:Entity:User {id: $user}) SET u.passwordHash = $hash RETURN u.id AS id
"""

_MEMBER_COLUMNS = """
RETURN u.id AS id, u.email AS email, u.name AS name, m.role AS role, coalesce(m.suspended, false) AS suspended,
  toString(u.createdAt) AS createdAt, toString(u.updatedAt) AS updatedAt
"""
MEMBERS = (
    """
MATCH (u:User)-[m:MEMBER_OF]->(:Entity:Organization {id: $org})
WHERE $after IS NULL OR u.id < $after"""
    + _MEMBER_COLUMNS
    + "ORDER BY u.id DESC LIMIT $limit"
)
MEMBER = (
    """
MATCH (u:User)-[m:MEMBER_OF]->(:Entity:Organization {id: $org})
WHERE u.id = $who OR u.email = $who"""
    + _MEMBER_COLUMNS
)
LOCK_ORGANIZATION = """
MATCH (o:Entity:Organization {id: $org}) SET o.updatedAt = o.updatedAt RETURN o.id AS id
"""
OTHER_OWNERS = """
MATCH (u:User)-[m:MEMBER_OF {role: 'OWNER'}]->(:Entity:Organization {id: $org})
WHERE u.id <> $user AND NOT coalesce(m.suspended, false)
RETURN count(u) AS owners
"""
CHANGE_MEMBER = (
    """
MATCH (u:Entity:User {id: $user})-[m:MEMBER_OF]->(:Entity:Organization {id: $org})
SET m.role = coalesce($role, m.role), m.suspended = coalesce($suspended, m.suspended), u.updatedAt = datetime()"""
    + _MEMBER_COLUMNS
)
END_MEMBERSHIP = """
MATCH (u:Entity:User {id: $user})-[m:MEMBER_OF]->(o:Entity:Organization {id: $org})
DELETE m
WITH u
OPTIONAL MATCH (u)-[t:MEMBER_OF]->(:Team {orgId: $org})
DELETE t
WITH DISTINCT u
OPTIONAL MATCH (k:ApiKey {orgId: $org, ownerId: u.id})
DETACH DELETE k
WITH DISTINCT u
OPTIONAL MATCH (l:OneTimeLink {orgId: $org, email: u.email})
DETACH DELETE l
RETURN DISTINCT u.id AS id
"""


class Neo4jUsers:
    """UserStore on the graph."""

    def __init__(self, database: Database, cache: AccessCache) -> None:
        self._database = database
        self._cache = cache

    async def account(self, email: str) -> Account | None:
        """The account with this (already folded) address; None where there is none, which callers must not reveal."""
        row = await self._database.read_one(ACCOUNT_BY_EMAIL, email=email)
        return account_of(row) if row else None

    async def account_of(self, user_id: str) -> Account:
        """The account of someone who is signed in. Errors: NotAuthenticated, it is gone."""
        row = await self._database.read_one(ACCOUNT_BY_ID, id=user_id)
        if row is None:
            raise NotAuthenticated("This account does not exist any more.")
        return account_of(row)

    async def set_password(self, user_id: str, password_hash: str, keep_sign_in: str | None) -> None:
        """A new password; every sign-in but `keep_sign_in` ends with it."""
        await self._database.write_one(NEW_HASH, user=user_id, hash=password_hash, keep=keep_sign_in)
        self._cache.forget()

    async def upgrade_password_hash(self, user_id: str, password_hash: str) -> None:
        """The same password, hashed with today's parameters."""
        await self._database.write_one(UPGRADE_HASH, user=user_id, hash=password_hash)

    async def members(self, scope: Scope, limit: int, cursor: str | None) -> Page:
        rows = await self._database.read(MEMBERS, org=scope.org_id, after=after(cursor), limit=limit + 1)
        return page_of([member_of(row, scope.org_id) for row in rows], limit)

    async def member(self, scope: Scope, id_or_email: str) -> Entity:
        row = await self._database.read_one(MEMBER, org=scope.org_id, who=id_or_email)
        return member_of(_found(row), scope.org_id)

    async def change_member(self, scope: Scope, id_or_email: str, role: Role | None, suspended: bool | None) -> Entity:
        """Another role, or suspended, or back. Errors: NotFound, NotAllowed (above one's own role), Conflict (the last
        owner)."""

        async def change(tx: Transaction) -> Row:
            member = await _member_below(tx, scope, id_or_email)
            if role is not None:
                check_rank(scope, role)
            if suspended or (role is not None and role < Role.OWNER):
                await _refuse_last_owner(tx, scope, member)
            return _found(
                await tx.one(
                    CHANGE_MEMBER,
                    org=scope.org_id,
                    user=member["id"],
                    role=None if role is None else role.name,
                    suspended=suspended,
                )
            )

        row = await self._database.write_together(change)
        self._cache.forget()
        return member_of(row, scope.org_id)

    async def end_membership(self, scope: Scope, id_or_email: str) -> None:
        """Ends the membership, with the person's places in teams and API keys there. Errors as in `change_member`."""

        async def end(tx: Transaction) -> None:
            member = await _member_below(tx, scope, id_or_email)
            await _refuse_last_owner(tx, scope, member)
            await tx.run(END_MEMBERSHIP, org=scope.org_id, user=member["id"])

        await self._database.write_together(end)
        self._cache.forget()


def check_rank(scope: Scope, role: Role) -> None:
    """Nobody hands out, changes or takes away a role above their own. Errors: NotAllowed."""
    if role > scope.role:
        raise NotAllowed(f"As {scope.role.name} you cannot decide about the role {role.name}.")


async def _member_below(tx: Transaction, scope: Scope, id_or_email: str) -> Row:
    # The lock makes two owners who demote each other at once take turns.
    await tx.run(LOCK_ORGANIZATION, org=scope.org_id)
    member = _found(await tx.one(MEMBER, org=scope.org_id, who=id_or_email))
    check_rank(scope, Role[member["role"]])
    return member


async def _refuse_last_owner(tx: Transaction, scope: Scope, member: Row) -> None:
    if member["role"] != Role.OWNER.name:
        return
    row = await tx.one(OTHER_OWNERS, org=scope.org_id, user=member["id"])
    if row is None or not row["owners"]:
        raise Conflict(
            "This is the organization's last owner.", code="last_owner", advice="Make someone else owner first."
        )


def _found(row: Row | None) -> Row:
    if row is None:
        raise NotFound("There is no such user in this organization.")
    return row
