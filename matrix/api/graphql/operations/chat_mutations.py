"""Asking and what belongs to it: answers, Stop, memories, the corpora of an agent, the trial of a model."""

from __future__ import annotations

from typing import Any

import strawberry

from matrix.agents.chat import agent_for
from matrix.agents.running import TURN_SECONDS
from matrix.api.asking import begin_turn
from matrix.api.graphql.context import GraphContext, Info
from matrix.api.graphql.operations.document_mutations import editable
from matrix.api.graphql.types.dynamic_field import Argument, dynamic_field, field
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.retrieval import Answer
from matrix.api.rest.chat import finished
from matrix.api.rest.model_providers import TRIAL
from matrix.domain import chat
from matrix.domain.chat import TextDelta
from matrix.domain.entities import Entity

CHAT_FIELDS = frozenset({"ask", "askKnowledge", "testModelProvider", "chat", "chatKnowledge"})  # counted as chats
TRIAL_SECONDS = 60


@strawberry.type(description="What a model provider's model said when its key was tried.")
class ProviderTrial:
    ok: bool
    model: str
    reply: str


@strawberry.type
class ChatMutations:
    @field(graphql_type=Answer, description="Asks an agent and waits for the whole answer.")
    async def ask(self, info: Info, agent: str, message: str, session_id: strawberry.ID | None = None) -> chat.Answer:
        context = info.context
        context.allow(TURN_SECONDS + 1)
        card = await context.services.stores.agents.agent(context.scope, agent)
        return await _answer(context, card, message, session_id)

    @field(graphql_type=Answer, description="Asks a corpus, without an agent having been made.")
    async def ask_knowledge(
        self, info: Info, knowledge: str, message: str, session_id: strawberry.ID | None = None
    ) -> chat.Answer:
        context = info.context
        context.allow(TURN_SECONDS + 1)
        card = agent_for(await context.services.stores.agents.knowledge(context.scope, knowledge))
        return await _answer(context, card, message, session_id)

    @field(description="Ends the answer that is being written; nothing of this turn is saved.")
    async def stop_answer(self, info: Info, session_id: strawberry.ID) -> bool:
        info.context.services.turns.stop(info.context.scope, session_id)
        return True

    @field(description="Takes a memory away.")
    async def forget(self, info: Info, memory: strawberry.ID) -> bool:
        await info.context.entities.delete(info.context.scope, "memories", memory)
        return True

    @field(description="Tries a model provider's key with one short question.")
    async def test_model_provider(self, info: Info, key: str) -> ProviderTrial:
        context = info.context
        context.allow(TRIAL_SECONDS)
        provider = await editable(context, "model-providers", key)
        model = await context.services.models.get(context.scope, provider)
        said = [event.text async for event in model.stream(TRIAL) if isinstance(event, TextDelta)]
        return ProviderTrial(ok=True, model=model.name, reply="".join(said)[:200])


def agent_fields(objects: ObjectTypes) -> dict[str, Any]:
    """Those that answer with an agent or a memory, by name."""
    agent, both = objects.objects["agents"], (Argument("agent", str), Argument("knowledge", str))
    return {
        "attach_knowledge": dynamic_field(
            _attach, agent, both, "Lets an agent search a corpus; nothing more is needed. Both by id or key."
        ),
        "detach_knowledge": dynamic_field(_detach, agent, both, "Takes a corpus off an agent."),
        "remember": dynamic_field(
            _remember,
            objects.objects["memories"],
            [Argument("agent", str), Argument("text", str)],
            "Lets an agent remember something for the person who asks.",
        ),
    }


async def _attach(_: object, info: Info, agent: str, knowledge: str) -> Entity:
    context = info.context
    found = await editable(context, "agents", agent)
    await context.services.stores.agents.attach(context.scope, found, knowledge)
    return await context.entities.get(context.scope, "agents", found)


async def _detach(_: object, info: Info, agent: str, knowledge: str) -> Entity:
    context = info.context
    found = await editable(context, "agents", agent)
    await context.services.stores.agents.detach(context.scope, found, knowledge)
    return await context.entities.get(context.scope, "agents", found)


async def _remember(_: object, info: Info, agent: str, text: str) -> Entity:
    context = info.context
    card = await context.services.stores.agents.agent(context.scope, agent)
    memory = await context.services.memory.remember(context.scope, card.id, text)
    return await context.entities.get(context.scope, "memories", memory.id)


async def _answer(context: GraphContext, card: chat.AgentCard, message: str, session_id: str | None) -> chat.Answer:
    return await finished(await begin_turn(context.services, context.scope, card, message, session_id))
