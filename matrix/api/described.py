"""/openapi.json as it is told: what the routes say of themselves, and what belongs to all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from matrix.api.rest.shapes.answers import problem
from matrix.api.rest.shapes.components import components

Json = dict[str, Any]
NEVER_SENT = ("HTTPValidationError", "ValidationError")  # FastAPI's own, in place of which problems are sent
BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "An access token of `POST /api/auth/login`, or an API key.",
}
ABOUT = """\
Everything is an entity: `{id, entityType, key, orgSlug, properties, createdAt, updatedAt}`; a list is
`{items, nextCursor}`. Every failure is a problem document (RFC 9457) with a stable `code` and with `advice`. What a
caller may not see is 404, the same as what does not exist. `/graphql` does the same by a schema of its own.
"""


class DescribedApi(FastAPI):
    """An application whose routes' names are their operation ids, and whose description is completed once."""

    def __init__(self, **options: Any) -> None:
        super().__init__(description=ABOUT, generate_unique_id_function=operation_id, **options)

    def openapi(self) -> Json:
        if self.openapi_schema is None:
            self.openapi_schema = completed(super().openapi())
        return self.openapi_schema


def operation_id(route: APIRoute) -> str:
    return route.name


def completed(schema: Json) -> Json:
    """FastAPI's description with what it cannot know: problems, credentials, the data of events."""
    for operation in _operations(schema):
        _settle(operation)
    known = {**schema.get("components", {}).get("schemas", {}), **components()}
    schema["components"] = {
        "schemas": {name: known[name] for name in sorted(known) if name not in NEVER_SENT},
        "securitySchemes": {"bearer": BEARER},
    }
    schema["security"] = [{"bearer": []}]
    _leave_out_titles(schema)
    return schema


def _operations(schema: Json) -> Iterator[Json]:
    for path in schema["paths"].values():
        yield from path.values()


def _settle(operation: Json) -> None:
    """The problems that every route of its kind has, and each answer by its shape alone."""
    responses: Json = operation["responses"]
    if "422" in responses:
        responses["422"] = problem(422)
    if "application/json" in operation.get("requestBody", {}).get("content", {}):
        responses |= {str(status): problem(status) for status in (400, 413)}
    for response in responses.values():
        for content in response.get("content", {}).values():
            content["schema"] = _shape_alone(content["schema"])
    operation["responses"] = dict(sorted(responses.items()))
    operation["summary"] = operation["summary"].capitalize().replace("api key", "API key")


def _shape_alone(schema: Json) -> Json:
    """Without what FastAPI makes of `dict[str, object]`, the type by which routes answer."""
    return {word: schema[word] for word in ("$ref", "anyOf") if word in schema} or schema


def _leave_out_titles(node: object) -> None:
    """Takes away the titles of fields and parameters, which only say their names again, in other letters."""
    if isinstance(node, list):
        for item in node:
            _leave_out_titles(item)
    elif isinstance(node, dict):
        fields = node.get("properties")
        for made in (node.get("schema"), *(fields.values() if isinstance(fields, dict) else ())):
            if isinstance(made, dict):
                made.pop("title", None)
        for value in node.values():
            _leave_out_titles(value)
