"""A scripted HTTP server on the loopback interface, in a thread of its own: for tests of any event loop, or of none."""

from __future__ import annotations

import asyncio
import hashlib
import math
import random
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.wire_servers.script import Fault, Recorded, Reply, Step, Vectors


class ConnectionCut(Exception):
    """Raised inside a stream: uvicorn then drops the connection without ending the body."""


class WireServer(ABC):
    """`with GeminiServer() as server:` …; then `server.base_url`, `server.script(...)`, `server.requests`.

    Steps are taken in order, those for embeddings and those for chats each from their own queue; where a queue is
    empty, embeddings are made up (deterministic, of `dimensions`) and chats are answered by `server.answer`, a function
    of the recorded request that may be replaced.
    """

    dimensions = 768

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.answer: Callable[[Recorded], Reply | Fault] = lambda _: Reply("Fine.")
        self._chats: deque[Step] = deque()
        self._embeds: deque[Step] = deque()

    def script(self, *steps: Reply | Fault) -> None:
        """What the next chat requests are answered with."""
        self._chats.extend(steps)

    def script_embeddings(self, *steps: Vectors | Fault) -> None:
        """What the next embedding requests are answered with."""
        self._embeds.extend(steps)

    def asked(self, kind: str) -> list[Recorded]:
        return [request for request in self.requests if request.kind == kind]

    @property
    def left(self) -> int:
        """Scripted steps that nobody asked for."""
        return len(self._chats) + len(self._embeds)

    def __enter__(self) -> Self:
        listening = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{listening.getsockname()[1]}{self.prefix}"
        config = uvicorn.Config(Starlette(routes=self.routes()), lifespan="off", log_level="critical", http="h11")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(5)

    # ------------------------------------------------------------ what a format fills in

    prefix = ""

    @abstractmethod
    def routes(self) -> list[Route]: ...

    @abstractmethod
    def error_body(self, fault: Fault) -> dict[str, Any]: ...

    @abstractmethod
    def pieces(self, reply: Reply, request: Recorded) -> Iterator[str]:
        """The data of each server-sent event, without the last one's terminator."""

    @abstractmethod
    def vectors_body(self, request: Recorded, vectors: list[list[float]]) -> dict[str, Any]: ...

    # ------------------------------------------------------------ what formats share

    async def chat(self, request: Request) -> Response:
        recorded = await self._record("chat", request)
        step = self._chats.popleft() if self._chats else self.answer(recorded)
        if isinstance(step, Fault):
            return await self._failed(step)
        assert isinstance(step, Reply)
        return StreamingResponse(self._streamed(step, recorded), media_type="text/event-stream")

    async def embed(self, request: Request, texts_in: Callable[[dict[str, Any]], list[str]]) -> Response:
        recorded = await self._record("embed", request)
        step = self._embeds.popleft() if self._embeds else Vectors()
        if isinstance(step, Fault):
            return await self._failed(step)
        assert isinstance(step, Vectors)
        texts = texts_in(recorded.body)
        count = len(texts) if step.count is None else step.count
        size = step.dimensions or self.dimensions_asked(recorded.body)
        vectors = [made_up_vector(text, size) for text in [*texts, "", "", ""][:count]]
        return _json(self.vectors_body(recorded, vectors))

    def dimensions_asked(self, body: dict[str, Any]) -> int:
        return self.dimensions

    async def _record(self, kind: str, request: Request) -> Recorded:
        body = await request.json() if request.method == "POST" else {}
        recorded = Recorded(kind, request.url.path, dict(request.headers), body)
        self.requests.append(recorded)
        return recorded

    async def _failed(self, fault: Fault) -> Response:
        await asyncio.sleep(fault.delay)
        if fault.body is not None:
            return Response(fault.body, fault.status, fault.headers, media_type="application/json")
        return _json(self.error_body(fault), fault.status, fault.headers)

    async def _streamed(self, reply: Reply, request: Recorded) -> AsyncIterator[bytes]:
        for number, data in enumerate(self.pieces(reply, request)):
            if number == reply.cut_after:
                raise ConnectionCut
            await asyncio.sleep(reply.pause)
            yield f"data: {data}\n\n".encode()


def made_up_vector(text: str, dimensions: int) -> list[float]:
    """The same text, the same vector; its length is 2, so that a client that does not normalise is found out."""
    source = random.Random(hashlib.sha256(text.encode()).digest())
    raw = [source.gauss(0, 1) for _ in range(dimensions)]
    length = math.sqrt(sum(x * x for x in raw))
    return [2 * x / length for x in raw]


def _json(body: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(body, status, headers)
