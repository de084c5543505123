"""Scalars beside GraphQL's own: JSON, moments as REST writes them, and dates as they are stored."""

from __future__ import annotations

from datetime import datetime
from typing import NewType

import strawberry
from strawberry.scalars import JSON
from strawberry.types.scalar import ScalarDefinition

from matrix.api.rest.entity_json import instant_json

DateText = NewType("DateText", str)

SCALARS: dict[object, ScalarDefinition] = {
    datetime: strawberry.scalar(
        name="DateTime",
        description="A moment in UTC, to the millisecond: 2026-11-30T12:00:00.000Z.",
        serialize=instant_json,
        parse_value=datetime.fromisoformat,
    ),
    DateText: strawberry.scalar(
        name="Date",
        description="A day or a moment: 2026-11-30 or 2026-11-30T12:00:00Z.",
        serialize=str,
        parse_value=str,
    ),
}

__all__ = ["JSON", "SCALARS", "DateText"]
