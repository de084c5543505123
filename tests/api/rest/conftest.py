"""One deployment with one organization for each module, and a corpus for each test that wants one."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from matrix.domain.ids import new_id
from matrix.graph.database import Database
from tests.api.rest.chats import ALLOWANCE
from tests.support.application import Deployment, deployment_over
from tests.support.tenants import Tenant, new_tenant


@pytest.fixture(scope="module")
async def deployment(database: Database, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deployment]:
    async with deployment_over(database, tmp_path_factory.mktemp("data")) as made:
        yield made


@pytest.fixture(scope="module")
async def tenant(deployment: Deployment) -> Tenant:
    return await new_tenant(deployment, "acme")


@pytest.fixture
async def corpus(tenant: Tenant) -> str:
    """The key of a new, empty corpus."""
    return str((await tenant.editor.create("knowledge", name="Papers", key=f"papers-{new_id()[-8:]}"))["key"])


@pytest.fixture(scope="module")
async def agent(tenant: Tenant) -> str:
    """An agent that speaks for a corpus of one text, with the scripted model."""
    await tenant.editor.create("knowledge", name="Travel", key="travel")
    await tenant.editor.ingest("travel", "travel.md", f"# Travel\n\n{ALLOWANCE}")
    await tenant.editor.create("agents", name="Guide", key="guide", noAnswer="Not in my papers.")
    await tenant.editor.ok("PUT", "agents/guide/knowledge/travel", 204)
    return "guide"


@pytest.fixture(scope="module")
async def local_agent(tenant: Tenant, agent: str) -> str:
    """The same with the local answerer."""
    provider = await tenant.admin.create("model-providers", name="Here", key="here", kind="LOCAL")
    await tenant.editor.create("agents", name="Local", key="local", modelProvider=provider["id"], knowledge=["travel"])
    return "local"
