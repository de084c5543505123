"""Requests as the agent loop makes them, for the tests of the local answerer."""

from __future__ import annotations

from collections.abc import Sequence

from matrix.domain.chat import ChatMessage, Evidence, ModelRequest, Speaker, TextDelta, ToolResult, ToolSpec
from matrix.domain.retrieval import Hit, Scores, SourceRef
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer

NOTHING = "ANSWERABLE: no"


def passage(marker: int, text: str, *, titles: tuple[str, ...] = (), context: str = "") -> Evidence:
    source = SourceRef(None, None, titles, 0, len(text))
    hit = Hit(f"c{marker}", "d", "v", "k", "a.md", text, context, 0, 1, 1 / marker, Scores(), source)
    return Evidence(marker, hit)


def search_tool(*corpora: str) -> ToolSpec:
    properties = {"knowledge_key": {"type": "string", "enum": list(corpora)}, "query": {"type": "string"}}
    return ToolSpec("search_knowledge", "Searches.", {"type": "object", "properties": properties})


def user(text: str) -> ChatMessage:
    return ChatMessage(Speaker.USER, text)


def found(*evidence: Evidence) -> ChatMessage:
    return ChatMessage(Speaker.TOOL, tool_result=ToolResult("search-1", "search_knowledge", "", evidence))


async def say(answerer: ExtractiveAnswerer, question: str, evidence: Sequence[Evidence]) -> str:
    """The whole reply to a question, given what a search has found."""
    request = ModelRequest((user(question), found(*evidence)))
    return "".join([event.text async for event in answerer.stream(request) if isinstance(event, TextDelta)])
