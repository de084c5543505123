"""Bodies that are read whole, and how long they may be: where texts come in as long as the longest of them, with its
escapes. They are read before anybody knows who sends them. Uploads stream and count for themselves."""

from __future__ import annotations

import re

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BYTES_A_CHARACTER = 6  # as JSON may write it: \u00e9
ROOM = 2**20  # bytes for all else in a body
_CORPUS = r"/api/orgs/[^/]+/knowledge/[^/]+"
_FILES = re.compile(rf"{_CORPUS}/files")
_TEXTS = re.compile(rf"{_CORPUS}/texts|/graphql")


class BodyLimit:
    """ASGI middleware. Raises where the body is asked for, so that the error table makes the answer."""

    def __init__(self, app: ASGIApp, longest_text: int) -> None:
        self._app = app
        self._longest_text = longest_text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (scope["method"] == "POST" and _FILES.fullmatch(scope["path"])):
            return await self._app(scope, receive, send)
        most_bytes = ROOM + (self._longest_text if _TEXTS.fullmatch(scope["path"]) else 0)
        announced = Headers(scope=scope).get("content-length", "")
        received = int(announced) if announced.isdecimal() else 0
        if received <= most_bytes:
            received = 0

        async def counted() -> Message:
            nonlocal received
            _check(received, most_bytes)
            message = await receive()
            received += len(message.get("body", b""))
            _check(received, most_bytes)
            return message

        return await self._app(scope, counted, send)


def _check(received: int, most_bytes: int) -> None:
    if received > most_bytes:
        raise HTTPException(413, f"A body may hold {most_bytes // 2**20} MiB at most.")


def limit_bodies(app: Starlette, text_characters: int) -> None:
    app.add_middleware(BodyLimit, longest_text=text_characters * BYTES_A_CHARACTER)
