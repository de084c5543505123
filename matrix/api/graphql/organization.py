"""Which organization an operation is about: GraphQL's address names none."""

from __future__ import annotations

from matrix.api.auth.services import AccessServices
from matrix.domain.access import Principal, Scope
from matrix.errors import InvalidInput, NotAllowed

HEADER = "X-Matrix-Org"


async def choose_organization(access: AccessServices, caller: Principal, asked: str | None) -> tuple[str, Scope]:
    """The slug and the caller's scope there: the one asked for, else an API key's own or the only one that the caller
    belongs to, else the deployment's first.

    Errors: NotFound (asked for another's), NotAllowed (member of none), InvalidInput (of several: say which).
    """
    slug = asked or await _own(access, caller)
    return slug, await access.stores.access.scope_for(caller, slug)


async def _own(access: AccessServices, caller: Principal) -> str:
    slugs = [membership.org_slug for membership in await access.stores.access.memberships(caller)]
    if not slugs:
        raise NotAllowed("You belong to no organization.", advice="Ask an administrator of one to invite you.")
    if len(slugs) == 1:
        return slugs[0]
    if access.first_slug in slugs:
        return access.first_slug
    raise InvalidInput(
        "You belong to several organizations.",
        field=HEADER,
        code="organization_needed",
        advice=f"Name one in the header {HEADER}, or as `org` in connection_init: {', '.join(sorted(slugs))}.",
    )
