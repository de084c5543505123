"""One deployment with two organizations for each module."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from matrix.domain.ids import new_id
from matrix.graph.database import Database
from tests.api.graphql.calls import Graph, graph_of
from tests.support.application import Deployment, deployment_over
from tests.support.tenants import Tenant, new_tenant


@pytest.fixture(scope="module")
async def deployment(database: Database, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deployment]:
    async with deployment_over(database, tmp_path_factory.mktemp("data")) as made:
        yield made


@pytest.fixture(scope="module")
async def tenant(deployment: Deployment) -> Tenant:
    return await new_tenant(deployment, "acme")


@pytest.fixture(scope="module")
async def other(deployment: Deployment) -> Tenant:
    return await new_tenant(deployment, "other")


@pytest.fixture
def editor(tenant: Tenant) -> Graph:
    return graph_of(tenant.editor)


@pytest.fixture
def admin(tenant: Tenant) -> Graph:
    return graph_of(tenant.admin)


@pytest.fixture
async def corpus(editor: Graph) -> str:
    """The key of a new, empty corpus."""
    key = f"papers-{new_id()[-8:]}"
    made = await editor.data(
        'mutation($key: String!) { createKnowledge(input: {name: "Papers", key: $key}) { key } }', key=key
    )
    return str(made["createKnowledge"]["key"])
