"""A chat model that says what it was told to say, without any wire. For tests of the agent loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from matrix.domain.chat import ModelEvent, ModelRequest, TextDelta, ToolCall, Usage
from matrix.domain.ids import new_id
from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from tests.wire_servers.script import Fault, Reply


@dataclass(frozen=True, slots=True)
class Held:
    """Where a model waits: `reached` once it was asked, and it goes on when `released`."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)


class ScriptedModel:
    """`model.script(Reply(...), ...)`; `model.requests` are what it got. With nothing scripted it fails."""

    name = "scripted"

    def __init__(self, *steps: Reply | Fault) -> None:
        self.requests: list[ModelRequest] = []
        self._steps: deque[Reply | Fault] = deque(steps)
        self._held: Held | None = None

    def script(self, *steps: Reply | Fault) -> None:
        self._steps.extend(steps)

    @contextmanager
    def holding(self) -> Iterator[Held]:
        """Until the end of the context, whoever asks the model waits."""
        self._held = held = Held()
        try:
            yield held
        finally:
            self._held = None
            held.released.set()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        if self._held is not None:
            self._held.reached.set()
            await self._held.released.wait()
        reply = self._next_reply()
        for number, word in enumerate(reply.words):
            if number == reply.cut_after:
                raise ProviderUnavailable("The scripted model broke off.")
            yield TextDelta(word)
        for call in reply.tool_calls:
            if call.written is not None:
                raise ProviderError("A malformed call.", code="broken_reply")
            yield ToolCall(call.id or new_id(), call.name, dict(call.arguments))
        yield Usage(*reply.usage, cut_off=reply.finish == "length")

    def _next_reply(self) -> Reply:
        """Passes over outages as the real adapters do by waiting."""
        while self._steps:
            step = self._steps.popleft()
            if isinstance(step, Reply):
                return step
            if step.status < 500 and step.status != 429:
                raise ProviderRefused(step.message)
        raise AssertionError("The scripted model was asked more often than it was scripted for.")


def read_by_model(request: ModelRequest) -> str:
    """All that a model was given to read: every message, and every tool's result."""
    return "\n".join(m.tool_result.content if m.tool_result else m.text for m in request.messages)
