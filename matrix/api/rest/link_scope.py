"""The scope of a request that comes with credentials, or with a signed link in its query instead. A link is worth as
much as the credential that asked for it: it ends with the API key or the sign-in, and acts with the key's role."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from matrix.api.auth.principal import Access, authenticate
from matrix.api.auth.services import AccessServices
from matrix.api.signed_links import LinkSigner
from matrix.domain.access import CredentialKind, Principal, Scope

Holder = Annotated[str | None, Query(include_in_schema=False, max_length=200)]
Expires = Annotated[int, Query(include_in_schema=False)]
Signature = Annotated[str | None, Query(include_in_schema=False, max_length=200)]


async def link_or_org_scope(
    slug: str,
    request: Request,
    access: Access,
    holder: Holder = None,
    expires: Expires = 0,
    signature: Signature = None,
) -> Scope:
    """Errors: NotAuthenticated; NotFound, where the person is no member (any more)."""
    if holder is None or signature is None:
        return await access.stores.access.scope_for(await authenticate(access, request), slug)
    signer: LinkSigner = request.app.state.links
    signer.check(request.method, request.url.path, holder, expires, signature)
    return await access.stores.access.scope_for(await principal_behind(access, holder), slug)


def holder_of(principal: Principal) -> str:
    """How a link names the credential that asked for it."""
    return f"{principal.kind.value}:{principal.session_id}"


async def principal_behind(access: AccessServices, holder: str) -> Principal:
    """Whom a link speaks for, as they stand now. Errors: NotAuthenticated."""
    kind, _, session_id = holder.partition(":")
    if kind == CredentialKind.API_KEY:
        return await access.stores.api_keys.principal_by_id(session_id)
    return await access.stores.sign_ins.principal(session_id)


LinkOrOrgScope = Annotated[Scope, Depends(link_or_org_scope)]
