"""Subscriptions: how documents get on, and answers while they are written. Each ends once its caller may no longer
ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, TypeVar

import strawberry

from matrix.agents.chat import agent_for
from matrix.agents.running import RunningTurn
from matrix.api.asking import begin_turn
from matrix.api.graphql.context import GraphContext, Info
from matrix.api.graphql.types.chat_events import ChatEvent, ChatSession, shown_events
from matrix.api.graphql.types.dynamic_field import subscription
from matrix.domain.chat import AgentCard
from matrix.domain.entities import Entity
from matrix.errors import NotAllowed

RECHECK_SECONDS = 5

T = TypeVar("T")


@strawberry.type(description="The state of a document that is being processed, or was.")
class IngestProgress:
    document_id: strawberry.ID
    name: str
    status: str | None
    step: str | None
    progress: float | None = strawberry.field(description="From 0 to 1.")
    version: int | None
    serving_version: int | None
    chunk_count: int | None
    chunks_embedded: int | None
    chunks_reused: int | None
    error_code: str | None
    error_reason: str | None
    error_advice: str | None
    warnings: list[str]
    job_id: strawberry.ID | None


@strawberry.type
class Subscription:
    @subscription(description="The documents of a corpus: as they are, then each that changes. Corpus by id or key.")
    async def ingest_progress(self, info: Info, knowledge: str) -> AsyncGenerator[IngestProgress, None]:
        context = info.context
        corpus = await context.entities.get(context.scope, "knowledge", knowledge)
        async with (
            context.around.progress.listen(context.scope, corpus.id) as documents,
            aclosing(while_allowed(context, documents)) as allowed,
        ):
            async for document in allowed:
                yield _progress(document)

    @subscription(
        graphql_type=ChatEvent, description="Asks an agent; the answer comes as it is written, and is saved at its end."
    )
    async def chat(
        self, info: Info, agent: str, message: str, session_id: strawberry.ID | None = None
    ) -> AsyncGenerator[Any, None]:
        card = await info.context.services.stores.agents.agent(info.context.scope, agent)
        async with aclosing(_answered(info.context, card, message, session_id)) as events:
            async for event in events:
                yield event

    @subscription(graphql_type=ChatEvent, description="The same, straight from a corpus.")
    async def chat_knowledge(
        self, info: Info, knowledge: str, message: str, session_id: strawberry.ID | None = None
    ) -> AsyncGenerator[Any, None]:
        card = await info.context.services.stores.agents.knowledge(info.context.scope, knowledge)
        async with aclosing(_answered(info.context, agent_for(card), message, session_id)) as events:
            async for event in events:
                yield event


async def while_allowed(context: GraphContext, source: AsyncIterator[T]) -> AsyncGenerator[T, None]:
    """What the source gives, as long as the caller may see the same as when they began.

    Errors: NotAuthenticated (revoked), NotFound (no member any more), NotAllowed (other audiences).
    """
    began = context.scope
    upcoming = asyncio.ensure_future(_next(source))
    try:
        while True:
            await asyncio.wait({upcoming}, timeout=RECHECK_SECONDS)
            now = (await context.again()).scope
            if now is None or set(now.audiences) != set(began.audiences) or now.role < began.role:
                raise NotAllowed("What you may see has changed.", code="access_changed", advice="Subscribe again.")
            if upcoming.done():
                yield upcoming.result()
                upcoming = asyncio.ensure_future(_next(source))
    except StopAsyncIteration:
        return
    finally:
        await _let_go(upcoming)


async def _let_go(task: asyncio.Task[T]) -> None:
    """Ends it; what it met meanwhile is nobody's any more."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()


async def _next(source: AsyncIterator[T]) -> T:
    return await anext(source)


async def _answered(
    context: GraphContext, card: AgentCard, message: str, session_id: str | None
) -> AsyncGenerator[Any, None]:
    turn = await begin_turn(context.services, context.scope, card, message, session_id)
    yield ChatSession(session_id=strawberry.ID(turn.session_id))
    async with aclosing(while_allowed(context, _events(turn))) as events:
        async for event in events:
            yield event


async def _events(turn: RunningTurn) -> AsyncIterator[Any]:
    async for event in turn.listen():
        for shown in shown_events(event):
            yield shown


def _progress(document: Entity) -> IngestProgress:
    values: Any = document.properties
    return IngestProgress(
        document_id=strawberry.ID(document.id),
        name=values["name"],
        status=values["status"],
        step=values["step"],
        progress=values["progress"],
        version=values["version"],
        serving_version=values["servingVersion"],
        chunk_count=values["chunkCount"],
        chunks_embedded=values["chunksEmbedded"],
        chunks_reused=values["chunksReused"],
        error_code=values["errorCode"],
        error_reason=values["errorReason"],
        error_advice=values["errorAdvice"],
        warnings=list(values["warnings"] or ()),
        job_id=values["jobId"],
    )
