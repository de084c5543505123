"""Operations that take too long or meet a fault of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from matrix.agents.chat import AgentChat
from matrix.agents.running import RunningTurns
from matrix.api.application import create_application
from matrix.api.entities import Entities
from matrix.api.graphql.router import graphql_router
from matrix.domain.chat import ModelEvent, ModelRequest, TextDelta
from matrix.graph.entities.entities import Neo4jEntities
from tests.api.graphql.calls import graph_of
from tests.fakes.language_model import ScriptedModel
from tests.support.application import Deployment
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A5")

SLOW = 5.0  # seconds


class SlowEntities(Neo4jEntities):
    """A store that answers after a while."""

    async def list(self, *_: object) -> object:  # type: ignore[override]  # it never answers in time
        return await asyncio.sleep(SLOW)


class SlowModel(ScriptedModel):
    """A model that thinks for a while."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        await asyncio.sleep(SLOW)
        yield TextDelta("ANSWERABLE: no")


class SlowModels:
    async def get(self, *_: object) -> SlowModel:
        return SlowModel()


def hurried(deployment: Deployment, **stores: object) -> FastAPI:
    """An application whose operations have a fraction of a second."""
    services = deployment.services
    chat = AgentChat(SlowModels(), services.turns._chat._registry, services.stores.sessions, services.stores.agents)
    changed = replace(services, stores=replace(services.stores, **stores), turns=RunningTurns(chat))
    app = FastAPI()
    app.state.access = access = deployment.app.state.access
    entities = Entities(changed.stores.types, changed.stores.entities, services.secrets.encrypt, {})
    app.include_router(graphql_router(changed, entities, access, seconds=SLOW / 2))
    return app


async def test_an_operation_ends_in_time(deployment: Deployment, tenant: Tenant) -> None:
    slow = SlowEntities(deployment.database, deployment.services.stores.types)
    graph = graph_of(tenant.editor, hurried(deployment, entities=slow))
    answer = await graph.post({"query": "{ agents { edges { node { id } } } }"})
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (503, "timeout")


async def test_an_answer_of_a_model_has_more_time(deployment: Deployment, tenant: Tenant, corpus: str) -> None:
    graph = graph_of(tenant.editor, hurried(deployment))
    asked = 'mutation($corpus: String!) { askKnowledge(knowledge: $corpus, message: "Well?") { answerable } }'
    assert (await graph.data(asked, corpus=corpus))["askKnowledge"] == {"answerable": False}


class BrokenEntities(Neo4jEntities):
    """A store with a fault that nobody thought of."""

    async def list(self, *_: object) -> object:  # type: ignore[override]  # it never answers
        raise RuntimeError("the password is canary-42")


def broken(deployment: Deployment) -> FastAPI:
    stores = deployment.services.stores
    entities = BrokenEntities(deployment.database, stores.types)
    return create_application(replace(deployment.services, stores=replace(stores, entities=entities)))


async def test_what_is_unexpected_is_masked_with_an_id(deployment: Deployment, tenant: Tenant) -> None:
    with capture_logs() as logs:
        error = await graph_of(tenant.editor, broken(deployment)).refused(
            "{ agents { edges { node { id } } } }", "internal"
        )
    assert "canary" not in str(error)
    [entry] = [entry for entry in logs if entry["event"] == "unexpected_error"]
    assert entry["error_id"] == error["extensions"]["id"]
    assert "canary-42" in entry["trace"]
