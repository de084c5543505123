"""The scope of a request that comes with credentials, or with a signed link in its query instead."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from matrix.api.auth.principal import Access, authenticate
from matrix.api.signed_links import LinkSigner
from matrix.domain.access import CredentialKind, Principal, Scope

User = Annotated[str | None, Query(include_in_schema=False)]
Expires = Annotated[int, Query(include_in_schema=False)]


async def link_or_org_scope(
    slug: str, request: Request, access: Access, user: User = None, expires: Expires = 0, signature: User = None
) -> Scope:
    """Errors: NotAuthenticated; NotFound, where the person is no member (any more)."""
    if user is None or signature is None:
        return await access.stores.access.scope_for(await authenticate(access, request), slug)
    signer: LinkSigner = request.app.state.links
    signer.check(request.method, request.url.path, user, expires, signature)
    return await access.stores.access.scope_for(link_principal(user), slug)


def link_principal(user: str) -> Principal:
    """Whom a link speaks for."""
    return Principal(user, "", CredentialKind.PERSON, "")


LinkOrOrgScope = Annotated[Scope, Depends(link_or_org_scope)]
