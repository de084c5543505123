"""Who asks, organizations, people, invitations and API keys. Signing in itself is REST's: it sets cookies and gives
tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from matrix.api.auth.invitations import invite, link_url, offer_reset
from matrix.api.auth.principal import require
from matrix.api.graphql.connections import PAGING, connection
from matrix.api.graphql.context import Info
from matrix.api.graphql.dynamic_field import Argument, dynamic_field, field, plain_field
from matrix.api.graphql.input_types import given_properties, input_type
from matrix.api.graphql.object_types import ObjectTypes
from matrix.api.graphql.roles import Role, domain_role, shown_role
from matrix.api.rest.people_routes import expiry
from matrix.domain import access
from matrix.domain.access import Membership
from matrix.domain.accounts import SHOWN_PREFIX, NewApiKey, OneTimeLink, new_api_key_secret, secret_hash
from matrix.domain.entities import Entity, Page, Verb
from matrix.errors import Conflict, InvalidInput


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


@strawberry.type
class LinkMutations:
    @field(description="A one-time link for a new member to be handed on; no mail is sent.")
    async def create_invitation(self, info: Info, email: str, role: Role = Role.VIEWER) -> NewLink:
        require(info.context.scope, access.Role.ADMIN)
        services = info.context.around.access
        return _new_link(info, *await invite(services, info.context.scope, email, domain_role(role)))

    @field()
    async def revoke_invitation(self, info: Info, id: strawberry.ID) -> bool:
        require(info.context.scope, access.Role.ADMIN)
        await info.context.around.access.stores.links.revoke(info.context.scope, id)
        return True

    @field(description="A one-time link by which a member sets a new password.")
    async def reset_password(self, info: Info, user: str) -> NewLink:
        require(info.context.scope, access.Role.ADMIN)
        services, context = info.context.around.access, info.context
        return _new_link(info, *await offer_reset(services, context.scope, context.caller.principal, user))

    @field(description="Ends a membership; the account stays, as do its memberships elsewhere.")
    async def delete_user(self, info: Info, id: strawberry.ID) -> bool:
        require(info.context.scope, access.Role.ADMIN)
        await info.context.around.access.stores.users.end_membership(info.context.scope, id)
        return True

    @field(description="The key stops working at once.")
    async def delete_api_key(self, info: Info, id: strawberry.ID) -> bool:
        await info.context.around.access.stores.api_keys.delete(info.context.scope, id)
        return True

    @field(description="Takes the organization away, once it holds no content any more.")
    async def delete_organization(self, info: Info) -> bool:
        require(info.context.scope, access.Role.OWNER)
        if info.context.slug == info.context.around.access.first_slug:
            raise Conflict(
                "This is the organization that every start makes sure of.",
                code="first_organization",
                advice="Set MATRIX_ORGANIZATION to another one first.",
            )
        await info.context.around.access.stores.organizations.delete(info.context.scope)
        return True


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


def people_mutation_fields(objects: ObjectTypes) -> dict[str, Any]:
    """The fields of Mutation that answer with such an entity, by name."""
    organization, user = objects.objects["organizations"], objects.objects["users"]
    changes = Argument("input", input_type(objects, objects.types["users"], Verb.UPDATE))
    new_key = Argument("input", input_type(objects, objects.types["api-keys"], Verb.CREATE))
    return {
        "create_organization": dynamic_field(
            _create_organization,
            organization,
            [Argument("slug", str), Argument("name", str)],
            "For administrators of the platform; the maker becomes the owner.",
        ),
        "update_organization": dynamic_field(_rename_organization, organization, [Argument("name", str)]),
        "update_user": dynamic_field(
            _change_user,
            user,
            [Argument("id", strawberry.ID, description="Id or e-mail address."), changes],
            "Another role, or suspended in this organization, or back.",
        ),
        "create_api_key": dynamic_field(
            _create_api_key, _key_with_secret(objects), [new_key], "Lets a program act as the person who asks."
        ),
    }


def _key_with_secret(objects: ObjectTypes) -> Any:
    described = "A new API key; its secret is shown only now."
    made: Any = type(
        "NewApiKey",
        (),
        {
            "api_key": plain_field(lambda made: made[0], objects.objects["api-keys"]),
            "secret": plain_field(lambda made: made[1], str),
        },
    )
    return strawberry.type(made, name="NewApiKey", description=described)


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


async def _create_organization(_: object, info: Info, slug: str, name: str) -> Entity:
    return await info.context.around.access.stores.organizations.create(info.context.caller.principal, slug, name)


async def _rename_organization(_: object, info: Info, name: str) -> Entity:
    require(info.context.scope, access.Role.ADMIN)
    return await info.context.around.access.stores.organizations.rename(info.context.scope, name)


async def _change_user(_: object, info: Info, id: str, input: Any) -> Entity:
    scope, users = info.context.scope, info.context.around.access.stores.users
    require(scope, access.Role.ADMIN)
    given = given_properties(input)
    role, suspended = given.pop("role", None), given.pop("suspended", None)
    found = await users.change_member(
        scope, id, access.Role[str(role)] if role else None, None if suspended is None else bool(suspended)
    )
    if given:  # fields that the organization added
        return await info.context.entities.update(scope, "users", found.id, given)
    return found


async def _create_api_key(_: object, info: Info, input: Any) -> tuple[Entity, str]:
    given, secret = given_properties(input), new_api_key_secret()
    name, role, expires = str(given["name"]), str(given.get("role") or "VIEWER"), given.get("expiresAt")
    if not 1 <= len(name) <= 200:
        raise InvalidInput("A name has 1 to 200 characters.", field="name")
    key = NewApiKey(
        name=name,
        role=access.Role[role],
        prefix=secret[:SHOWN_PREFIX],
        secret_hash=secret_hash(secret),
        expires_at=expiry(str(expires)) if expires is not None else None,
    )
    made = await info.context.around.access.stores.api_keys.create(info.context.scope, key)
    return made, secret


def _new_link(info: Info, link: OneTimeLink, token: str) -> NewLink:
    pending: Any = link  # Strawberry reads its attributes
    url = link_url(info.context.around.access, link, token, info.context.address)
    return NewLink(link=pending, url=url, token=token)
