"""The JSON schemas of all shapes, made when somebody asks for /openapi.json: at the start they would only cost time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import is_typeddict

from matrix.api.rest.shapes import chat, documents, entities, entity_types, operations, people, problems, retrieval

MODULES = (chat, documents, entities, entity_types, operations, people, problems, retrieval)
PLACE = "#/components/schemas/"


def shapes() -> Iterator[type]:
    for module in MODULES:
        for named in vars(module).values():
            if is_typeddict(named) and named.__module__ == module.__name__:
                yield named


def components() -> dict[str, Any]:
    """By name, with the enumerations that they use."""
    _, found = TypeAdapter.json_schemas(
        [(shape.__name__, "serialization", TypeAdapter[Any](shape)) for shape in shapes()],
        ref_template=f"{PLACE}{{model}}",
    )
    schemas: dict[str, Any] = found["$defs"]
    return schemas


def reference(shape: type) -> dict[str, str]:
    return {"$ref": f"{PLACE}{shape.__name__}"}
