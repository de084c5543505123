"""`/graphql`: POST for queries and mutations, graphql-transport-ws for subscriptions, and in development a page to try
them on."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from cross_web import HTTPException
from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException as BodyRefused
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from strawberry import UNSET
from strawberry.exceptions import ConnectionRejectionError
from strawberry.fastapi import GraphQLRouter
from strawberry.schema.exceptions import CannotGetOperationTypeError
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL

from matrix.api.auth.services import AccessServices, link_key
from matrix.api.entities import Entities
from matrix.api.errors_table import headers_of, outcome_of
from matrix.api.graphql.connection import Connection
from matrix.api.graphql.context import Surroundings
from matrix.api.graphql.explorer import explorer_page
from matrix.api.graphql.failures import error_json, operation_needed, shown_errors
from matrix.api.graphql.guards import Guard, ProductionGuard
from matrix.api.graphql.operations.progress import ProgressFeed
from matrix.api.graphql.request_shape import bad_request, check_operation, read_json
from matrix.api.graphql.schema import make_schema
from matrix.api.graphql.sockets import SocketAdapter, SocketHandler
from matrix.api.services import Services
from matrix.api.signed_links import LinkSigner
from matrix.errors import (
    DatabaseUnavailable,
    InvalidInput,
    MatrixError,
    NotAllowed,
    NotAuthenticated,
    ReadOnly,
    TooLarge,
)

PATH = "/graphql"
OPERATION_SECONDS = 10
INIT_SECONDS = 10  # for connection_init to come
SUBSCRIPTIONS = 10  # at once on one socket


def graphql_router(
    services: Services, entities: Entities, access: AccessServices, seconds: float = OPERATION_SECONDS
) -> APIRouter:
    """Everything at `/graphql`. `seconds` are what an operation has that waits for no model."""
    production = services.settings.environment == "production"
    around = Surroundings(
        services=services,
        entities=entities,
        access=access,
        signer=LinkSigner(link_key(services.settings)),
        progress=ProgressFeed(services.stores.documents, entities),
    )
    router = APIRouter(tags=["graphql"])

    @router.get(PATH, include_in_schema=False)
    async def explore(request: Request) -> Response:
        if production or "text/html" not in request.headers.get("accept", ""):
            return refused(ReadOnly("GraphQL takes POST.", advice="POST {query, variables} as JSON."))
        return explorer_page()

    guard = ProductionGuard if production else Guard
    endpoint = GraphQLEndpoint(
        make_schema(services.platform_types, [guard]),
        around,
        suggestions=not production,
        seconds=seconds,
    )
    router.include_router(endpoint, prefix=PATH, include_in_schema=False)  # its own schema describes it
    return router


class GraphQLEndpoint(GraphQLRouter[Connection, None]):
    """Strawberry's router with our callers, limits and errors."""

    websocket_adapter_class = SocketAdapter
    graphql_transport_ws_handler_class = SocketHandler

    def __init__(self, schema: Any, around: Surroundings, *, suggestions: bool, seconds: float) -> None:
        def connect(connection: HTTPConnection) -> Connection:
            return Connection(around, connection)

        super().__init__(
            schema,
            graphql_ide=None,
            allow_queries_via_get=False,
            multipart_uploads_enabled=False,
            context_getter=connect,
            subscription_protocols=[GRAPHQL_TRANSPORT_WS_PROTOCOL],
            connection_init_wait_timeout=timedelta(seconds=INIT_SECONDS),
            max_subscriptions_per_connection=SUBSCRIPTIONS,
            allowed_origins=[*around.access.security.allowed_origins, *_own_origin(around.access.public_url)],
        )
        self._suggestions = suggestions
        self._seconds = seconds

    async def run(self, request: Any, context: Any = UNSET, root_value: Any = UNSET) -> Any:
        """One request, in time, from a known caller; or a whole socket, whose caller comes with connection_init."""
        if self.is_websocket_request(request):
            return await super().run(request, context, root_value)
        try:
            await context.open()
            async with asyncio.timeout(self._seconds) as context.clock:
                return await super().run(request, context, root_value)
        except (TimeoutError, HTTPException, BodyRefused, MatrixError) as error:
            return refused(*_as_ours(error))

    def decode_json(self, data: str | bytes) -> object:
        return read_json(data)

    def parse_json(self, data: str | bytes) -> Any:
        return check_operation(self.decode_json(data))

    async def process_result(self, request: Any, result: Any) -> Any:
        if result.errors:
            result.errors = await shown_errors(result.errors, self._suggestions)
        return await super().process_result(request, result)

    async def on_ws_connect(self, context: Any) -> Any:
        """Any other failure ends the socket so that clients come again."""
        try:
            await context.open()
        except (NotAuthenticated, NotAllowed, InvalidInput) as error:
            raise ConnectionRejectionError from error
        return UNSET


def refused(error: MatrixError, status: int | None = None) -> Response:
    """A request that came to no operation, in the shape of a GraphQL answer."""
    answered = status or outcome_of(error).status
    body = {"data": None, "errors": [error_json(error)]}
    return JSONResponse(body, status_code=answered, headers=headers_of(error, answered))


def _as_ours(error: Exception) -> tuple[MatrixError, int | None]:
    """What came of a request that came to no operation, and the status if it is not the error's own."""
    match error:
        case HTTPException(__cause__=CannotGetOperationTypeError() as cause):
            return operation_needed(cause), 400
        case HTTPException():
            return bad_request(error.reason), 400
        case BodyRefused():
            return TooLarge(str(error.detail)), error.status_code
        case InvalidInput():
            return error, 400
        case MatrixError():
            return error, None
        case _:
            too_long = "The operation took too long."
            return DatabaseUnavailable(too_long, code="timeout", advice="Ask for less at once."), None


def _own_origin(public_url: str | None) -> list[str]:
    return [public_url.rstrip("/")] if public_url else []
