"""The bounded tool loop of a turn: the model calls tools until it answers; the last round may only answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from matrix.agents.tool_surface import AgentToolSurface
from matrix.agents.tools.recall import NAME as RECALL
from matrix.agents.tools.search_knowledge import NAME as SEARCH
from matrix.answer.assemble import Draft, Grounds, assemble
from matrix.domain.chat import (
    ChatEvent,
    ChatMessage,
    ModelRequest,
    Sentence,
    Speaker,
    TextDelta,
    ToolCall,
    ToolRun,
    Usage,
)
from matrix.ports import LanguageModel

MOST_ROUNDS = 5
MOST_CALLS = 8  # tool calls in one round


@dataclass(frozen=True, slots=True)
class Progress:
    """A turn so far: the prompt with all tool results, what the answer may rest on, and what it cost."""

    messages: tuple[ChatMessage, ...]
    grounds: Grounds = field(default_factory=Grounds)
    runs: tuple[ToolRun, ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def searched(self) -> bool:
        return any(run.name == SEARCH and not run.is_error for run in self.runs)


@dataclass(frozen=True, slots=True)
class Finished:
    """The loop's last word."""

    draft: Draft
    progress: Progress


async def run_loop(
    model: LanguageModel, surface: AgentToolSurface, opening: tuple[ChatMessage, ...], first_query: str
) -> AsyncIterator[ChatEvent | Finished]:
    """Events of the turn, then Finished."""
    progress = Progress(opening)
    first = _first_calls(surface, first_query)
    if first:
        progress = await _run_calls(surface, progress, first)
        for run in progress.runs:
            yield run
    draft = Draft(False, ())
    for turn in range(MOST_ROUNDS):
        calls: list[ToolCall] = []
        spent: list[Usage] = []
        request = _request(surface, progress, last=turn == MOST_ROUNDS - 1)
        async for event in assemble(_words(model, request, calls, spent), progress.grounds):
            if isinstance(event, Draft):
                draft = event
            elif progress.runs:  # before the first tool has run there is nothing that words could rest on
                yield event
        progress = replace(progress, usage=sum(spent, progress.usage))
        if not calls:
            break
        yield Sentence("", ())
        before = len(progress.runs)
        progress = await _run_calls(surface, progress, tuple(calls[:MOST_CALLS]))
        for run in progress.runs[before:]:
            yield run
    yield Finished(draft, progress)


def _first_calls(surface: AgentToolSurface, query: str) -> tuple[ToolCall, ...]:
    """What the runtime does itself, since there is nothing to choose: recalling, and searching the only corpus. A tool
    that changes things gets its chance before the search, since it is withdrawn afterwards."""
    calls: list[ToolCall] = []
    if RECALL in surface.tools:
        calls.append(ToolCall("first-recall", RECALL, {"query": query}))
    corpora = surface.context.agent.knowledge
    if len(corpora) == 1 and not any(tool.changes for tool in surface.tools.values()):
        calls.append(ToolCall("first-search", SEARCH, {"knowledge_key": corpora[0].key, "query": query}))
    return tuple(calls)


def _request(surface: AgentToolSurface, progress: Progress, last: bool) -> ModelRequest:
    specs = surface.specs(after_search=progress.searched)
    forced = "" if last else None
    if not last and not progress.searched and not any(tool.changes for tool in surface.tools.values()):
        forced = SEARCH if SEARCH in surface.tools else None
    return ModelRequest(progress.messages, specs, forced_tool=forced)


async def _words(
    model: LanguageModel, request: ModelRequest, calls: list[ToolCall], spent: list[Usage]
) -> AsyncIterator[str]:
    async for event in model.stream(request):
        match event:
            case TextDelta(text):
                yield text
            case ToolCall():
                calls.append(event)
            case Usage():
                spent.append(event)


async def _run_calls(surface: AgentToolSurface, progress: Progress, calls: tuple[ToolCall, ...]) -> Progress:
    """The turn after these calls, run one after the other so that markers are given in order."""
    messages = [*progress.messages, ChatMessage(Speaker.ASSISTANT, tool_calls=calls)]
    runs, evidence, other = list(progress.runs), dict(progress.grounds.evidence), list(progress.grounds.other)
    after_search = progress.searched
    for call in calls:
        run, result = await surface.run(call, evidence, after_search)
        after_search = after_search or call.name == SEARCH
        runs.append(run)
        messages.append(ChatMessage(Speaker.TOOL, tool_result=result))
        evidence.update({item.marker: item for item in result.evidence})
        if call.name != SEARCH and not result.is_error:
            other.append(result.content)
    grounds = Grounds(evidence, tuple(other))
    return replace(progress, messages=tuple(messages), runs=tuple(runs), grounds=grounds)
