"""The OpenAI-compatible chat model over the wire: what it sends, and how it takes what may come back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from matrix.domain.chat import ChatMessage, ModelRequest, Speaker, ToolCall, ToolResult, Usage
from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from matrix.plugins.models.openai_model import OpenAiModel
from matrix.plugins.vendors.openai import OpenAiEndpoint
from matrix.plugins.vendors.patience import Patience, Timeouts
from tests.contracts.language_model import (
    QUESTION,
    SEARCH,
    WITH_TOOL,
    LanguageModelContract,
    Script,
    events_of,
    text_of,
)
from tests.wire_servers.openai import OpenAiServer
from tests.wire_servers.script import Call, Fault, Reply

KEY = "sk-canary-0123456789"
AT_ONCE = Patience(tries=4, first=0)


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer() as server:
        yield server


@pytest.fixture
async def model(server: OpenAiServer) -> AsyncIterator[OpenAiModel]:
    model = OpenAiModel(OpenAiEndpoint(server.base_url, KEY), model="m-1", patience=AT_ONCE)
    yield model
    await model.aclose()


@pytest.mark.feature("A10")
class TestContract(LanguageModelContract):
    @pytest.fixture
    def script(self, server: OpenAiServer) -> Script:
        return server.script


async def test_the_request_in_full(model: OpenAiModel, server: OpenAiServer) -> None:
    call = ToolCall("c1", "search_knowledge", {"query": "é"})
    result = ToolResult("c1", "search_knowledge", "found")
    messages = (
        *QUESTION.messages,
        ChatMessage(Speaker.ASSISTANT, tool_calls=(call,)),
        ChatMessage(Speaker.TOOL, tool_result=result),
    )
    await events_of(model, ModelRequest(messages, (SEARCH,), "search_knowledge", temperature=0.5, max_output_tokens=99))
    sent = server.requests[0]
    function = {"name": "search_knowledge", "arguments": '{"query": "é"}'}
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body == {
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "When is tax due?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "found"},
        ],
        "temperature": 0.5,
        "max_tokens": 99,
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "search_knowledge",
                    "description": SEARCH.description,
                    "parameters": SEARCH.parameters,
                },
            }
        ],
        "tool_choice": {"type": "function", "function": {"name": "search_knowledge"}},
    }


@pytest.mark.parametrize(("forced", "choice"), [("", "none"), (None, None)])
async def test_tools_may_be_forbidden_or_left_to_the_model(
    model: OpenAiModel, server: OpenAiServer, forced: str | None, choice: str | None
) -> None:
    await events_of(model, ModelRequest(QUESTION.messages, (SEARCH,), forced))
    assert server.requests[0].body.get("tool_choice") == choice


async def test_parameters_that_the_endpoint_refuses_are_left_out_from_then_on(
    model: OpenAiModel, server: OpenAiServer
) -> None:
    server.script(Fault(400, "use the other", param="max_tokens"), Fault(400, "not this one", param="temperature"))
    assert text_of(await events_of(model, QUESTION)) == "Fine."
    await events_of(model, QUESTION)
    assert len(server.requests) == 4
    assert server.requests[-1].body["max_completion_tokens"] == QUESTION.max_output_tokens
    assert {"max_tokens", "temperature"}.isdisjoint(server.requests[-1].body)


async def test_a_refusal_for_another_reason_is_not_tried_again(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(Fault(400, "no such tool", param="tools"))
    with pytest.raises(ProviderRefused, match="no such tool"):
        await events_of(model, WITH_TOOL)
    assert len(server.requests) == 1


async def test_a_used_up_quota_is_lasting_although_it_is_a_429(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(Fault(429, code="insufficient_quota"))
    with pytest.raises(ProviderRefused, match="quota"):
        await events_of(model, QUESTION)
    assert len(server.requests) == 1


async def test_tries_are_counted_and_the_last_failure_is_told(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(*[Fault(500)] * 9)
    with pytest.raises(ProviderUnavailable, match="500"):
        await events_of(model, QUESTION)
    assert len(server.requests) == AT_ONCE.tries


async def test_a_long_retry_after_is_for_the_caller_to_wait(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(Fault(429, retry_after=3600))
    with pytest.raises(ProviderUnavailable) as caught:
        await events_of(model, QUESTION)
    assert caught.value.retry_after == 3600
    assert len(server.requests) == 1


async def test_after_the_first_word_nothing_is_asked_again(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(Reply("one two three four", cut_after=3))
    with pytest.raises(ProviderUnavailable):
        await events_of(model, QUESTION)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body", ["data: {broken\n\n", 'data: {"choices": 7}\n\n', 'data: {"choices": [7]}\n\n', "data: []\n\n"]
)
async def test_broken_json_is_a_broken_reply(model: OpenAiModel, server: OpenAiServer, body: str) -> None:
    server.script(Fault(200, body=body))
    with pytest.raises(ProviderError) as caught:
        await events_of(model, QUESTION)
    assert caught.value.code == "broken_reply"


async def test_an_error_event_inside_the_stream(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(*[Fault(200, body='data: {"error": {"message": "overloaded", "code": 503}}\n\n')] * 4)
    with pytest.raises(ProviderUnavailable):
        await events_of(model, QUESTION)


async def test_calls_that_all_claim_index_0_stay_apart(model: OpenAiModel, server: OpenAiServer) -> None:
    # as some servers send them: whole calls, each with its own id
    pieces = [
        f'{{"index": 0, "id": "c{n}", "function": {{"name": "now", "arguments": "{{\\"n\\": {n}}}"}}}}' for n in (1, 2)
    ]
    chunks = [f'data: {{"choices": [{{"index": 0, "delta": {{"tool_calls": [{p}]}}}}]}}\n\n' for p in pieces]
    end = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}\n\ndata: [DONE]\n\n'
    server.script(Fault(200, body="".join(chunks) + end))
    calls = [e for e in await events_of(model, WITH_TOOL) if isinstance(e, ToolCall)]
    assert [(c.id, dict(c.arguments)) for c in calls] == [("c1", {"n": 1}), ("c2", {"n": 2})]


async def test_a_call_that_was_cut_by_the_token_limit_is_no_call(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(Reply(tool_calls=(Call("search_knowledge", written='{"query": "ta'),), finish="length"))
    with pytest.raises(ProviderError) as caught:
        await events_of(model, WITH_TOOL)
    assert caught.value.code == "broken_reply"


async def test_a_filtered_answer_is_a_refusal(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(Reply("I", finish="content_filter"))
    with pytest.raises(ProviderRefused, match="declined"):
        await events_of(model, QUESTION)


async def test_a_stalled_stream_ends(server: OpenAiServer) -> None:
    server.script(Reply("one two three", pause=5))
    timeouts = Timeouts(connect=1, read=0.1, total=20)
    model = OpenAiModel(OpenAiEndpoint(server.base_url), model="m", timeouts=timeouts, patience=Patience(tries=1))
    with pytest.raises(ProviderUnavailable, match="reached"):
        await events_of(model, QUESTION)
    await model.aclose()


async def test_a_stream_that_trickles_on_ends_at_the_total(server: OpenAiServer) -> None:
    server.script(Reply("on and on " * 500, pause=0.02))
    timeouts = Timeouts(connect=1, read=5, total=0.3)
    model = OpenAiModel(OpenAiEndpoint(server.base_url), model="m", timeouts=timeouts, patience=AT_ONCE)
    heard = []
    with pytest.raises(ProviderUnavailable, match=r"within 0\.3 seconds"):
        async for event in model.stream(QUESTION):
            heard.append(event)  # noqa: PERF401
    assert heard
    await model.aclose()


async def test_nobody_listens(server: OpenAiServer) -> None:
    model = OpenAiModel(OpenAiEndpoint("http://127.0.0.1:9/v1"), model="m", patience=AT_ONCE)
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        await events_of(model, QUESTION)
    await model.aclose()


async def test_a_redirect_is_not_followed(model: OpenAiModel, server: OpenAiServer) -> None:
    server.script(Fault(307, body="{}"))
    with pytest.raises(ProviderRefused, match="307"):
        await events_of(model, QUESTION)


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
async def test_errors_never_hold_the_key(model: OpenAiModel, server: OpenAiServer, status: int) -> None:
    server.script(*[Fault(status, f"Incorrect API key provided: {KEY}, or {KEY[:8]}****")] * 4)
    with pytest.raises(ProviderError) as caught:
        await events_of(model, QUESTION)
    shown = f"{caught.value!r} {caught.value.message} {caught.value.advice} {OpenAiEndpoint(api_key=KEY)!r}"
    assert KEY not in shown
    assert caught.value.__suppress_context__


async def test_the_environment_does_not_leak_in(server: OpenAiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "leaked")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: leaked")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/leaked")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    model = OpenAiModel(OpenAiEndpoint(server.base_url, ""), model="m", patience=AT_ONCE)
    await events_of(model, QUESTION)
    assert "leaked" not in str(server.requests[0].headers)
    await model.aclose()


async def test_a_client_that_is_passed_in_is_used_and_left_open(server: OpenAiServer) -> None:
    seen = []

    async def note(request: httpx2.Request) -> None:
        seen.append(request.url.path)

    async with httpx2.AsyncClient(event_hooks={"request": [note]}, trust_env=False) as guarded:
        model = OpenAiModel(OpenAiEndpoint(server.base_url), model="m", http_client=guarded)
        await events_of(model, QUESTION)
        await model.aclose()
        assert seen == ["/v1/chat/completions"]
        assert not guarded.is_closed


@pytest.mark.parametrize(("finish", "cut"), [("length", True), ("stop", False)])
async def test_an_answer_that_the_token_limit_ended_says_so(
    model: OpenAiModel, server: OpenAiServer, finish: str, cut: bool
) -> None:
    server.script(Reply("Only half", finish=finish))
    assert (await events_of(model, WITH_TOOL))[-1] == Usage(7, 3, cut_off=cut)
