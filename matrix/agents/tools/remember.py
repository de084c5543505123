"""`remember(text)`: keeps words of the person for later, private to that person."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.agents.memory import AgentMemory
from matrix.agents.tool import ToolOutcome, TurnContext
from matrix.domain.chat import AgentCard, ToolSpec
from matrix.errors import InvalidInput


class Remember:
    """Stores only what stands in the person's own message, so that no document can plant a memory."""

    name = "remember"
    changes = True

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    def spec(self, _agent: AgentCard, /) -> ToolSpec | None:
        return ToolSpec(
            name=self.name,
            description="Keeps a fact that the person asks you to remember. Use the person's own words.",
            parameters={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        )

    async def run(self, context: TurnContext, arguments: Mapping[str, object]) -> ToolOutcome:
        text = arguments.get("text")
        if not isinstance(text, str) or not text.strip():
            raise InvalidInput("remember needs a text.", field="text")
        kept = text if _norm(text) in _norm(context.question) else context.question
        await self._memory.remember(context.scope, context.agent.id, kept)
        return ToolOutcome(summary="remembered", content=f"Remembered: {kept}")


def _norm(text: str) -> str:
    return " ".join(text.lower().split())
