"""The committed schema is the one that the code makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix.api.graphql.sdl import schema_text
from matrix.graph.entities.type_files import read_entity_types

COMMITTED = Path(__file__).parents[3] / "graph_schema" / "schema.graphql"


@pytest.mark.feature("A5")
def test_the_committed_schema_is_that_of_the_code() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == schema_text(read_entity_types()), "Run `make schema`."
