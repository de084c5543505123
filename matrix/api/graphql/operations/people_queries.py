"""Who asks, organizations, members, invitations and API keys, read from access's own stores."""

from __future__ import annotations

from typing import Any

import strawberry

from matrix.api.auth.principal import require
from matrix.api.graphql.context import Info
from matrix.api.graphql.types.connections import PAGING, connection
from matrix.api.graphql.types.dynamic_field import Argument, dynamic_field, field
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.people import Me, MyAccount, PendingLink
from matrix.api.graphql.types.roles import shown_role
from matrix.domain import access
from matrix.domain.accounts import OneTimeLink
from matrix.domain.entities import Entity, Page


@strawberry.type
class PeopleQuery:
    @field(description="Who asks, and where they belong.")
    async def me(self, info: Info) -> Me:
        context, caller = info.context, info.context.caller
        stores = context.around.access.stores
        account = await stores.users.account_of(caller.principal.user_id)
        memberships: Any = await stores.access.memberships(caller.principal)
        return Me(
            user=MyAccount(
                id=strawberry.ID(account.id),
                email=account.email,
                name=account.name,
                platform_admin=caller.principal.platform_admin,
            ),
            credential=caller.principal.kind.value,
            memberships=list(memberships),
            org_slug=caller.slug,
            role=shown_role(caller.scope.role) if caller.scope else None,
        )

    @field(graphql_type=list[PendingLink], description="Those that still wait to be accepted.")
    async def invitations(self, info: Info) -> tuple[OneTimeLink, ...]:
        require(info.context.scope, access.Role.ADMIN)
        return await info.context.around.access.stores.links.invitations(info.context.scope)


def people_query_fields(objects: ObjectTypes) -> dict[str, Any]:
    """The fields of Query that access's own stores answer, by name."""
    organization, user, key = (objects.objects[name] for name in ("organizations", "users", "api-keys"))
    one_id = Argument("id", strawberry.ID)
    return {
        "organization": dynamic_field(_organization, organization | None, (), "The one that this operation is about."),
        "organizations": dynamic_field(
            _organizations, objects.connection("organizations"), PAGING, "Those that the caller belongs to."
        ),
        "user": dynamic_field(_user, user | None, [Argument("id", strawberry.ID, description="Id or e-mail address.")]),
        "users": dynamic_field(_users, objects.connection("users"), PAGING, "The members of the organization."),
        "api_key": dynamic_field(_api_key, key | None, [one_id]),
        "api_keys": dynamic_field(
            _api_keys,
            objects.connection("api-keys"),
            PAGING,
            "The caller's own; an administrator sees all of the organization's.",
        ),
    }


async def _organization(_: object, info: Info) -> Entity:
    return await info.context.around.access.stores.organizations.get(info.context.scope)


async def _organizations(_: object, info: Info, first: int, after: str | None) -> Any:
    async def read(limit: int, cursor: str | None) -> Page:
        return await info.context.around.access.stores.organizations.list(info.context.caller.principal, limit, cursor)

    return await connection(read, first, after)


async def _user(_: object, info: Info, id: str) -> Entity:
    return await info.context.around.access.stores.users.member(info.context.scope, id)


async def _users(_: object, info: Info, first: int, after: str | None) -> Any:
    async def read(limit: int, cursor: str | None) -> Page:
        return await info.context.around.access.stores.users.members(info.context.scope, limit, cursor)

    return await connection(read, first, after)


async def _api_key(_: object, info: Info, id: str) -> Entity:
    return await info.context.around.access.stores.api_keys.get(info.context.scope, id)


async def _api_keys(_: object, info: Info, first: int, after: str | None) -> Any:
    async def read(limit: int, cursor: str | None) -> Page:
        return await info.context.around.access.stores.api_keys.list(info.context.scope, limit, cursor)

    return await connection(read, first, after)
