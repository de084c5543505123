"""`/api/orgs`: organizations and their invitations. What they hold is in `people_routes` and in the collections."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Depends, Request, status
from pydantic import Field

from matrix.api.auth.counted import count_by_method
from matrix.api.auth.invitations import invite, link_url
from matrix.api.auth.principal import Caller, OrgScope, require
from matrix.api.auth.services import AccessServices
from matrix.api.rest.bodies import Body
from matrix.api.rest.entity_json import entity_json, instant_json
from matrix.api.rest.plain_lists import ONLY_PAGING, Limit
from matrix.api.rest.shapes import entities as shapes
from matrix.api.rest.shapes.answers import CALLER, MEMBER, answers, problems
from matrix.api.rest.shapes.people import InvitationList, NewLink
from matrix.domain.access import Role
from matrix.domain.accounts import OneTimeLink
from matrix.domain.entities import Entity
from matrix.errors import Conflict

Json = dict[str, object]
RoleName = Literal["VIEWER", "EDITOR", "ADMIN", "OWNER"]
CREATED, NO_CONTENT = status.HTTP_201_CREATED, status.HTTP_204_NO_CONTENT


class NewOrganization(Body):
    slug: str
    name: str


class OrganizationName(Body):
    name: str


class OrganizationPatch(Body):
    """`{"properties": {"name": …}}`, the shape of every entity's patch."""

    properties: OrganizationName


class NewInvitation(Body):
    email: str = Field(max_length=254)
    role: RoleName = "VIEWER"


def organizations_router(access: AccessServices) -> APIRouter:
    router = APIRouter(
        prefix="/api/orgs", tags=["organizations"], dependencies=[Depends(count_by_method)], responses=CALLER
    )
    organizations = access.stores.organizations

    @router.get("", dependencies=[ONLY_PAGING], responses=answers(shapes.EntityList))
    async def list_organizations(caller: Caller, limit: Limit = 50, cursor: str | None = None) -> Json:
        """The organizations that the caller belongs to."""
        page = await organizations.list(caller, limit, cursor)
        return {"items": [organization_json(item) for item in page.items], "nextCursor": page.next_cursor}

    @router.post("", status_code=CREATED, responses=answers(shapes.Entity, 409, status=201))
    async def create_organization(body: NewOrganization, caller: Caller) -> Json:
        """For administrators of the platform; the maker becomes the owner."""
        return organization_json(await organizations.create(caller, body.slug, body.name))

    @router.get("/{slug}", responses=answers(shapes.Entity, 404))
    async def get_organization(scope: OrgScope) -> Json:
        return organization_json(await organizations.get(scope))

    @router.patch("/{slug}", responses=answers(shapes.Entity, 404, 409))
    async def rename_organization(body: OrganizationPatch | OrganizationName, scope: OrgScope) -> Json:
        require(scope, Role.ADMIN)
        name = body.properties.name if isinstance(body, OrganizationPatch) else body.name
        return organization_json(await organizations.rename(scope, name))

    @router.delete("/{slug}", status_code=NO_CONTENT, responses=problems(404, 409))
    async def delete_organization(slug: str, scope: OrgScope) -> None:
        """Only once it holds no content any more."""
        require(scope, Role.OWNER)
        if slug == access.first_slug:
            raise Conflict(
                "This is the organization that every start makes sure of.",
                code="first_organization",
                advice="Set MATRIX_ORGANIZATION to another one first.",
            )
        await organizations.delete(scope)

    return router


def invitations_router(access: AccessServices) -> APIRouter:
    router = APIRouter(
        prefix="/api/orgs/{slug}/invitations",
        tags=["people"],
        dependencies=[Depends(count_by_method)],
        responses=MEMBER,
    )

    @router.get("", dependencies=[ONLY_PAGING], responses=answers(InvitationList))
    async def list_invitations(scope: OrgScope) -> Json:
        """Those that still wait to be accepted."""
        require(scope, Role.ADMIN)
        return {
            "items": [link_json(link) for link in await access.stores.links.invitations(scope)],
            "nextCursor": None,
        }

    @router.post("", status_code=CREATED, responses=answers(NewLink, 409, status=201))
    async def create_invitation(body: NewInvitation, request: Request, scope: OrgScope) -> Json:
        """A one-time `url` to hand on; no mail is sent, and the url is shown only now."""
        require(scope, Role.ADMIN)
        link, token = await invite(access, scope, body.email, Role[body.role])
        return {**link_json(link), "token": token, "url": link_url(access, link, token, str(request.base_url))}

    @router.delete("/{invitation_id}", status_code=NO_CONTENT, responses=problems(409))
    async def revoke_invitation(invitation_id: str, scope: OrgScope) -> None:
        require(scope, Role.ADMIN)
        await access.stores.links.revoke(scope, invitation_id)

    return router


def organization_json(organization: Entity) -> Json:
    return entity_json(organization, organization.key or "")


def link_json(link: OneTimeLink) -> Json:
    return {
        "id": link.id,
        "email": link.email,
        "role": link.role.name,
        "createdAt": instant_json(link.created_at),
        "expiresAt": instant_json(link.expires_at),
    }
