"""What every LanguageModel must do, fake or real. A test class inherits it and gives the fixtures `model` and `script`:
the latter is told, as a wire server is, what the model will say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from matrix.domain.chat import (
    ChatMessage,
    ModelEvent,
    ModelRequest,
    Speaker,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
)
from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from matrix.ports import LanguageModel
from tests.wire_servers.script import Call, Fault, Reply

Script = Callable[..., None]

SEARCH = ToolSpec(
    "search_knowledge",
    "Search the corpora.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
QUESTION = ModelRequest((ChatMessage(Speaker.SYSTEM, "Be brief."), ChatMessage(Speaker.USER, "When is tax due?")))
WITH_TOOL = ModelRequest(QUESTION.messages, tools=(SEARCH,))


async def events_of(model: LanguageModel, request: ModelRequest) -> list[ModelEvent]:
    return [event async for event in model.stream(request)]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


class LanguageModelContract:
    async def test_text_comes_in_pieces_and_usage_last(self, model: LanguageModel, script: Script) -> None:
        script(Reply("Tax is due in April.", usage=(11, 6)))
        events = await events_of(model, QUESTION)
        assert text_of(events) == "Tax is due in April."
        assert len(events) > 2
        assert events[-1] == Usage(11, 6)

    async def test_tool_calls_come_whole(self, model: LanguageModel, script: Script) -> None:
        first, second = {"query": "tax «2026»", "top_k": 3}, {"query": "due date", "deep": {"a": [1, None, True]}}
        script(Reply("One moment.", (Call("search_knowledge", first), Call("search_knowledge", second))))
        events = await events_of(model, WITH_TOOL)
        calls = [event for event in events if isinstance(event, ToolCall)]
        assert [(call.name, dict(call.arguments)) for call in calls] == [
            ("search_knowledge", first),
            ("search_knowledge", second),
        ]
        assert len({call.id for call in calls} - {""}) == 2
        assert isinstance(events[-1], Usage)

    async def test_a_call_without_arguments(self, model: LanguageModel, script: Script) -> None:
        script(Reply(tool_calls=(Call("now"),)))
        calls = [e for e in await events_of(model, WITH_TOOL) if isinstance(e, ToolCall)]
        assert [(call.name, dict(call.arguments)) for call in calls] == [("now", {})]

    async def test_results_go_back_to_the_model(self, model: LanguageModel, script: Script) -> None:
        script(Reply(tool_calls=(Call("search_knowledge", {"query": "a"}), Call("search_knowledge", {"query": "b"}))))
        calls = tuple(e for e in await events_of(model, WITH_TOOL) if isinstance(e, ToolCall))
        results = tuple(
            ChatMessage(Speaker.TOOL, tool_result=ToolResult(call.id, call.name, f"found {n}", is_error=n == 1))
            for n, call in enumerate(calls)
        )
        asked = ChatMessage(Speaker.ASSISTANT, tool_calls=calls)
        script(Reply("In April."))
        events = await events_of(model, ModelRequest((*QUESTION.messages, asked, *results), tools=(SEARCH,)))
        assert text_of(events) == "In April."

    async def test_refusals_are_lasting(self, model: LanguageModel, script: Script) -> None:
        script(Fault(400, "no such model"))
        with pytest.raises(ProviderRefused):
            await events_of(model, QUESTION)

    async def test_an_outage_before_the_first_word_is_waited_out(self, model: LanguageModel, script: Script) -> None:
        script(Fault(503), Fault(429, retry_after=0), Reply("Here again."))
        assert text_of(await events_of(model, QUESTION)) == "Here again."

    async def test_a_stream_that_breaks_off_is_an_error_after_its_words(
        self, model: LanguageModel, script: Script
    ) -> None:
        script(Reply("one two three four", cut_after=3), Reply("must not be asked for"))
        heard: list[ModelEvent] = []
        with pytest.raises(ProviderUnavailable):
            async for event in model.stream(QUESTION):
                heard.append(event)  # noqa: PERF401  # what came before the error is the point
        assert text_of(heard).startswith("one")
        script()

    async def test_a_malformed_call_is_never_half_made(self, model: LanguageModel, script: Script) -> None:
        script(Reply(tool_calls=(Call("search_knowledge", written='{"query": "ta'),), finish="MALFORMED_FUNCTION_CALL"))
        with pytest.raises(ProviderError) as caught:
            await events_of(model, WITH_TOOL)
        assert caught.value.code == "broken_reply"
