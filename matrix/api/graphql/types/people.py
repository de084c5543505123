"""Accounts, memberships and one-time links as GraphQL shows them."""

from __future__ import annotations

from datetime import datetime

import strawberry

from matrix.api.graphql.types.dynamic_field import field
from matrix.api.graphql.types.roles import Role, shown_role
from matrix.domain.access import Membership
from matrix.domain.accounts import OneTimeLink


@strawberry.type(description="The person who asks, or on whose behalf an API key does.")
class MyAccount:
    id: strawberry.ID
    email: str
    name: str
    platform_admin: bool


@strawberry.type(description="A person's place in an organization.")
class OrganizationMembership:
    org_id: strawberry.ID
    org_slug: str
    org_name: str

    @field()
    @staticmethod
    def role(root: Membership) -> Role:
        return shown_role(root.role)


@strawberry.type(description="`orgSlug` and `role` are those of this operation; null where it has no organization.")
class Me:
    user: MyAccount
    credential: str = strawberry.field(description="PERSON or API_KEY.")
    memberships: list[OrganizationMembership]
    org_slug: str | None
    role: Role | None


@strawberry.type(description="A one-time link that waits to be used.")
class PendingLink:
    id: strawberry.ID
    email: str
    created_at: datetime
    expires_at: datetime

    @field()
    @staticmethod
    def role(root: OneTimeLink) -> Role:
        return shown_role(root.role)


@strawberry.type(description="A new one-time link: `url` and `token` are shown only now.")
class NewLink:
    link: PendingLink
    url: str
    token: str
