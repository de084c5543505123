"""One-time links: invitations into an organization, and password resets. A link is known by the hash of its token and
is gone once it has been used."""

from __future__ import annotations

from matrix.domain.access import Principal, Role, Scope
from matrix.domain.accounts import LinkKind, OneTimeLink
from matrix.domain.ids import new_id
from matrix.errors import Conflict, NotAllowed, NotFound
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.rows import link_of
from matrix.graph.access.users import LOCK_ORGANIZATION, NEW_HASH, check_rank
from matrix.graph.database import Database, Row, Transaction

_LINK_COLUMNS = """
RETURN l.id AS id, l.kind AS kind, l.orgId AS orgId, l.email AS email, l.role AS role,
  toString(l.createdAt) AS createdAt, toString(l.expiresAt) AS expiresAt
"""
IS_MEMBER = """
MATCH (u:User {email: $email})-[:MEMBER_OF]->(:Entity:Organization {id: $org}) RETURN u.id AS id
"""
# One link of a kind for each person: a new one takes the place of the old.
CREATE_LINK = (
    """
OPTIONAL MATCH (old:OneTimeLink {orgId: $org, email: $email}) WHERE old.kind = $kind
DETACH DELETE old
WITH count(*) AS replaced
CREATE (l:Entity:OneTimeLink {id: $id, entityType: 'OneTimeLink', orgId: $org, kind: $kind, email: $email,
  role: $role, invitedBy: $by, tokenHash: $hash, expiresAt: datetime() + duration({seconds: $seconds}),
  createdAt: datetime(), updatedAt: datetime()})"""
    + _LINK_COLUMNS
)
INVITATIONS = (
    """
MATCH (l:OneTimeLink {orgId: $org}) WHERE l.kind = 'INVITATION' AND l.expiresAt > datetime()"""
    + _LINK_COLUMNS
    + "ORDER BY l.id DESC LIMIT 1000"
)
REVOKE = """
MATCH (l:Entity:OneTimeLink {id: $id}) WHERE l.orgId = $org AND l.kind = 'INVITATION'
DETACH DELETE l
RETURN $id AS id
"""
OPENED = "MATCH (l:OneTimeLink {tokenHash: $hash}) WHERE l.expiresAt > datetime()" + _LINK_COLUMNS
USED = """
MATCH (l:Entity:OneTimeLink {id: $id}) DETACH DELETE l RETURN $id AS id
"""
USER_WITH_EMAIL = """
MATCH (u:User {email: $email}) RETURN u.id AS id
"""
CREATE_USER = """
CREATE (u:Entity:User {id: $id, entityType: 'User', orgId: 'platform', email: $email, name: $name,
  passwordHash: $hash, platformAdmin: false, createdAt: datetime(), updatedAt: datetime()})
RETURN u.id AS id
"""
JOIN = """
MATCH (u:Entity:User {id: $user})
MATCH (o:Entity:Organization {id: $org})
MERGE (u)-[m:MEMBER_OF]->(o)
ON CREATE SET m.role = $role, m.createdAt = datetime()
RETURN u.id AS id
"""
MAY_BE_RESET = """
MATCH (u:User)-[m:MEMBER_OF]->(o:Entity:Organization {id: $org}) WHERE u.id = $who OR u.email = $who
RETURN u.id AS id, u.email AS email, m.role AS role, coalesce(u.platformAdmin, false) AS platformAdmin,
  EXISTS { MATCH (u)-[:MEMBER_OF]->(other:Organization) WHERE other.id <> $org } AS elsewhere
"""
# As what its maker stands now.
MAKER = """
MATCH (l:Entity:OneTimeLink {id: $id})
OPTIONAL MATCH (maker:User {id: l.invitedBy})
OPTIONAL MATCH (maker)-[m:MEMBER_OF]->(:Entity:Organization {id: l.orgId}) WHERE NOT coalesce(m.suspended, false)
RETURN m.role AS role, coalesce(maker.platformAdmin, false) AS platformAdmin
"""


class Neo4jLinks:
    """LinkStore on the graph."""

    def __init__(self, database: Database, cache: AccessCache) -> None:
        self._database = database
        self._cache = cache

    async def invite(self, scope: Scope, email: str, role: Role, token_hash: str, seconds: int) -> OneTimeLink:
        """An invitation; an earlier one of the same person ends. Errors: NotAllowed (a role above the caller's),
        Conflict (a member already)."""
        check_rank(scope, role)
        if await self._database.read_one(IS_MEMBER, email=email, org=scope.org_id) is not None:
            raise Conflict(f"{email} is a member of this organization already.", code="already_member")
        values = _new(scope, LinkKind.INVITATION, email, role)
        return await self._create(values, token_hash, seconds)

    async def invitations(self, scope: Scope) -> tuple[OneTimeLink, ...]:
        """The invitations that still wait, newest first."""
        return tuple(link_of(row) for row in await self._database.read(INVITATIONS, org=scope.org_id))

    async def revoke(self, scope: Scope, invitation_id: str) -> None:
        if await self._database.write_one(REVOKE, org=scope.org_id, id=invitation_id) is None:
            raise NotFound("There is no such invitation.")

    async def offer_reset(
        self, scope: Scope, principal: Principal, id_or_email: str, token_hash: str, seconds: int
    ) -> OneTimeLink:
        """A link that sets a new password. Errors: NotFound; NotAllowed: the person stands above the caller, or
        belongs to other organizations too, which the caller could otherwise enter under their name."""
        row = await self._database.read_one(MAY_BE_RESET, org=scope.org_id, who=id_or_email)
        if row is None:
            raise NotFound("There is no such user in this organization.")
        check_rank(scope, Role[row["role"]])
        if not principal.platform_admin and (row["elsewhere"] or row["platformAdmin"]):
            raise NotAllowed(
                "This person's account reaches beyond this organization.",
                advice="Ask an administrator of the platform to reset the password.",
            )
        values = _new(scope, LinkKind.RESET, row["email"], Role[row["role"]])
        return await self._create(values, token_hash, seconds)

    async def opened(self, token_hash: str) -> OneTimeLink:
        """What a link stands for; it stays usable. Errors: NotFound (unknown, used, revoked or expired)."""
        return link_of(_good(await self._database.read_one(OPENED, hash=token_hash)))

    async def join(self, token_hash: str, name: str, password_hash: str | None) -> str:
        """Uses an invitation: the id of the person, now a member. `password_hash` None: the account exists already
        and the caller proved to be its owner. Errors: NotFound (the link), Conflict (the account appeared or went
        meanwhile)."""

        async def work(tx: Transaction) -> str:
            link = await _taken(tx, token_hash, LinkKind.INVITATION)
            await _rank_of_maker(tx, link, link.role)
            known = await tx.one(USER_WITH_EMAIL, email=link.email)
            if (known is None) is (password_hash is None):
                raise Conflict("The account was changed at this moment.", advice="Open the link again.")
            if known is None:
                known = await tx.one(CREATE_USER, id=new_id(), email=link.email, name=name, hash=password_hash)
            user_id = str(_good(known)["id"])
            await tx.run(JOIN, user=user_id, org=link.org_id, role=link.role.name)
            await tx.run(USED, id=link.id)
            return user_id

        user_id = await self._database.write_together(work)
        self._cache.forget()
        return user_id

    async def reset(self, token_hash: str, password_hash: str) -> str:
        """Uses a reset link: the id of the person, all of whose sign-ins end. Errors: NotFound (the link)."""

        async def work(tx: Transaction) -> str:
            link = await _taken(tx, token_hash, LinkKind.RESET)
            person = _good(await tx.one(MAY_BE_RESET, org=link.org_id, who=link.email))
            user_id = str(person["id"])
            everywhere = await _rank_of_maker(tx, link, Role[person["role"]])
            if (person["elsewhere"] or person["platformAdmin"]) and not everywhere:
                raise _invalid_link()
            await tx.run(NEW_HASH, user=user_id, hash=password_hash, keep=None)
            return user_id

        user_id = await self._database.write_together(work)
        self._cache.forget()
        return user_id

    async def _create(self, values: dict[str, str], token_hash: str, seconds: int) -> OneTimeLink:
        async def work(tx: Transaction) -> Row | None:
            # Links of one organization are made one after another, so that a person has one of a kind.
            await tx.run(LOCK_ORGANIZATION, org=values["org"])
            return await tx.one(CREATE_LINK, **values, hash=token_hash, seconds=seconds)

        return link_of(_good(await self._database.write_together(work)))


async def _taken(tx: Transaction, token_hash: str, kind: LinkKind) -> OneTimeLink:
    """A good link, for this transaction alone: of two that use it at once, the second finds it gone."""
    seen = link_of(_good(await tx.one(OPENED, hash=token_hash)))
    await tx.run(LOCK_ORGANIZATION, org=seen.org_id)
    link = link_of(_good(await tx.one(OPENED, hash=token_hash)))
    if link.kind is not kind:
        raise _invalid_link()
    return link


async def _rank_of_maker(tx: Transaction, link: OneTimeLink, role: Role) -> bool:
    """A link is worth no more than its maker at the moment of its use: who was removed, suspended or demoted since, or
    has been outranked, decides about nobody any more. True for an administrator of the platform. Errors: NotFound."""
    maker = _good(await tx.one(MAKER, id=link.id))
    rank = Role.OWNER if maker["platformAdmin"] else Role[maker["role"] or Role.VIEWER.name]
    if rank < Role.ADMIN or role > rank:
        raise _invalid_link()
    return bool(maker["platformAdmin"])


def _new(scope: Scope, kind: LinkKind, email: str, role: Role) -> dict[str, str]:
    return {
        "id": new_id(),
        "org": scope.org_id,
        "kind": kind,
        "email": email,
        "role": role.name,
        "by": scope.user_id,
    }


def _good(row: Row | None) -> Row:
    if row is None:
        raise _invalid_link()
    return row


def _invalid_link() -> NotFound:
    return NotFound(
        "This link is not valid: it was used, revoked or has expired.",
        code="link_invalid",
        advice="Ask for a new link.",
    )
