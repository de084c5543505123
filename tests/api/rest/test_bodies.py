"""JSON is taken at its word: what is of another type is refused, and never turned into the right one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import matrix.api.rest
from matrix.api.rest.bodies import Body

pytestmark = pytest.mark.feature("A4")
COERCED: dict[str, tuple[object, ...]] = {
    "integer": ("3", 3.0, True),
    "number": ("0.5", True),
    "boolean": ("true", "yes", 1, 0),
    "string": (3, True, ["x"]),
}


def bodies(of: type[Body] = Body) -> Iterator[type[Body]]:
    for child in of.__subclasses__():
        yield child
        yield from bodies(child)


def kinds_of(schema: dict[str, Any]) -> set[str]:
    """The plain types that a field takes."""
    return {one["type"] for one in schema.get("anyOf", [schema]) if one.get("type") in COERCED}


def cases() -> Iterator[tuple[type[Body], str, object]]:
    for module in pkgutil.iter_modules(matrix.api.rest.__path__):
        importlib.import_module(f"matrix.api.rest.{module.name}")
    for body in bodies():
        for name, field in body.model_fields.items():
            kinds = kinds_of(TypeAdapter(field.annotation).json_schema())
            if len(kinds) == 1:
                yield from ((body, name, value) for value in COERCED[kinds.pop()])


CASES = list(cases())


def test_there_are_cases() -> None:
    assert len(CASES) > 50


@pytest.mark.parametrize(("body", "name", "value"), CASES, ids=lambda case: getattr(case, "__name__", repr(case)))
def test_no_value_is_turned_into_another(body: type[Body], name: str, value: object) -> None:
    alias = body.model_fields[name].alias or name
    with pytest.raises(ValidationError) as refused:
        body.model_validate({alias: value})
    assert any(error["loc"][0] == alias for error in refused.value.errors())
