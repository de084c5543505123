"""graphql-transport-ws as Strawberry speaks it, with an end for every message that is none: the socket is closed with
the protocol's code and a reason. A client that leaves is nothing to log."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocketDisconnect, WebSocketState
from strawberry.asgi import ASGIWebSocketAdapter
from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler
from strawberry.subscriptions.protocols.graphql_transport_ws.types import Message, SubscribeMessage

from matrix.api.graphql.connection import Connection
from matrix.api.graphql.failures import error_json, log_unexpected
from matrix.api.graphql.request_shape import check_message
from matrix.errors import InvalidInput, MatrixError, TooLarge

BAD_REQUEST = 4400
UNEXPECTED = 1011
TRY_AGAIN_LATER = 1013  # clients come back after it
LONGEST_REASON = 123  # bytes in a close frame


class SocketAdapter(ASGIWebSocketAdapter):
    """The wire. Once either side has closed it, nothing is sent any more."""

    async def send_json(self, message: Mapping[str, object]) -> None:
        """Errors: WebSocketDisconnected."""
        if self.ws.application_state is WebSocketState.DISCONNECTED:
            raise WebSocketDisconnected
        try:
            await super().send_json(message)
        except RuntimeError as error:  # the server's: the client closed it meanwhile
            raise WebSocketDisconnected from error

    async def close(self, code: int, reason: str) -> None:
        if self.ws.application_state is not WebSocketState.DISCONNECTED:
            with suppress(WebSocketDisconnect, RuntimeError):
                await super().close(code, reason.encode()[:LONGEST_REASON].decode(errors="ignore"))


class SocketHandler(BaseGraphQLTransportWSHandler[Connection, None]):
    """One socket, from its handshake to its end."""

    async def handle(self) -> None:
        try:
            await super().handle()
        except InvalidInput as error:
            await self.websocket.close(BAD_REQUEST, error.message)
        except MatrixError as error:
            await self.websocket.close(TRY_AGAIN_LATER, error.message)
        except Exception as error:  # whatever it is, the client is told that it was not theirs
            told = await log_unexpected(error)
            await self.websocket.close(UNEXPECTED, f"Something unexpected went wrong: {told['id']}.")

    async def handle_message(self, message: Message) -> None:
        checked: Any = check_message(message)
        await super().handle_message(checked)

    async def handle_subscribe(self, message: SubscribeMessage) -> None:
        most, known = self.max_subscriptions_per_connection, message["id"] in self.operations
        if self.connection_acknowledged and not known and most is not None and len(self.operations) >= most:
            full = TooLarge(
                f"A socket carries {most} subscriptions at once.", advice="Complete one, or open another socket."
            )
            refusal: Any = {"id": message["id"], "type": "error", "payload": [error_json(full)]}
            await self.send_message(refusal)
        else:
            await super().handle_subscribe(message)

    async def handle_task_exception(self, error: Exception) -> None:
        if not isinstance(error, WebSocketDisconnected | asyncio.CancelledError):
            await log_unexpected(error)
