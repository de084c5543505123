"""Makers of entities in two organizations."""

from __future__ import annotations

import pytest

from matrix.domain.access import Scope
from matrix.graph.entities.entities import Neo4jEntities
from tests.graph.entities.makers import Maker, Types


@pytest.fixture
def make(entities: Neo4jEntities, types: Types, ours: Scope) -> Maker:
    return Maker(entities, types, ours)


@pytest.fixture
def make_theirs(entities: Neo4jEntities, types: Types, theirs: Scope) -> Maker:
    return Maker(entities, types, theirs)
