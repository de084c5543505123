"""Organizations, members, invitations and API keys, changed. Signing in itself is REST's: it sets cookies and gives
tokens."""

from __future__ import annotations

from typing import Any

import strawberry

from matrix.api.auth.invitations import invite, link_url, offer_reset
from matrix.api.auth.new_api_keys import create_api_key
from matrix.api.auth.principal import require
from matrix.api.graphql.context import Info
from matrix.api.graphql.types.dynamic_field import Argument, dynamic_field, field, plain_field
from matrix.api.graphql.types.inputs import given_properties, input_type
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.people import NewLink
from matrix.api.graphql.types.roles import Role, domain_role
from matrix.domain import access
from matrix.domain.accounts import OneTimeLink
from matrix.domain.entities import Entity, Verb
from matrix.errors import Conflict


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
    given = given_properties(input)
    role, expires = str(given.get("role") or "VIEWER"), given.get("expiresAt")
    return await create_api_key(
        info.context.around.access,
        info.context.caller.principal,
        info.context.scope,
        str(given["name"]),
        access.Role[role],
        None if expires is None else str(expires),
    )


def _new_link(info: Info, link: OneTimeLink, token: str) -> NewLink:
    pending: Any = link  # Strawberry reads its attributes
    url = link_url(info.context.around.access, link, token, info.context.address)
    return NewLink(link=pending, url=url, token=token)
