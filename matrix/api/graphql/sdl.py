"""The schema as text: what `graph_schema/schema.graphql` holds, for clients that generate their types from it."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.api.graphql.schema import make_schema
from matrix.domain.entities import EntityType

HEADING = "# Written by `make schema`; a test compares it with the code.\n\n"


def schema_text(types: Mapping[str, EntityType]) -> str:
    """`types` are the platform's; an organization's own change nothing here."""
    return f"{HEADING}{make_schema(types, []).as_str()}\n"
