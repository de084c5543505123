"""Sign-ins: families of refresh tokens, of which only the newest is good. The tokens themselves are not kept, only how
many there were; they are signed where they are made."""

from __future__ import annotations

from matrix.domain.access import Principal
from matrix.domain.accounts import SignIn
from matrix.domain.ids import new_id
from matrix.errors import NotAuthenticated
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.rows import person_of
from matrix.graph.access.users import SIGNED_IN
from matrix.graph.database import Database, Row, Transaction

# Whatever changes sign-ins locks their person first, by setting something: what it matches after that is read once
# any other change is over, and is not deleted meanwhile.
START = """
MATCH (u:Entity:User {id: $user})
SET u.updatedAt = u.updatedAt
WITH u
OPTIONAL MATCH (u)-[:HAS_SIGN_IN]->(old:SignIn) WHERE old.expiresAt <= datetime()
DETACH DELETE old
WITH DISTINCT u
CREATE (u)-[:HAS_SIGN_IN]->(:Entity:SignIn {id: $id, entityType: 'SignIn', orgId: 'platform', generation: 0,
  rotatedAt: datetime(), expiresAt: datetime() + duration({seconds: $seconds}),
  createdAt: datetime(), updatedAt: datetime()})
RETURN u.id AS user
"""
LOCK = """
MATCH (u:User)-[:HAS_SIGN_IN]->(:Entity:SignIn {id: $id})
SET u.updatedAt = u.updatedAt
RETURN u.id AS user
"""
CURRENT = """
MATCH (u:User)-[:HAS_SIGN_IN]->(s:Entity:SignIn {id: $id})
RETURN u.id AS user, s.generation AS generation, s.expiresAt <= datetime.realtime() AS over,
  s.rotatedAt + duration({seconds: $grace}) >= datetime.realtime() AS inGrace
"""
ROTATE = """
MATCH (s:Entity:SignIn {id: $id})
SET s.generation = s.generation + 1, s.rotatedAt = datetime.realtime(),
  s.expiresAt = datetime.realtime() + duration({seconds: $seconds})
RETURN s.generation AS generation
"""
END = """
MATCH (s:Entity:SignIn {id: $id}) DETACH DELETE s RETURN count(*) AS ended
"""


class Neo4jSignIns:
    """SignInStore on the graph. Who stands behind a sign-in is kept for at most 5 s in the given cache."""

    def __init__(self, database: Database, cache: AccessCache) -> None:
        self._database = database
        self._cache = cache

    async def start(self, user_id: str, seconds: int) -> SignIn:
        """A new sign-in that ends after `seconds` without a refresh."""
        sign_in = SignIn(id=new_id(), user_id=user_id, generation=0)
        if await self._database.write_one(START, user=user_id, id=sign_in.id, seconds=seconds) is None:
            raise NotAuthenticated("This account does not exist any more.")
        return sign_in

    async def rotate(self, sign_in_id: str, generation: int, grace_seconds: int, seconds: int) -> SignIn:
        """The next generation in place of `generation`. Within `grace_seconds` of it the one before gets the same
        successor again: two tabs that refresh at once. An older one was stolen or is replayed: the sign-in ends.

        Errors: NotAuthenticated (over, ended, or reused: code `token_reused`).
        """

        async def work(tx: Transaction) -> SignIn | None:
            await tx.run(LOCK, id=sign_in_id)
            row = await tx.one(CURRENT, id=sign_in_id, grace=grace_seconds)
            if row is None or row["over"] or generation > row["generation"]:
                raise NotAuthenticated("This sign-in is over.")
            return await _successor(tx, sign_in_id, row, generation, seconds)

        following = await self._database.write_together(work)
        if following is None:
            self._cache.forget()
            raise NotAuthenticated(
                "This refresh token was used before, so its sign-in was ended.",
                code="token_reused",
                advice="Sign in again; if it was not you who used it, change your password.",
            )
        return following

    async def end(self, sign_in_id: str) -> None:
        """Ends a sign-in, with all its tokens; nothing happens where it is over already."""

        async def work(tx: Transaction) -> None:
            await tx.run(LOCK, id=sign_in_id)
            await tx.run(END, id=sign_in_id)

        await self._database.write_together(work)
        self._cache.forget()

    async def principal(self, sign_in_id: str) -> Principal:
        """Who signed in. Errors: NotAuthenticated (ended, over, or the person is suspended)."""
        return await self._cache.get(("sign_in", sign_in_id), lambda: self._person(sign_in_id))

    async def _person(self, sign_in_id: str) -> Principal:
        row = await self._database.read_one(SIGNED_IN, id=sign_in_id)
        if row is None:
            raise NotAuthenticated("This sign-in is over.")
        if row["suspended"]:
            raise suspended_account()
        return person_of(row, sign_in_id)


def suspended_account() -> NotAuthenticated:
    return NotAuthenticated(
        "This account is suspended.", code="suspended", advice="Ask an administrator of your organization."
    )


async def _successor(tx: Transaction, sign_in_id: str, row: Row, generation: int, seconds: int) -> SignIn | None:
    """The following token, or None after a reuse: the end of the sign-in must commit, so nothing is raised here."""
    if generation == row["generation"]:
        await tx.run(ROTATE, id=sign_in_id, seconds=seconds)
        return SignIn(sign_in_id, row["user"], generation + 1)
    if generation == row["generation"] - 1 and row["inGrace"]:
        return SignIn(sign_in_id, row["user"], row["generation"])
    await tx.run(END, id=sign_in_id)
    return None
