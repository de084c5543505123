"""Who is calling, and in which organization: the dependencies that every route begins with. They find the services in
`app.state.access`, so that a route can name them as plain types:

    async def route(caller: Caller, scope: OrgScope) -> ...
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from matrix.api.auth.cookies import ACCESS_COOKIE, check_csrf, check_origin, is_unsafe
from matrix.api.auth.services import AccessServices
from matrix.domain.access import Principal, Role, Scope
from matrix.domain.accounts import API_KEY_MARK, secret_hash
from matrix.errors import NotAllowed, NotAuthenticated


async def access_of(connection: HTTPConnection) -> AccessServices:
    # A plain function would be run in a thread of its own, at every request.
    services: AccessServices = connection.app.state.access
    return services


Access = Annotated[AccessServices, Depends(access_of)]


async def authenticate(access: AccessServices, connection: HTTPConnection) -> Principal:
    """The caller of a request or a WebSocket: by bearer token (JWT or API key), else by cookie.

    Errors: NotAuthenticated; NotAllowed, a cookie without the checks that go with it.
    """
    header = connection.headers.get("authorization")
    if header is not None:
        return await principal_of_token(access, _bearer(header))
    cookie = connection.cookies.get(ACCESS_COOKIE)
    if cookie is None:
        raise NotAuthenticated("This needs a sign-in.")
    return await _by_cookie(access, connection, cookie)


async def principal_of_token(access: AccessServices, token: str) -> Principal:
    """Who holds a bearer token. Errors: NotAuthenticated."""
    if token.startswith(API_KEY_MARK):
        return await access.stores.api_keys.principal(secret_hash(token))
    return await _principal_of_jwt(access, token)


async def current_principal(access: Access, connection: HTTPConnection) -> Principal:
    return await authenticate(access, connection)


Caller = Annotated[Principal, Depends(current_principal)]


async def current_scope(slug: str, access: Access, caller: Caller) -> Scope:
    """The caller's scope in the organization of the path's `{slug}`. Errors: NotFound."""
    return await access.stores.access.scope_for(caller, slug)


OrgScope = Annotated[Scope, Depends(current_scope)]


def require(scope: Scope, role: Role) -> None:
    """Errors: NotAllowed, the caller's role is too low."""
    if scope.role < role:
        raise NotAllowed(f"This takes the role {role.name}; yours is {scope.role.name}.")


async def _by_cookie(access: AccessServices, connection: HTTPConnection, cookie: str) -> Principal:
    unsafe = is_unsafe(connection)
    if unsafe:
        check_origin(connection, access)
    principal = await _principal_of_jwt(access, cookie)
    # Browsers cannot set headers on a WebSocket; its origin and the strict cookie must do.
    if unsafe and connection.scope["type"] == "http":
        check_csrf(connection, access, principal.session_id)
    return principal


async def _principal_of_jwt(access: AccessServices, token: str) -> Principal:
    claims = access.tokens.read_access_token(token)
    principal = await access.stores.sign_ins.principal(claims.sign_in_id)
    if principal.user_id != claims.user_id:
        raise NotAuthenticated("The access token is not valid.")
    return principal


def _bearer(header: str) -> str:
    kind, _, token = header.partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise NotAuthenticated("The Authorization header must be `Bearer` and a token.")
    return token.strip()
