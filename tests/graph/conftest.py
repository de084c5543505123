"""Stores over the shared test database."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from matrix.domain.access import Scope
from matrix.domain.entities import EntityType
from matrix.graph.database import Database
from matrix.graph.entities.custom_types import Neo4jEntityTypes
from matrix.graph.entities.entities import Neo4jEntities
from matrix.graph.entities.type_files import read_entity_types
from tests.graph.scopes import new_org, scope

TYPES = read_entity_types()


@pytest.fixture
def types() -> Mapping[str, EntityType]:
    return TYPES


@pytest.fixture
def type_store(database: Database) -> Neo4jEntityTypes:
    return Neo4jEntityTypes(database, TYPES)


@pytest.fixture
def entities(database: Database, type_store: Neo4jEntityTypes) -> Neo4jEntities:
    return Neo4jEntities(database, type_store)


@pytest.fixture
def ours() -> Scope:
    return scope(new_org())


@pytest.fixture
def theirs() -> Scope:
    return scope(new_org())
