"""What the first start makes so that somebody can sign in: an organization, its owner, and a key for this machine's
command line. Run again it adds what is missing and changes nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from matrix.domain.accounts import (
    SHOWN_PREFIX,
    check_api_key_secret,
    check_email,
    check_password,
    new_api_key_secret,
    secret_hash,
)
from matrix.domain.entities import check_key
from matrix.domain.ids import new_id
from matrix.domain.names import check_name
from matrix.errors import Conflict, DatabaseUnavailable
from matrix.graph.access.audiences import ensure_org_audience
from matrix.graph.database import Database, Row, Transaction
from matrix.ports import Passwords

ADMIN_EXISTS = """
MATCH (u:User {email: $email}) WHERE u.passwordHash IS NOT NULL RETURN u.id AS id
"""
ANY_ORGANIZATION = "MATCH (o:Organization) RETURN o.id AS id LIMIT 1"
FIRST_ADMIN = """
MERGE (u:User {email: $email})
ON CREATE SET u:Entity, u.id = $id, u.entityType = 'User', u.orgId = 'platform', u.name = $name,
  u.createdAt = datetime(), u.updatedAt = datetime()
SET u.passwordHash = coalesce(u.passwordHash, $hash), u.platformAdmin = true
RETURN u.id AS id
"""
FIRST_ORGANIZATION = """
MATCH (u:User {email: $email})
MERGE (o:Organization {slug: $slug})
ON CREATE SET o:Entity, o.id = $id, o.entityType = 'Organization', o.orgId = 'platform', o.key = $slug,
  o.name = $name, o.createdAt = datetime(), o.updatedAt = datetime()
MERGE (u)-[m:MEMBER_OF]->(o)
ON CREATE SET m.role = 'OWNER', m.createdAt = datetime()
RETURN o.id AS org, u.id AS user
"""
FIRST_API_KEY = """
MATCH (u:Entity:User {id: $user})
MERGE (k:ApiKey {secretHash: $hash})
ON CREATE SET k:Entity, k.id = $id, k.entityType = 'ApiKey', k.orgId = $org, k.ownerId = $user,
  k.name = 'Command line of this machine', k.role = 'OWNER', k.prefix = $prefix,
  k.createdAt = datetime(), k.updatedAt = datetime()
MERGE (u)-[:HAS_API_KEY]->(k)
RETURN k.orgId AS org, k.ownerId AS user
"""


@dataclass(frozen=True, slots=True)
class FirstOrganization:
    """What is there after the first start. `api_key` is the secret that was given, or a new one."""

    org_id: str
    slug: str
    admin_id: str
    api_key: str


async def is_first_start(database: Database) -> bool:
    """Whether no organization was ever made in this database."""
    return await database.read_one(ANY_ORGANIZATION) is None


async def ensure_first_organization(
    database: Database,
    passwords: Passwords,
    *,
    slug: str,
    admin_email: str,
    admin_password: str,
    api_key: str | None = None,
    name: str | None = None,
) -> FirstOrganization:
    """The organization `slug` with its administrator (owner, and of the platform) and a key of theirs.

    An account that has a password keeps it. `api_key` given: a key with this secret is made unless there is one.
    Errors: InvalidInput; Conflict, the key given belongs to someone else.
    """
    email = check_email(admin_email)
    await _ensure_admin(database, passwords, email, check_password(admin_password, "admin_password"))
    row = await _ensure_organization(database, email, check_key(slug, "slug"), check_name(name or _title(slug)))
    secret = check_api_key_secret(api_key) if api_key else new_api_key_secret()
    await _ensure_api_key(database, row, secret)
    return FirstOrganization(row["org"], slug, row["user"], secret)


async def _ensure_organization(database: Database, email: str, slug: str, name: str) -> Row:
    async def work(tx: Transaction) -> Row:
        row = _present(await tx.one(FIRST_ORGANIZATION, email=email, slug=slug, name=name, id=new_id()))
        await ensure_org_audience(tx, row["org"])
        return row

    return await database.write_together(work)


def _title(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


async def _ensure_admin(database: Database, passwords: Passwords, email: str, password: str) -> None:
    if await database.read_one(ADMIN_EXISTS, email=email) is None:
        hashed = await passwords.hash(password)
        await database.write(FIRST_ADMIN, email=email, id=new_id(), name="Administrator", hash=hashed)


async def _ensure_api_key(database: Database, row: Row, secret: str) -> None:
    key = _present(
        await database.write_one(
            FIRST_API_KEY,
            user=row["user"],
            org=row["org"],
            id=new_id(),
            hash=secret_hash(secret),
            prefix=secret[:SHOWN_PREFIX],
        )
    )
    if key["org"] != row["org"] or key["user"] != row["user"]:
        raise Conflict("The API key of this machine belongs to another organization or person.")


def _present(row: Row | None) -> Row:
    if row is None:
        raise DatabaseUnavailable("The database lost what was just written.")
    return row
