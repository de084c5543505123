"""`recall(query)`: what the agent remembers of this person."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.agents.memory import AgentMemory
from matrix.agents.tool import ToolOutcome, TurnContext
from matrix.domain.chat import AgentCard, ToolSpec

NAME = "recall"


class Recall:
    name = NAME
    changes = False

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    def spec(self, _agent: AgentCard, /) -> ToolSpec | None:
        return ToolSpec(
            name=self.name,
            description="Finds what this person asked you to remember.",
            parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        )

    async def run(self, context: TurnContext, arguments: Mapping[str, object]) -> ToolOutcome:
        query = arguments.get("query")
        asked = query if isinstance(query, str) and query.strip() else context.question
        memories = await self._memory.recall(context.scope, context.agent.id, asked)
        lines = "\n".join(f"- {memory.text}" for memory in memories)
        return ToolOutcome(summary=f"{len(memories)} remembered", content=lines or "Nothing is remembered.")
