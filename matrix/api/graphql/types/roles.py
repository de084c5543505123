"""Roles as GraphQL names them."""

from __future__ import annotations

from enum import Enum

import strawberry

from matrix.domain import access


@strawberry.enum(
    description="Roles in an organization, the lowest first; a higher one may do all that a lower one may."
)
class Role(Enum):
    VIEWER = "VIEWER"
    EDITOR = "EDITOR"
    ADMIN = "ADMIN"
    OWNER = "OWNER"


ROLE_CHOICES = tuple(role.name for role in access.Role)


def shown_role(role: access.Role) -> Role:
    return Role[role.name]


def domain_role(role: Role) -> access.Role:
    return access.Role[role.name]
