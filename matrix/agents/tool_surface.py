"""`BuiltinToolRegistry` knows the tools that Matrix has; `AgentToolSurface` is what one agent may use in one turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from matrix.agents.tool import Tool, ToolOutcome, TurnContext
from matrix.agents.tools.search_knowledge import NAME as SEARCH
from matrix.answer.prompt import source_text
from matrix.domain.chat import Evidence, ToolCall, ToolResult, ToolRun, ToolSpec
from matrix.domain.retrieval import Hit
from matrix.errors import MatrixError


@dataclass(frozen=True, slots=True)
class BuiltinToolRegistry:
    """The internal tools, by name."""

    tools: Mapping[str, Tool]

    @classmethod
    def of(cls, tools: Iterable[Tool]) -> BuiltinToolRegistry:
        return cls({tool.name: tool for tool in tools})


@dataclass(frozen=True, slots=True)
class AgentToolSurface:
    """The tools of one agent in one turn. Attaching a corpus is what adds `search_knowledge`; nobody wires it."""

    context: TurnContext
    tools: Mapping[str, Tool]

    @classmethod
    def compose(cls, registry: BuiltinToolRegistry, context: TurnContext) -> AgentToolSurface:
        names = [*context.agent.tools, *([SEARCH] if context.agent.knowledge else [])]
        return cls(context, {name: registry.tools[name] for name in names if name in registry.tools})

    def specs(self, after_search: bool) -> tuple[ToolSpec, ...]:
        """What the model is offered; no tool that changes anything once retrieved text is in the context."""
        offered = (tool.spec(self.context.agent) for tool in self.tools.values() if not (after_search and tool.changes))
        return tuple(spec for spec in offered if spec is not None)

    async def run(
        self, call: ToolCall, known: Mapping[int, Evidence], after_search: bool
    ) -> tuple[ToolRun, ToolResult]:
        """Runs one call. A failure that the model can mend comes back as a result, not as an exception."""
        tool = self.tools.get(call.name)
        if tool is None or (after_search and tool.changes):
            return _failed(call, f"There is no tool «{call.name}» to use now.")
        try:
            outcome = await tool.run(self.context, call.arguments)
        except MatrixError as error:
            if not error.code.startswith("invalid") and error.code != "not_found":
                raise
            return _failed(call, error.message)
        return _succeeded(call, outcome, known)


def _succeeded(call: ToolCall, outcome: ToolOutcome, known: Mapping[int, Evidence]) -> tuple[ToolRun, ToolResult]:
    evidence = _number(outcome.hits, known)
    content = outcome.content or source_text(evidence)
    result = ToolResult(call.id, call.name, content, evidence)
    return ToolRun(call.name, call.arguments, outcome.summary), result


def _failed(call: ToolCall, reason: str) -> tuple[ToolRun, ToolResult]:
    run = ToolRun(call.name, call.arguments, reason, is_error=True)
    return run, ToolResult(call.id, call.name, reason, is_error=True)


def _number(hits: Iterable[Hit], known: Mapping[int, Evidence]) -> tuple[Evidence, ...]:
    """Markers go on from those of the turn; a passage found again keeps the one that it has."""
    seen = {item.hit.chunk_id: item.marker for item in known.values()}
    numbered: list[Evidence] = []
    for hit in hits:
        marker = seen.setdefault(hit.chunk_id, len(seen) + 1)
        numbered.append(Evidence(marker, hit))
    return tuple(numbered)
