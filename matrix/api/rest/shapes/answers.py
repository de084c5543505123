"""What a route says of its answers: `responses=answers(Shape, 409)`, beside what `responses` of its router says."""

from __future__ import annotations

from typing import Any

from matrix.api.errors_table import PROBLEM
from matrix.api.rest.shapes.components import reference
from matrix.api.rest.shapes.problems import Problem

Responses = dict[int | str, dict[str, Any]]

MEANINGS = {
    400: "The body cannot be read.",
    401: "The credentials are missing, wrong, or good no longer.",
    403: "The role is too low; or a cookie came without what goes with it.",
    404: "Absent, or not for this caller, which is told in the same way.",
    405: "Entities of this type are written by Matrix itself.",
    409: "What is there now stands against it.",
    413: "More than Matrix takes at once.",
    422: "A value is wrong, which `field` names; or a field is not known.",
    429: "Too often; `retryAfter` says when to come again.",
    500: "Something unexpected went wrong.",
    502: "The model provider refused.",
    503: "The database, the store of files or a provider does not answer now; the header Retry-After says when to come"
    " again.",
}


def answers(shape: type, *refusals: int, status: int = 200) -> Responses:
    """A success of this shape, and the statuses of the problems that this route has beside those of its router."""
    return {status: success(shape), **problems(*refusals)}


def success(*either: type) -> dict[str, Any]:
    """A response in one of these shapes, in the words of the first. Their schemas, the application adds."""
    told, named = (either[0].__doc__ or "").replace("\n", " "), [reference(shape) for shape in either]
    schema = named[0] if len(named) == 1 else {"anyOf": named}
    return {"description": told, "content": {"application/json": {"schema": schema}}}


def problems(*statuses: int) -> Responses:
    return {status: problem(status) for status in statuses}


def problem(status: int) -> dict[str, Any]:
    return {"description": MEANINGS[status], "content": {PROBLEM: {"schema": reference(Problem)}}}


UNCOUNTED = problems(401, 403, 404, 500, 503)
"""Of a member of an organization, where it does not matter how often they ask."""
CALLER = problems(401, 403, 429, 500, 503)
"""Of any caller."""
MEMBER = UNCOUNTED | CALLER
PUBLIC: dict[str, Any] = {"security": []}
"""`openapi_extra` of a route that takes no credentials."""
OPTIONAL: dict[str, Any] = {"security": [{"bearer": []}, {}]}
"""The same of one that takes something else in place of them."""
