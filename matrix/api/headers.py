"""Headers that every answer carries."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
API_POLICY = "default-src 'none'; frame-ancestors 'none'"
ALWAYS = {**HEADERS, "Content-Security-Policy": API_POLICY, "Cache-Control": "no-store"}


class SecurityHeaders:
    """ASGI middleware: a page that sets a policy of its own keeps it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in ALWAYS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, add if scope["type"] == "http" else send)


def add_security_headers(app: Starlette) -> None:
    app.add_middleware(SecurityHeaders)
