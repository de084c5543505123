"""A world of three organizations for each module, and a client of its application."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

from matrix.graph.database import Database
from tests.api.auth.world import World, client_of, make_world


@pytest.fixture(scope="module")
async def world(database: Database) -> World:
    return await make_world(database)


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(world.access) as client:
        yield client
