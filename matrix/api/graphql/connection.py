"""A request or a socket on its way in: who is behind it, and in which organization. Each operation begins anew from
it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from starlette.requests import HTTPConnection
from strawberry.fastapi import BaseContext

from matrix.api.auth.principal import authenticate, principal_of_token
from matrix.api.auth.services import AccessServices
from matrix.api.graphql.context import Caller, GraphContext, Surroundings
from matrix.api.graphql.organization import HEADER, choose_organization
from matrix.domain.access import CredentialKind, Principal
from matrix.domain.entities import is_text
from matrix.errors import InvalidInput, MatrixError, NotAuthenticated


class Connection(BaseContext):
    """Strawberry hands it from the handshake to the operations; `connection_params` is the payload of
    connection_init."""

    def __init__(self, around: Surroundings, connection: HTTPConnection) -> None:
        super().__init__()
        self._around = around
        self._connection = connection
        self._caller: Caller | None = None
        self._token: str | None = None
        self.clock: asyncio.Timeout | None = None

    @property
    def over_socket(self) -> bool:
        return str(self._connection.scope["type"]) == "websocket"

    async def open(self) -> None:
        """Finds out who calls. Errors: NotAuthenticated, NotAllowed."""
        access = self._around.access
        self._token = self._parameter("authorization") or self._connection.headers.get("authorization")
        if self._token is not None and "authorization" in self._parameters:
            principal = await principal_of_token(access, bearer(self._token))
        else:
            principal = await authenticate(access, self._connection)
        self._caller = await in_organization(access, principal, self._asked())

    def begin(self) -> GraphContext:
        """The context of one operation."""
        if self._caller is None:
            raise NotAuthenticated("This needs a sign-in.")
        return GraphContext(
            around=self._around,
            caller=self._caller,
            address=self._around.access.public_url or self._address(),
            again=self.again,
            clock=self.clock,
            over_socket=self.over_socket,
        )

    async def again(self) -> Caller:
        """The caller as they stand now: a socket outlives its access token, but not what stood behind it.

        Errors: NotAuthenticated.
        """
        access, before = self._around.access, self.begin().caller.principal
        if before.kind is CredentialKind.PERSON:
            principal = await access.stores.sign_ins.principal(before.session_id)
        else:
            principal = await principal_of_token(access, bearer(self._token or ""))
        return await in_organization(access, principal, self._asked() or (self._caller.slug if self._caller else None))

    @property
    def _parameters(self) -> dict[str, Any]:
        """What connection_init said, by names in small letters."""
        given = self.connection_params
        return {name.lower(): value for name, value in given.items()} if isinstance(given, dict) else {}

    def _parameter(self, name: str) -> str | None:
        value = self._parameters.get(name)
        if value is not None and not (isinstance(value, str) and is_text(value)):
            raise InvalidInput(f"{name} must be text.", field=name)
        return value

    def _asked(self) -> str | None:
        return self._parameter("org") or self._connection.headers.get(HEADER)

    def _address(self) -> str:
        url = self._connection.base_url
        return str(url.replace(scheme={"ws": "http", "wss": "https"}.get(url.scheme, url.scheme)))


async def in_organization(access: AccessServices, principal: Principal, asked: str | None) -> Caller:
    """The caller in their organization, or why in none: some operations need none."""
    caller = Caller(principal)
    try:
        slug, scope = await choose_organization(access, principal, asked)
    except MatrixError as error:
        return replace(caller, no_scope=error)
    return replace(caller, slug=slug, scope=scope)


def bearer(header: str) -> str:
    """The token of an Authorization header; a bare one does too. Errors: NotAuthenticated."""
    token = header.strip()
    if token[:7].lower() == "bearer ":
        token = token[7:].strip()
    if not token:
        raise NotAuthenticated("The Authorization must be `Bearer` and a token.")
    return token
