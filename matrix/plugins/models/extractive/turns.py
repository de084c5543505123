"""A model request as the local answerer reads it: what is asked now, what was asked before, what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matrix.domain.chat import Evidence, ModelRequest, Speaker, ToolCall, ToolResult
from matrix.domain.followups import standalone_query

SEARCH_TOOL = "search_knowledge"


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """The turn to go on with. `earlier` is the question before, where this one leans on it, else empty; `remembered`
    and `recalled` are what the memory tools gave back."""

    question: str
    earlier: str
    evidence: tuple[Evidence, ...]
    searched: bool
    remembered: str | None = None
    recalled: str | None = None


def read_turn(request: ModelRequest) -> OpenTurn:
    """The last question of a request and all that came after it."""
    places = [place for place, message in enumerate(request.messages) if message.speaker is Speaker.USER]
    if not places:
        return OpenTurn("", "", (), searched=False)
    question = request.messages[places[-1]].text
    query = standalone_query(question, [request.messages[place].text for place in places[:-1]])
    results = [m.tool_result for m in request.messages[places[-1] + 1 :] if m.tool_result is not None]
    found = [result for result in results if result.name == SEARCH_TOOL]
    said = {result.name: result.content for result in results if not result.is_error}
    return OpenTurn(
        question=question,
        earlier=query.removesuffix(question).strip(),
        evidence=_interleave(found),
        searched=bool(found),
        remembered=said.get("remember"),
        recalled=said.get("recall"),
    )


def tools_of(request: ModelRequest) -> frozenset[str]:
    """The names of the tools that may be called now."""
    return frozenset() if request.forced_tool == "" else frozenset(tool.name for tool in request.tools)


def corpora_of(request: ModelRequest) -> tuple[str, ...] | None:
    """The keys of the corpora that the search tool offers; None where the request has no such tool."""
    if request.forced_tool == "":
        return None
    spec = next((tool for tool in request.tools if tool.name == SEARCH_TOOL), None)
    if spec is None:
        return None
    properties = spec.parameters.get("properties")
    key = properties.get("knowledge_key") if isinstance(properties, Mapping) else None
    offered = key.get("enum") if isinstance(key, Mapping) else None
    return tuple(map(str, offered)) if isinstance(offered, (list, tuple)) else ()


def search_calls(turn: OpenTurn, corpora: tuple[str, ...]) -> list[ToolCall]:
    """One search for each corpus; the best passages are chosen when all have come back."""
    query = f"{turn.earlier} {turn.question}".strip()
    return [
        ToolCall(f"search-{number}", SEARCH_TOOL, {"knowledge_key": corpus, "query": query})
        for number, corpus in enumerate(corpora, start=1)
    ]


def _interleave(results: Sequence[ToolResult]) -> tuple[Evidence, ...]:
    """The passages of several searches by turns: scores of two searches cannot be compared, places can."""
    longest = max((len(result.evidence) for result in results), default=0)
    return tuple(
        result.evidence[place] for place in range(longest) for result in results if place < len(result.evidence)
    )
