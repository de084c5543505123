"""Chat with an agent or straight with a corpus: a JSON answer, or server-sent events while it is written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from fastapi import APIRouter, Response, status
from fastapi.sse import EventSourceResponse, format_sse_event
from pydantic import StrictBool

from matrix.agents.chat import agent_for
from matrix.agents.running import RunningTurn
from matrix.api.asking import begin_turn
from matrix.api.auth.principal import OrgScope
from matrix.api.errors_table import problem_json
from matrix.api.rest.bodies import Body
from matrix.api.rest.retrieval_json import answer_json, citation_json, tool_json
from matrix.api.rest.shapes.answers import MEMBER, answers
from matrix.api.rest.shapes.chat import ChatAnswer
from matrix.api.rest.shapes.event_stream import event_stream
from matrix.api.services import Services
from matrix.domain.access import Scope
from matrix.domain.chat import AgentCard, Answer, Answerable, ChatEvent, Done, Sentence, TextDelta, ToolRun
from matrix.errors import MatrixError

EVENT_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class ChatBody(Body):
    message: str
    session_id: str | None = None
    stream: StrictBool = False


def chat_router(services: Services) -> APIRouter:
    agents, turns = services.stores.agents, services.turns
    router = APIRouter(prefix="/api/orgs/{slug}", tags=["chat"], responses=MEMBER)
    answered = answers(ChatAnswer, 409, 502)
    answered[200]["content"] |= event_stream()

    @router.post("/agents/{id_or_key}/chat", response_model=None, responses=answered)
    async def chat_with_agent(id_or_key: str, body: ChatBody, scope: OrgScope) -> Response | dict[str, object]:
        return await reply(await agents.agent(scope, id_or_key), body, scope)

    @router.post("/knowledge/{id_or_key}/chat", response_model=None, responses=answered)
    async def chat_with_knowledge(id_or_key: str, body: ChatBody, scope: OrgScope) -> Response | dict[str, object]:
        return await reply(agent_for(await agents.knowledge(scope, id_or_key)), body, scope)

    @router.post("/sessions/{session_id}/stop", name="stop_answer", status_code=status.HTTP_204_NO_CONTENT)
    async def stop(session_id: str, scope: OrgScope) -> None:
        """Ends the answer that is being written; nothing of this turn is saved."""
        turns.stop(scope, session_id)

    async def reply(agent: AgentCard, body: ChatBody, scope: Scope) -> Response | dict[str, object]:
        turn = await begin_turn(services, scope, agent, body.message, body.session_id)
        if body.stream:
            return EventSourceResponse(server_sent(turn), headers=EVENT_HEADERS)
        return answer_json(await finished(turn))

    return router


async def finished(turn: RunningTurn) -> Answer:
    """The answer at the end of a turn."""
    async for event in turn.listen():
        if isinstance(event, Done):
            return event.answer
    raise MatrixError("The turn ended without an answer.")


async def server_sent(turn: RunningTurn) -> AsyncIterator[bytes]:
    """The turn as server-sent events: `session` first, `done` or `error` last."""
    yield _event("session", {"sessionId": turn.session_id})
    try:
        async for event in turn.listen():
            for name, data in named(event):
                yield _event(name, data)
    except MatrixError as error:
        yield _event("error", problem_json(error))


def named(event: ChatEvent) -> list[tuple[str, dict[str, object]]]:
    """A chat event as it is named on the wire."""
    match event:
        case Answerable(answerable):
            return [("answerable", {"answerable": answerable})]
        case TextDelta(text):
            return [("token", {"text": text})]
        case Sentence(text, citations):
            return [("sentence", {"text": text, "citations": [citation_json(citation) for citation in citations]})]
        case ToolRun():
            return [("tool", tool_json(event))]
        case Done(answer):
            cited: dict[str, object] = {"citations": [citation_json(citation) for citation in answer.citations]}
            return [("citations", cited), ("done", answer_json(answer))]


def _event(name: str, data: dict[str, object]) -> bytes:
    return format_sse_event(event=name, data_str=json.dumps(data, ensure_ascii=False))
