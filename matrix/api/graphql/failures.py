"""Errors as GraphQL answers them: ours with their code and advice, GraphQL's own with a code, and of all others an id
alone, under which the log has the rest."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable

import structlog
from graphql import GraphQLError
from strawberry.schema.exceptions import CannotGetOperationTypeError

from matrix.api.errors_table import extensions_of, outcome_of
from matrix.domain.ids import new_id
from matrix.errors import InvalidInput, MatrixError, TooLarge, UnknownField

_SUGGESTION = re.compile(r"\s*Did you mean .*\?", re.DOTALL)
_UNKNOWN_FIELD = re.compile(r"Field '(\w+)' is not defined by type|unknown field '(\w+)'")
_ECHO = re.compile(r"[,.]? [Ff]ound: .*", re.DOTALL)  # what was sent may hold a secret


async def shown_errors(errors: Iterable[GraphQLError], suggestions: bool) -> list[GraphQLError]:
    """What a client gets to see of these; `suggestions` of names only in development."""
    return [await _shown(error, suggestions) for error in errors]


def error_json(error: MatrixError) -> dict[str, object]:
    """One error that befell the request as a whole."""
    return {"message": error.message, "extensions": _extensions(error)}


def operation_needed(error: CannotGetOperationTypeError) -> InvalidInput:
    """Which operation of several is meant was not said, or there is none of that name."""
    unknown = error.operation_name is not None
    message = "There is no operation of that name." if unknown else "Which of the operations is meant?"
    return InvalidInput(
        message,
        field="operationName",
        code="bad_request",
        advice="Name one operation of `query` in `operationName`, or send a single one.",
    )


async def _shown(error: GraphQLError, suggestions: bool) -> GraphQLError:
    cause = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    if cause is None:
        return _of_graphql(error, suggestions)
    if isinstance(cause, RecursionError):  # of the parser: the text nests deeper than Python goes
        cause = TooLarge("The operation nests too deeply.", advice="Ask for less at once.")
    if isinstance(cause, CannotGetOperationTypeError):
        cause = operation_needed(cause)
    if isinstance(cause, MatrixError) and outcome_of(cause).status != 500:
        return _changed(error, cause.message, _extensions(cause))
    return _changed(error, "Something unexpected went wrong.", await log_unexpected(cause))


def _of_graphql(error: GraphQLError, suggestions: bool) -> GraphQLError:
    message = error.message if suggestions else _SUGGESTION.sub("", error.message)
    unknown, message = _UNKNOWN_FIELD.search(message), _ECHO.sub(".", message)
    kind = UnknownField if unknown else InvalidInput
    advice = "Compare the operation with the schema." if kind is InvalidInput else "Remove the field."
    extensions: dict[str, object] = {"code": kind.code, "classification": "INVALID", "advice": advice}
    if unknown:
        extensions["field"] = unknown.group(1) or unknown.group(2)
    return _changed(error, message, {**extensions, **(error.extensions or {})})


def _extensions(error: MatrixError) -> dict[str, object]:
    return {**extensions_of(error), "classification": outcome_of(error).graphql}


async def log_unexpected(cause: Exception) -> dict[str, object]:
    """Keeps what happened in the log; what the client gets to see of it is an id."""
    error_id = new_id()
    trace = "".join(traceback.format_exception(cause))
    await structlog.get_logger("matrix.api").aerror("unexpected_error", error_id=error_id, path="/graphql", trace=trace)
    advice = f"Try again; if it stays, give the administrator this id: {error_id}."
    return {"code": "internal", "advice": advice, "id": error_id, "classification": "INTERNAL"}


def _changed(error: GraphQLError, message: str, extensions: dict[str, object]) -> GraphQLError:
    return GraphQLError(message, error.nodes, error.source, error.positions, error.path, extensions=extensions)
