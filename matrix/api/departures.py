"""Clients that leave in the middle of a request: there is nobody to answer, and nothing to log."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send


class QuietDepartures:
    """ASGI middleware: ends what a client no longer waits for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            return


def end_quietly(app: Starlette) -> None:
    app.add_middleware(QuietDepartures)
