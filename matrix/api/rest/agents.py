"""Attaching a corpus to an agent and taking it off again: the only step that gives an agent its search tool."""

from __future__ import annotations

from fastapi import APIRouter, status

from matrix.api.auth.principal import OrgScope
from matrix.api.entities import Entities
from matrix.api.rest.shapes.answers import MEMBER, problems
from matrix.domain.entities import Verb
from matrix.ports import AgentStore


def agents_router(agents: AgentStore, entities: Entities) -> APIRouter:
    router = APIRouter(
        prefix="/api/orgs/{slug}/agents/{agent}/knowledge", tags=["agents"], responses=MEMBER | problems(409)
    )

    @router.put("/{knowledge}", name="attach_knowledge", status_code=status.HTTP_204_NO_CONTENT)
    async def attach(agent: str, knowledge: str, scope: OrgScope) -> None:
        await entities.allowed_on(scope, "agents", agent, Verb.UPDATE)
        await agents.attach(scope, agent, knowledge)

    @router.delete("/{knowledge}", name="detach_knowledge", status_code=status.HTTP_204_NO_CONTENT)
    async def detach(agent: str, knowledge: str, scope: OrgScope) -> None:
        await entities.allowed_on(scope, "agents", agent, Verb.UPDATE)
        await agents.detach(scope, agent, knowledge)

    return router
