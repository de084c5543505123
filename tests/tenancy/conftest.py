"""Two organizations with everything in them, made once for each module."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from matrix.graph.database import Database
from tests.support.application import Deployment, deployment_over
from tests.support.stock import Stock, stocked_tenant


@pytest.fixture(scope="module")
async def deployment(database: Database, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deployment]:
    async with deployment_over(database, tmp_path_factory.mktemp("data")) as made:
        yield made


@pytest.fixture(scope="module")
async def ours(deployment: Deployment) -> Stock:
    return await stocked_tenant(deployment, "ours")


@pytest.fixture(scope="module")
async def theirs(deployment: Deployment) -> Stock:
    return await stocked_tenant(deployment, "theirs")
