"""Audiences: distinct sets of teams and people, or the whole organization. A document has one; a caller may see it if
that audience admits the caller. What is checked against them is in `candidates`, `documents` and the index legs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matrix.errors import Conflict, InvalidInput
from matrix.graph.database import Database, Transaction

MAX_MEMBERS = 500  # each is a token on every passage

# An organization node admits all its members, a team its own, a user itself. Whoever left the organization has none.
AUDIENCES_OF = """
MATCH (u:User:Entity {id: $user})-[:MEMBER_OF]->(o:Organization:Entity {id: $org})
OPTIONAL MATCH (u)-[:MEMBER_OF]->(t:Team) WHERE t.orgId = $org
WITH u, o, collect(DISTINCT t) AS teams
UNWIND [o, u] + teams AS p
OPTIONAL MATCH (a:Audience)-[:ADMITS]->(p) WHERE a.orgId = $org
RETURN collect(DISTINCT a.id) AS audiences, collect(DISTINCT p.id) AS principals
"""

KNOWN_MEMBERS = """
UNWIND $members AS member
MATCH (p:Entity {id: member})
WHERE (p:Organization AND p.id = $org) OR (p:Team AND p.orgId = $org)
  OR (p:User AND EXISTS { (p)-[:MEMBER_OF]->(:Organization {id: $org}) })
RETURN collect(p.id) AS known
"""

# An audience without any ADMITS left (its teams were deleted) admits nobody.
ENSURE_AUDIENCE = """
MERGE (a:Entity {id: $audience})
ON CREATE SET a:Audience, a.entityType = 'Audience', a.orgId = $org, a.createdAt = datetime(), a.updatedAt = datetime()
WITH a
UNWIND $members AS member
MATCH (p:Entity {id: member})
MERGE (a)-[:ADMITS]->(p)
"""

SHARED_WITH_IT_ALONE = """
MATCH (t:Team:Entity {id: $team})<-[:ADMITS]-(a:Audience)
WHERE NOT EXISTS { (a)-[:ADMITS]->(other:Entity) WHERE other.id <> $team }
MATCH (d:KnowledgeDocument) WHERE d.orgId = $org AND d.audienceId = a.id AND d.deletedAt IS NULL
RETURN count(d) AS documents
"""


@dataclass(frozen=True, slots=True)
class Access:
    """What a person may see in an organization: ids of audiences, and of the principals that they admit."""

    audiences: tuple[str, ...]
    principals: tuple[str, ...]


def audience_id(org_id: str, members: Iterable[str]) -> str:
    """The id of the audience that admits exactly `members`: one id for one set."""
    text = "\x00".join([org_id, *sorted(set(members))])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def everyone_in(org_id: str) -> str:
    """The id of the audience that is the whole organization; every corpus starts with it."""
    return audience_id(org_id, [org_id])


async def ensure_org_audience(tx: Transaction, org_id: str) -> str:
    """Makes the whole organization's audience where it is missing: part of making an organization."""
    return await ensure_audience(tx, org_id, [org_id])


async def ensure_audience(tx: Transaction, org_id: str, members: Sequence[str]) -> str:
    """The audience of these teams, people or the organization, made where it is missing.

    Errors: InvalidInput when one of them is not of this organization.
    """
    wanted = sorted(set(members))
    if not wanted or len(wanted) > MAX_MEMBERS:
        raise InvalidInput(f"An audience needs 1 to {MAX_MEMBERS} teams or people.", field="audience")
    row = await tx.one(KNOWN_MEMBERS, org=org_id, members=wanted)
    if row is None or set(row["known"]) != set(wanted):
        raise InvalidInput("Some of these teams or people are not in this organization.", field="audience")
    audience = audience_id(org_id, wanted)
    await tx.run(ENSURE_AUDIENCE, audience=audience, org=org_id, members=wanted)
    return audience


async def audiences_of(database: Database, org_id: str, user_id: str) -> Access:
    """The audiences that admit a member of an organization; none for who is no member."""
    row = await database.read_one(AUDIENCES_OF, org=org_id, user=user_id)
    if row is None:
        return Access((), ())
    return Access(tuple(sorted(row["audiences"])), tuple(sorted(row["principals"])))


async def check_nothing_rests_on(tx: Transaction, org_id: str, team_id: str) -> None:
    """Errors: Conflict when documents would be left that nobody may see."""
    row = await tx.one(SHARED_WITH_IT_ALONE, team=team_id, org=org_id)
    if row is not None and row["documents"]:
        raise Conflict(
            f"Documents are shared with this team alone ({row['documents']}); without it nobody could see them.",
            advice="Share them with others, or delete them, first.",
        )
