"""A tool of an agent: what the model is told of it, and what it gives back when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from matrix.domain.access import Scope
from matrix.domain.chat import AgentCard, ToolSpec
from matrix.domain.retrieval import Hit


@dataclass(frozen=True, slots=True)
class TurnContext:
    """On whose behalf, for which agent, and at which question a tool runs."""

    scope: Scope
    agent: AgentCard
    question: str


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """`hits` become evidence with markers; `content` is what the model reads where there are none. `summary` is for
    people."""

    summary: str
    content: str = ""
    hits: tuple[Hit, ...] = ()


class Tool(Protocol):
    """One file in `tools/` each. `changes` tools are offered only before retrieved text is in the context."""

    name: str
    changes: bool

    def spec(self, agent: AgentCard, /) -> ToolSpec | None: ...
    async def run(self, context: TurnContext, arguments: Mapping[str, object]) -> ToolOutcome: ...
