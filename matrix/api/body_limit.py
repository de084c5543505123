"""Bodies that are read whole, and how long they may be: as long as the longest text that Matrix takes, with its
escapes. Uploads stream and count for themselves."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BYTES_A_CHARACTER = 6  # as JSON may write it: \u00e9
ROOM = 2**20  # bytes for all else in a body
STREAMED = "/files"


class BodyLimit:
    """ASGI middleware. Raises where the body is asked for, so that the error table makes the answer."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].endswith(STREAMED):
            return await self._app(scope, receive, send)
        announced = Headers(scope=scope).get("content-length", "")
        received = int(announced) if announced.isdecimal() else 0
        if received <= self._most_bytes:
            received = 0

        async def counted() -> Message:
            nonlocal received
            self._check(received)
            message = await receive()
            received += len(message.get("body", b""))
            self._check(received)
            return message

        return await self._app(scope, counted, send)

    def _check(self, received: int) -> None:
        if received > self._most_bytes:
            raise HTTPException(413, f"A body may hold {self._most_bytes // 2**20} MiB at most.")


def limit_bodies(app: Starlette, text_characters: int) -> None:
    app.add_middleware(BodyLimit, most_bytes=text_characters * BYTES_A_CHARACTER + ROOM)
