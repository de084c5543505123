"""`/api/auth`: sign in by token or by cookie, refresh, sign out, accept an invitation, set a password, who am I."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response, status
from pydantic import Field

from matrix.api.auth.cookies import REFRESH_COOKIE, check_csrf, check_origin, clear_cookies, set_cookies
from matrix.api.auth.counted import count_read
from matrix.api.auth.invitations import accept, reset_password
from matrix.api.auth.principal import Caller, authenticate
from matrix.api.auth.services import AccessServices
from matrix.api.auth.sign_in import change_password, refresh, sign_in, sign_out
from matrix.api.rest.bodies import Body
from matrix.api.rest.shapes.answers import OPTIONAL, PUBLIC, Responses, answers, problems, success
from matrix.api.rest.shapes.people import BrowserSession, Me, Tokens
from matrix.domain.access import CredentialKind, Membership, Principal
from matrix.domain.accounts import SignIn
from matrix.errors import InvalidInput, NotAuthenticated

Json = dict[str, object]
NO_CONTENT = status.HTTP_204_NO_CONTENT


class Credentials(Body):
    email: str = Field(max_length=254)
    password: str = Field(max_length=1024)


class RefreshBody(Body):
    """Without a token, the one in the cookie is meant."""

    refresh_token: str | None = Field(None, max_length=512)


class AcceptBody(Body):
    token: str = Field(max_length=512)
    password: str = Field(max_length=1024)
    name: str | None = None


class PasswordBody(Body):
    """Either the current password of the person signed in, or the token of a reset link."""

    new_password: str = Field(max_length=1024)
    current_password: str | None = Field(None, max_length=1024)
    token: str | None = Field(None, max_length=512)


def auth_router(access: AccessServices) -> APIRouter:
    """Sign-in by bearer tokens and what both ways share; `session_routes` has the cookies' own."""
    router = APIRouter(prefix="/api/auth", tags=["sign-in"], responses=problems(401, 500, 503))
    refreshed: Responses = {200: success(Tokens, BrowserSession), **problems(403)}

    @router.post("/login", responses=answers(Tokens, 429), openapi_extra=PUBLIC)
    async def log_in(body: Credentials, request: Request) -> Json:
        return _tokens(access, await sign_in(access, body.email, body.password, _address(request)))

    @router.post("/session", responses=answers(BrowserSession, 403, 429), openapi_extra=PUBLIC)
    async def open_session(body: Credentials, request: Request, response: Response) -> Json:
        """Signs in by cookies; `csrfToken` goes into the header X-CSRF-Token of requests that change something."""
        check_origin(request, access)
        signed_in = await sign_in(access, body.email, body.password, _address(request))
        return await _open_session(access, signed_in, response)

    @router.post("/refresh", responses=refreshed, openapi_extra=PUBLIC)
    async def refresh_tokens(request: Request, response: Response, body: RefreshBody | None = None) -> Json:
        """New tokens for a refresh token, which is good for one use."""
        if body is not None and body.refresh_token is not None:
            return _tokens(access, await refresh(access, body.refresh_token))
        signed_in = await refresh(access, _refresh_cookie(access, request))
        return await _open_session(access, signed_in, response)

    @router.post("/logout", status_code=NO_CONTENT, responses=problems(403), openapi_extra=OPTIONAL)
    async def log_out(request: Request, response: Response, body: RefreshBody | None = None) -> None:
        """Ends this sign-in, with all its tokens."""
        if body is not None and body.refresh_token is not None:
            await sign_out(access, body.refresh_token)
        elif "authorization" not in request.headers and REFRESH_COOKIE in request.cookies:
            await sign_out(access, _refresh_cookie(access, request))
        else:
            await access.stores.sign_ins.end(_person(await authenticate(access, request)).session_id)
        clear_cookies(response, access)

    @router.post("/accept", responses=answers(Tokens, 404, 409, 429), openapi_extra=PUBLIC)
    async def accept_invitation(body: AcceptBody, request: Request) -> Json:
        """Joins an organization by a one-time link. Who has an account gives its password, others set one."""
        return _tokens(access, await accept(access, body.token, body.name, body.password, _address(request)))

    @router.post("/password", status_code=NO_CONTENT, responses=problems(403, 404, 429), openapi_extra=OPTIONAL)
    async def set_password(body: PasswordBody, request: Request) -> None:
        if body.token is not None:
            return await reset_password(access, body.token, body.new_password)
        if body.current_password is None:
            raise InvalidInput("Give the current password, or the token of a reset link.", field="currentPassword")
        caller = await authenticate(access, request)
        return await change_password(access, caller, body.current_password, body.new_password, _address(request))

    @router.get("/me", name="get_me", dependencies=[Depends(count_read)], responses=answers(Me, 429))
    async def me(caller: Caller) -> Json:
        return await _me(access, caller)

    return router


def _tokens(access: AccessServices, signed_in: SignIn) -> Json:
    return {
        "accessToken": access.tokens.access_token(signed_in),
        "refreshToken": access.tokens.refresh_token(signed_in),
        "expiresIn": access.tokens.access_seconds,
        "tokenType": "Bearer",
    }


async def _open_session(access: AccessServices, signed_in: SignIn, response: Response) -> Json:
    set_cookies(response, access, signed_in)
    principal = await access.stores.sign_ins.principal(signed_in.id)
    csrf = access.tokens.csrf_token(signed_in.id)
    return {**await _me(access, principal), "csrfToken": csrf, "expiresIn": access.tokens.access_seconds}


async def _me(access: AccessServices, principal: Principal) -> Json:
    account = await access.stores.users.account_of(principal.user_id)
    memberships = await access.stores.access.memberships(principal)
    return {
        "user": {
            "id": account.id,
            "email": account.email,
            "name": account.name,
            "platformAdmin": principal.platform_admin,
        },
        "credential": principal.kind.value,
        "memberships": [_membership(membership) for membership in memberships],
    }


def _membership(membership: Membership) -> Json:
    return {
        "orgId": membership.org_id,
        "orgSlug": membership.org_slug,
        "orgName": membership.org_name,
        "role": membership.role.name,
    }


def _refresh_cookie(access: AccessServices, request: Request) -> str:
    """The refresh token of the cookie, once origin and CSRF token are right."""
    token = request.cookies.get(REFRESH_COOKIE)
    if token is None:
        raise NotAuthenticated("There is no refresh token in the request.")
    check_origin(request, access)
    sign_in_id, _ = access.tokens.read_refresh_token(token)
    check_csrf(request, access, sign_in_id)
    return token


def _person(principal: Principal) -> Principal:
    if principal.kind is not CredentialKind.PERSON:
        raise InvalidInput("An API key does not sign out.", advice="Delete the key instead.")
    return principal


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
