"""`…/users` and `…/api-keys`: two collections with rules of their own, in the shape of all others. Mount these routers
before the generic collections."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from pydantic import StrictBool

from matrix.api.auth.counted import count_by_method
from matrix.api.auth.invitations import link_url, offer_reset
from matrix.api.auth.new_api_keys import create_api_key
from matrix.api.auth.principal import Caller, OrgScope, require
from matrix.api.auth.services import AccessServices
from matrix.api.rest.bodies import Body
from matrix.api.rest.entity_json import entity_json, page_json
from matrix.api.rest.organization_routes import CREATED, NO_CONTENT, RoleName, link_json
from matrix.api.rest.plain_lists import ONLY_PAGING, Limit
from matrix.api.rest.shapes.answers import MEMBER, answers, problems
from matrix.api.rest.shapes.entities import Entity, EntityList
from matrix.api.rest.shapes.people import NewApiKey, NewLink
from matrix.domain.access import Role

Json = dict[str, object]


class MemberProperties(Body):
    role: RoleName | None = None
    suspended: StrictBool | None = None


class MemberPatch(Body):
    properties: MemberProperties


class ApiKeyProperties(Body):
    name: str
    role: RoleName = "VIEWER"
    expires_at: str | None = None


class ApiKeyBody(Body):
    properties: ApiKeyProperties


def users_router(access: AccessServices) -> APIRouter:
    router = APIRouter(
        prefix="/api/orgs/{slug}/users",
        tags=["people"],
        dependencies=[Depends(count_by_method)],
        responses=MEMBER,
    )
    users = access.stores.users

    @router.get("", dependencies=[ONLY_PAGING], responses=answers(EntityList))
    async def list_users(slug: str, scope: OrgScope, limit: Limit = 50, cursor: str | None = None) -> Json:
        return page_json(await users.members(scope, limit, cursor), slug)

    @router.get("/{id_or_email}", responses=answers(Entity))
    async def get_user(slug: str, id_or_email: str, scope: OrgScope) -> Json:
        return entity_json(await users.member(scope, id_or_email), slug)

    @router.patch("/{id_or_email}", responses=answers(Entity, 409))
    async def change_user(slug: str, id_or_email: str, body: MemberPatch, scope: OrgScope) -> Json:
        """Another role, or suspended in this organization, or back."""
        require(scope, Role.ADMIN)
        given = body.properties
        role = Role[given.role] if given.role else None
        return entity_json(await users.change_member(scope, id_or_email, role, given.suspended), slug)

    @router.delete("/{id_or_email}", status_code=NO_CONTENT, responses=problems(409))
    async def end_membership(id_or_email: str, scope: OrgScope) -> None:
        """Ends the membership; the account stays, as do its memberships elsewhere."""
        require(scope, Role.ADMIN)
        await users.end_membership(scope, id_or_email)

    @router.post("/{id_or_email}/reset", status_code=CREATED, responses=answers(NewLink, 409, status=201))
    async def reset_user(id_or_email: str, caller: Caller, request: Request, scope: OrgScope) -> Json:
        """A one-time `url` by which the person sets a new password."""
        require(scope, Role.ADMIN)
        link, token = await offer_reset(access, scope, caller, id_or_email)
        return {**link_json(link), "token": token, "url": link_url(access, link, token, str(request.base_url))}

    return router


def api_keys_router(access: AccessServices) -> APIRouter:
    router = APIRouter(
        prefix="/api/orgs/{slug}/api-keys",
        tags=["people"],
        dependencies=[Depends(count_by_method)],
        responses=MEMBER,
    )
    keys = access.stores.api_keys

    @router.get("", dependencies=[ONLY_PAGING], responses=answers(EntityList))
    async def list_api_keys(slug: str, scope: OrgScope, limit: Limit = 50, cursor: str | None = None) -> Json:
        """The caller's own; an administrator sees all of the organization's."""
        return page_json(await keys.list(scope, limit, cursor), slug)

    @router.post("", name="create_api_key", status_code=CREATED, responses=answers(NewApiKey, 409, status=201))
    async def new_api_key(slug: str, body: ApiKeyBody, caller: Caller, scope: OrgScope) -> Json:
        """The `secret` is shown only now. A key that was made with a key ends when that ends or is deleted."""
        given = body.properties
        made, secret = await create_api_key(access, caller, scope, given.name, Role[given.role], given.expires_at)
        return {**entity_json(made, slug), "secret": secret}

    @router.get("/{key_id}", responses=answers(Entity))
    async def get_api_key(slug: str, key_id: str, scope: OrgScope) -> Json:
        return entity_json(await keys.get(scope, key_id), slug)

    @router.delete("/{key_id}", status_code=NO_CONTENT, responses=problems(409))
    async def delete_api_key(key_id: str, scope: OrgScope) -> None:
        await keys.delete(scope, key_id)

    return router
