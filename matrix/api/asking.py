"""A question on its way to its turn, for REST and GraphQL alike. What can be refused is refused here, before anything
of the answer is sent."""

from __future__ import annotations

from matrix.agents.chat import ask
from matrix.agents.running import RunningTurn
from matrix.api.services import Services
from matrix.domain.access import Scope
from matrix.domain.chat import AgentCard


async def begin_turn(
    services: Services, scope: Scope, agent: AgentCard, message: str, session_id: str | None
) -> RunningTurn:
    """A turn that is running. Errors: InvalidInput (the message), NotFound (the session, or the agent's model
    provider), ProviderRefused (it has no key)."""
    question = ask(agent, message, session_id, services.settings.limits.message_characters)
    if session_id is not None:
        await services.stores.sessions.history(scope, session_id, 1)
    await services.models.get(scope, agent.model_provider_id)
    return services.turns.start(scope, question)
