"""A client of graphql-transport-ws, and a real server on a loopback port for it: an ASGI client has no sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect

Json = dict[str, Any]
SECONDS = 30  # to wait for a message before a test fails


@asynccontextmanager
async def served(app: FastAPI) -> AsyncIterator[str]:
    """The application on a port of its own: `host:port`."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
        await asyncio.sleep(0.02)
    try:
        yield f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@dataclass(frozen=True, slots=True)
class Socket:
    """One socket; messages come in the order in which they were sent."""

    wire: ClientConnection

    async def send(self, **message: object) -> None:
        await self.wire.send(json.dumps(message))

    async def next(self) -> Json:
        message: Json = json.loads(await asyncio.wait_for(self.wire.recv(), SECONDS))
        return message

    async def subscribe(self, query: str, name: str = "1", **variables: object) -> None:
        await self.send(id=name, type="subscribe", payload={"query": query, "variables": variables})

    async def data(self) -> Json:
        """The data of the next event."""
        message = await self.next()
        assert message["type"] == "next" and "errors" not in message["payload"], message
        data: Json = message["payload"]["data"]
        return data

    async def error(self) -> Json:
        """The first error of the next message."""
        message = await self.next()
        payload = message["payload"]
        errors = payload if message["type"] == "error" else payload["errors"]
        error: Json = errors[0]
        return error


@asynccontextmanager
async def socket(address: str, headers: dict[str, str] | None = None) -> AsyncIterator[Socket]:
    """Without connection_init."""
    async with connect(
        f"ws://{address}/graphql",
        subprotocols=["graphql-transport-ws"],
        additional_headers=headers or {},  # type: ignore[list-item]  # a NewType of str
    ) as wire:
        yield Socket(wire)


@asynccontextmanager
async def opened(address: str, headers: dict[str, str] | None = None, **init: object) -> AsyncIterator[Socket]:
    """With connection_init, acknowledged."""
    async with socket(address, headers) as made:
        await made.send(type="connection_init", payload=init)
        assert (await made.next())["type"] == "connection_ack"
        yield made
