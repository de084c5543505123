"""What all shapes have in common: exactly these names, and the words below a field describe it."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

Instant = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
        json_schema_extra={"format": "date-time"},
        examples=["2026-11-30T12:00:00.000Z"],
    ),
]
"""UTC, to the millisecond."""


class Shape(TypedDict):
    """A JSON object that has these fields and no others."""

    __pydantic_config__ = ConfigDict(extra="forbid", use_attribute_docstrings=True)  # type: ignore[misc]  # pydantic's
