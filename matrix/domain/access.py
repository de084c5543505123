"""Who asks, and what they may see. Every store call takes a `Scope`; nothing keeps a tenant anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Role(IntEnum):
    """Roles in an organization, ordered: a higher one may do all that a lower one may."""

    VIEWER = 10
    EDITOR = 20
    ADMIN = 30
    OWNER = 40


class CredentialKind(StrEnum):
    PERSON = "PERSON"
    API_KEY = "API_KEY"


@dataclass(frozen=True, slots=True)
class Scope:
    """The organization and the person on whose behalf a store is read or written.

    `audiences` are the ids of the audiences that admit the person; a document is visible only if its own is among them.
    `principals` are the organization, the teams and the person: what audiences admit, and what narrows the keyword leg.
    """

    org_id: str
    user_id: str
    role: Role
    audiences: tuple[str, ...]
    principals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller, before an organization is chosen.

    A person may be in many organizations; an API key belongs to one (`org_id`) and never acts above `max_role`.
    `session_id` is the refresh-token family of a person, or the id of the API key.
    """

    user_id: str
    email: str
    kind: CredentialKind
    session_id: str
    org_id: str | None = None
    max_role: Role = Role.OWNER
    platform_admin: bool = False


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's place in an organization."""

    org_id: str
    org_slug: str
    org_name: str
    role: Role
