"""Rows about people, organizations and keys, read into domain values. The Cypher is in the repositories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from matrix.domain.access import CredentialKind, Membership, Principal, Role
from matrix.domain.accounts import Account, LinkKind, OneTimeLink
from matrix.domain.entities import Entity, Page, Value
from matrix.graph.cursors import decode_cursor, encode_cursor
from matrix.graph.database import Row

PLATFORM = "platform"


def entity_of(row: Row, entity_type: str, org_id: str, names: Sequence[str], key: str | None = None) -> Entity:
    """The entity in a row that has `id`, `createdAt`, `updatedAt` and each of `names`."""
    properties: dict[str, Value] = {name: row[name] for name in names}
    return Entity(
        id=row["id"],
        entity_type=entity_type,
        org_id=org_id,
        key=key,
        properties=properties,
        created_at=datetime.fromisoformat(row["createdAt"]),
        updated_at=datetime.fromisoformat(row["updatedAt"]),
    )


def member_of(row: Row, org_id: str) -> Entity:
    return entity_of(row, "User", org_id, ("email", "name", "role", "suspended"))


def organization_of(row: Row) -> Entity:
    return entity_of(row, "Organization", PLATFORM, ("slug", "name"), key=row["slug"])


def api_key_of(row: Row, org_id: str) -> Entity:
    return entity_of(row, "ApiKey", org_id, ("name", "role", "prefix", "expiresAt", "lastUsedAt", "ownerId"))


def account_of(row: Row) -> Account:
    return Account(
        id=row["id"],
        email=row["email"],
        name=row["name"],
        platform_admin=row["platformAdmin"],
        suspended=row["suspended"],
        password_hash=row["passwordHash"],
    )


def link_of(row: Row) -> OneTimeLink:
    return OneTimeLink(
        id=row["id"],
        kind=LinkKind(row["kind"]),
        org_id=row["orgId"],
        email=row["email"],
        role=Role[row["role"]],
        created_at=datetime.fromisoformat(row["createdAt"]),
        expires_at=datetime.fromisoformat(row["expiresAt"]),
    )


def membership_of(row: Row, principal: Principal) -> Membership:
    return Membership(row["id"], row["slug"], row["name"], min(Role[row["role"]], principal.max_role))


def person_of(row: Row, sign_in_id: str) -> Principal:
    return Principal(
        user_id=row["id"],
        email=row["email"],
        kind=CredentialKind.PERSON,
        session_id=sign_in_id,
        platform_admin=row["platformAdmin"],
    )


def page_of(items: Sequence[Entity], limit: int) -> Page:
    """A page from up to `limit` + 1 entities, newest first."""
    shown = tuple(items[:limit])
    return Page(items=shown, next_cursor=encode_cursor(shown[-1].id) if len(items) > limit else None)


def after(cursor: str | None) -> str | None:
    """The id that the page before ended with. Errors: InvalidInput."""
    return None if cursor is None else decode_cursor(cursor, 1)[0]
