"""A chat model that says what it was told to say, without any wire. For tests of the agent loop."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator

from matrix.domain.chat import ModelEvent, ModelRequest, TextDelta, ToolCall, Usage
from matrix.domain.ids import new_id
from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from tests.wire_servers.script import Fault, Reply


class ScriptedModel:
    """`model.script(Reply(...), ...)`; `model.requests` are what it got. With nothing scripted it fails."""

    name = "scripted"

    def __init__(self, *steps: Reply | Fault) -> None:
        self.requests: list[ModelRequest] = []
        self._steps: deque[Reply | Fault] = deque(steps)

    def script(self, *steps: Reply | Fault) -> None:
        self._steps.extend(steps)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        reply = self._next_reply()
        for number, word in enumerate(reply.words):
            if number == reply.cut_after:
                raise ProviderUnavailable("The scripted model broke off.")
            yield TextDelta(word)
        for call in reply.tool_calls:
            if call.written is not None:
                raise ProviderError("A malformed call.", code="broken_reply")
            yield ToolCall(call.id or new_id(), call.name, dict(call.arguments))
        yield Usage(*reply.usage)

    def _next_reply(self) -> Reply:
        """Passes over outages as the real adapters do by waiting."""
        while self._steps:
            step = self._steps.popleft()
            if isinstance(step, Reply):
                return step
            if step.status < 500 and step.status != 429:
                raise ProviderRefused(step.message)
        raise AssertionError("The scripted model was asked more often than it was scripted for.")
