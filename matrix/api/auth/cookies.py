"""Signing in by cookie, for the admin UI: which cookies, and the two checks that keep other sites from using them (the
origin of the request, and a token that only our own pages can read)."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Response
from starlette.requests import HTTPConnection

from matrix.api.auth.services import AccessServices
from matrix.domain.accounts import SignIn
from matrix.errors import NotAllowed

ACCESS_COOKIE = "matrix_access"
REFRESH_COOKIE = "matrix_refresh"
CSRF_COOKIE = "matrix_csrf"
CSRF_HEADER = "X-CSRF-Token"
AUTH_PATH = "/api/auth"
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
SAFE_SITES = {"same-origin", "none"}


def set_cookies(response: Response, access: AccessServices, sign_in: SignIn) -> None:
    """The access cookie for everything, the refresh cookie for `/api/auth` alone, the CSRF token for our scripts."""
    tokens, week = access.tokens, access.refresh_seconds
    for name, value, path, age, hidden in (
        (ACCESS_COOKIE, tokens.access_token(sign_in), "/", tokens.access_seconds, True),
        (REFRESH_COOKIE, tokens.refresh_token(sign_in), AUTH_PATH, week, True),
        (CSRF_COOKIE, tokens.csrf_token(sign_in.id), "/", week, False),
    ):
        response.set_cookie(
            name,
            value,
            max_age=age,
            path=path,
            httponly=hidden,
            secure=access.security.cookie_secure,
            samesite="strict",
        )


def clear_cookies(response: Response, access: AccessServices) -> None:
    for name, path in ((ACCESS_COOKIE, "/"), (REFRESH_COOKIE, AUTH_PATH), (CSRF_COOKIE, "/")):
        response.delete_cookie(name, path=path, secure=access.security.cookie_secure, samesite="strict")


def check_origin(connection: HTTPConnection, access: AccessServices) -> None:
    """Refuses what another site's page sends. A program without a browser names no origin. Errors: NotAllowed."""
    named = connection.headers.get("origin") or connection.headers.get("referer")
    if named is None:
        good = connection.headers.get("sec-fetch-site", "none") in SAFE_SITES
    else:
        good = _origin(named) in _own_origins(connection, access)
    if not good:
        raise NotAllowed(
            "This request comes from a page of another site.",
            code="wrong_origin",
            advice="If that site is yours, name it in MATRIX_SECURITY__ALLOWED_ORIGINS.",
        )


def check_csrf(connection: HTTPConnection, access: AccessServices, sign_in_id: str) -> None:
    """The header must hold the CSRF token of this very sign-in. Errors: NotAllowed."""
    given = connection.headers.get(CSRF_HEADER, "")
    if not access.tokens.is_csrf_token(given, sign_in_id):
        raise NotAllowed(
            f"The header {CSRF_HEADER} is missing or wrong.",
            code="csrf",
            advice=f"Send the value of the cookie {CSRF_COOKIE} in {CSRF_HEADER}, or sign in with a bearer token.",
        )


def is_unsafe(connection: HTTPConnection) -> bool:
    """Whether the request may change something. A WebSocket may: it carries mutations too."""
    return connection.scope["type"] == "websocket" or connection.scope["method"] not in SAFE_METHODS


def _own_origins(connection: HTTPConnection, access: AccessServices) -> set[str]:
    own = {_origin(origin) for origin in access.security.allowed_origins}
    if access.public_url:
        own.add(_origin(access.public_url))
    host = connection.headers.get("host", "")
    return own | {f"http://{host}", f"https://{host}"}


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
