"""The one table from our errors to HTTP, and problem documents (RFC 9457) for every failure. GraphQL gives the same
`code` in its extensions. Errors themselves carry no HTTP."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import NamedTuple

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from matrix import errors
from matrix.api.headers import ALWAYS
from matrix.domain.ids import new_id
from matrix.errors import MatrixError

PROBLEM = "application/problem+json"
LAST_ADVICE = "Try again; if it stays, look into the log."


class Outcome(NamedTuple):
    """How an error class answers: over HTTP, and as GraphQL's `classification`."""

    status: int
    graphql: str


TABLE: Mapping[type[MatrixError], Outcome] = {
    errors.MatrixError: Outcome(500, "INTERNAL"),
    errors.InvalidInput: Outcome(422, "INVALID"),
    errors.UnknownField: Outcome(422, "INVALID"),
    errors.InvalidSettings: Outcome(500, "INTERNAL"),
    errors.NotFound: Outcome(404, "NOT_FOUND"),
    errors.Conflict: Outcome(409, "CONFLICT"),
    errors.DocumentChanged: Outcome(409, "CONFLICT"),
    errors.NotAuthenticated: Outcome(401, "UNAUTHENTICATED"),
    errors.NotAllowed: Outcome(403, "FORBIDDEN"),
    errors.ReadOnly: Outcome(405, "READ_ONLY"),
    errors.TooLarge: Outcome(413, "TOO_LARGE"),
    errors.TooManyRequests: Outcome(429, "TOO_MANY_REQUESTS"),
    errors.UnsupportedType: Outcome(415, "UNSUPPORTED_TYPE"),
    errors.DocumentError: Outcome(422, "INVALID"),
    errors.ProviderError: Outcome(502, "PROVIDER"),
    errors.ProviderUnavailable: Outcome(503, "PROVIDER"),
    errors.ProviderRefused: Outcome(502, "PROVIDER"),
    errors.LeaseLost: Outcome(409, "CONFLICT"),
    errors.DocumentGone: Outcome(409, "CONFLICT"),
    errors.DatabaseUnavailable: Outcome(503, "UNAVAILABLE"),
    errors.StorageUnavailable: Outcome(503, "UNAVAILABLE"),
    errors.SchemaMismatch: Outcome(503, "UNAVAILABLE"),
    errors.EmbedderMismatch: Outcome(503, "UNAVAILABLE"),
    errors.LocalServerError: Outcome(503, "UNAVAILABLE"),
}

# Codes of failures that the web framework finds before our code runs.
_FRAMEWORK_CODES = {404: "not_found", 405: "read_only", 413: "too_large", 415: "unsupported_type"}


def outcome_of(error: MatrixError) -> Outcome:
    """The row of the error's class, or of its nearest parent."""
    return next(TABLE[parent] for parent in type(error).__mro__ if parent in TABLE)


def problem_json(error: MatrixError) -> dict[str, object]:
    """The problem document: type, title, status, detail, code, advice, and field and retryAfter where known."""
    return _problem(outcome_of(error).status, error.message, **extensions_of(error))


def extensions_of(error: MatrixError) -> dict[str, object]:
    """What a GraphQL error carries beside its message: the same code, advice, field and retryAfter."""
    extensions: dict[str, object] = {"code": error.code, "advice": error.advice or LAST_ADVICE}
    if isinstance(error, errors.InvalidInput) and error.field is not None:
        extensions["field"] = error.field
    if isinstance(error, errors.TooManyRequests | errors.ProviderUnavailable) and error.retry_after is not None:
        extensions["retryAfter"] = math.ceil(error.retry_after)
    return extensions


def answer_with_problems(app: FastAPI) -> None:
    """Makes every failure of `app` answer with a problem document."""
    app.add_exception_handler(MatrixError, _matrix_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _framework_error)
    app.add_exception_handler(Exception, _unexpected)


async def _matrix_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, MatrixError)
    status = outcome_of(error).status
    if status == 500:
        await _log(request, error, error_id=new_id())
    return _response(problem_json(error), headers_of(error, status))


async def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        broken = errors.InvalidInput("The body is no JSON.", code="bad_request", advice="Send a JSON object, in UTF-8.")
        return _response(problem_json(broken))
    if first["loc"] == ("body",):
        return _response(problem_json(_no_object(request.headers.get("content-type", ""))))
    field, unknown = _field(first["loc"]), first["type"] == "extra_forbidden"
    where = f"«{field}»" if field else "The request"
    detail = f"{where} is not known here." if unknown else f"{where} is not valid: {first['msg']}."
    kind = errors.UnknownField if unknown else errors.InvalidInput
    advice = "Remove the field." if unknown else errors.InvalidInput.advice
    return _response(problem_json(kind(detail, field=field or None, advice=advice)))


def _no_object(content_type: str) -> MatrixError:
    """What to say of a body that is missing, or no JSON object."""
    kind = content_type.partition(";")[0].strip()
    if kind.endswith("json"):
        said, advice = "The body is no JSON object.", "Send an object with the fields that /docs names."
    else:
        said = f"The body is sent as «{kind[:80]}», and JSON is wanted." if kind else "The body names no Content-Type."
        advice = "Send JSON, with the header Content-Type: application/json."
    return errors.InvalidInput(said, code="bad_request", advice=advice)


async def _framework_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _FRAMEWORK_CODES.get(error.status_code, "invalid_input" if error.status_code < 500 else "error")
    too_large = error.status_code == 413
    advice = errors.TooLarge.advice if too_large else "Compare the address and the method with /docs."
    return _response(_problem(error.status_code, str(error.detail), code=code, advice=advice), error.headers)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    """The caller gets an id and nothing of the inside; the log has the rest under that id."""
    error_id = new_id()
    await _log(request, error, error_id)
    advice = f"Try again; if it stays, give the administrator this id: {error_id}."
    problem = _problem(500, "Something unexpected went wrong.", code="internal", advice=advice, id=error_id)
    return _response(problem, ALWAYS)  # this answer is made outside the middleware that adds them


async def _log(request: Request, error: Exception, error_id: str) -> None:
    # As text: a renderer given the exception itself may print local variables, and with them passwords.
    trace = "".join(traceback.format_exception(error))
    await structlog.get_logger("matrix.api").aerror(
        "request_failed", error_id=error_id, method=request.method, path=request.url.path, trace=trace
    )


def _problem(status: int, detail: str, **extensions: object) -> dict[str, object]:
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "detail": detail, **extensions}


def _response(problem: dict[str, object], headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(problem, status_code=int(str(problem["status"])), headers=headers, media_type=PROBLEM)


def headers_of(error: MatrixError, status: int) -> dict[str, str]:
    """The headers that belong to a failure: when to come again, how to sign in, what is allowed."""
    if isinstance(error, errors.TooManyRequests | errors.ProviderUnavailable) and error.retry_after is not None:
        return {"Retry-After": str(math.ceil(error.retry_after))}
    match status:
        case 401:
            return {"WWW-Authenticate": "Bearer"}
        case 405:
            return {"Allow": "GET"}
        case 503:
            return {"Retry-After": "5"}
    return {}


def _field(location: Sequence[object]) -> str:
    """`body`, `query` and the like in front are left out: people know the names of fields."""
    return ".".join(str(part) for part in location[1:])
