"""The Gemini chat model over the wire: what it sends, and how it takes what may come back."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from google.oauth2.credentials import Credentials

from matrix.domain.chat import ChatMessage, ModelRequest, Speaker, ToolCall, ToolResult, Usage
from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from matrix.plugins.models.gemini_model import GeminiModel
from matrix.plugins.vendors.gemini import GeminiKey, VertexProject
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
from tests.wire_servers.gemini import GeminiServer
from tests.wire_servers.script import Call, Fault, Reply

KEY = "AIza-canary-0123456789"
AT_ONCE = Patience(tries=4, first=0)


@pytest.fixture
def server() -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        yield server


@pytest.fixture
async def model(server: GeminiServer) -> AsyncIterator[GeminiModel]:
    model = GeminiModel(GeminiKey(KEY, server.base_url), model="gemini-2.5-flash", patience=AT_ONCE)
    yield model
    await model.aclose()


@pytest.mark.feature("A10")
class TestContract(LanguageModelContract):
    @pytest.fixture
    def script(self, server: GeminiServer) -> Script:
        return server.script


async def test_the_request_in_full(model: GeminiModel, server: GeminiServer) -> None:
    calls = (ToolCall("c1", "search_knowledge", {"query": "a"}), ToolCall("c2", "search_knowledge", {"query": "b"}))
    messages = (
        *QUESTION.messages,
        ChatMessage(Speaker.ASSISTANT, tool_calls=calls),
        ChatMessage(Speaker.TOOL, tool_result=ToolResult("c1", "search_knowledge", "found")),
        ChatMessage(Speaker.TOOL, tool_result=ToolResult("c2", "search_knowledge", "broken", is_error=True)),
    )
    await events_of(model, ModelRequest(messages, (SEARCH,), "search_knowledge", temperature=0.5, max_output_tokens=99))
    sent = server.requests[0]
    assert sent.path == "/v1beta/models/gemini-2.5-flash:streamGenerateContent"
    assert sent.headers["x-goog-api-key"] == KEY
    assert sent.body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert sent.body["contents"] == [
        {"role": "user", "parts": [{"text": "When is tax due?"}]},
        {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "c1", "name": "search_knowledge", "args": {"query": "a"}}},
                {"functionCall": {"id": "c2", "name": "search_knowledge", "args": {"query": "b"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "search_knowledge", "response": {"output": "found"}}},
                {"functionResponse": {"id": "c2", "name": "search_knowledge", "response": {"error": "broken"}}},
            ],
        },
    ]
    assert sent.body["generationConfig"] == {"temperature": 0.5, "maxOutputTokens": 99}
    assert sent.body["toolConfig"] == {
        "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["search_knowledge"]}
    }
    declared = sent.body["tools"][0]["functionDeclarations"][0]
    assert declared["name"] == "search_knowledge"
    assert declared["parameters_json_schema"] == SEARCH.parameters


@pytest.mark.parametrize(("forced", "config"), [("", {"functionCallingConfig": {"mode": "NONE"}}), (None, None)])
async def test_tools_may_be_forbidden_or_left_to_the_model(
    model: GeminiModel, server: GeminiServer, forced: str | None, config: object
) -> None:
    await events_of(model, ModelRequest(QUESTION.messages, (SEARCH,), forced))
    assert server.requests[0].body.get("toolConfig") == config


async def test_thoughts_are_left_out(model: GeminiModel, server: GeminiServer) -> None:
    server.script(Reply("In April.", thought="The user wants a date."))
    assert text_of(await events_of(model, QUESTION)) == "In April."


async def test_the_signature_of_a_call_goes_back_with_it(server: GeminiServer) -> None:
    model = GeminiModel(GeminiKey(KEY, server.base_url), model="gemini-3.8-flash", patience=AT_ONCE)
    server.script(
        Reply(
            tool_calls=(Call("search_knowledge", {"query": "a"}, signature=b"\x00signed\xff"), Call("search_knowledge"))
        )
    )
    calls = tuple(e for e in await events_of(model, WITH_TOOL) if isinstance(e, ToolCall))
    answered = (ChatMessage(Speaker.TOOL, tool_result=ToolResult(c.id, c.name, "found")) for c in calls)
    await events_of(
        model,
        ModelRequest((*QUESTION.messages, ChatMessage(Speaker.ASSISTANT, tool_calls=calls), *answered), (SEARCH,)),
    )
    first, second = server.requests[1].body["contents"][1]["parts"]
    assert base64.b64decode(first["thoughtSignature"]) == b"\x00signed\xff"
    assert "thoughtSignature" not in second
    await model.aclose()


@pytest.mark.parametrize(
    ("name", "stand_in"), [("gemini-2.5-pro", False), ("gemini-3-pro", True), ("gemini-4-argon", True)]
)
async def test_a_call_that_the_runtime_made_is_excused_where_signatures_are_asked_for(
    server: GeminiServer, name: str, stand_in: bool
) -> None:
    model = GeminiModel(GeminiKey(KEY, server.base_url), model=name, patience=AT_ONCE)
    made = ChatMessage(Speaker.ASSISTANT, tool_calls=(ToolCall("own-1", "search_knowledge", {"query": "a"}),))
    result = ChatMessage(Speaker.TOOL, tool_result=ToolResult("own-1", "search_knowledge", "found"))
    await events_of(model, ModelRequest((*QUESTION.messages, made, result), (SEARCH,)))
    part = server.requests[0].body["contents"][1]["parts"][0]
    assert (part.get("thoughtSignature") == base64.b64encode(b"skip_thought_signature_validator").decode()) == stand_in
    await model.aclose()


async def test_the_wait_that_stands_in_the_body_is_read(model: GeminiModel, server: GeminiServer) -> None:
    detail = '{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3600s"}'
    body = f'{{"error": {{"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow", "details": [{detail}]}}}}'
    server.script(Fault(429, body=body))
    with pytest.raises(ProviderUnavailable) as caught:
        await events_of(model, QUESTION)
    assert caught.value.retry_after == 3600
    assert len(server.requests) == 1


async def test_tries_are_counted_here_alone(model: GeminiModel, server: GeminiServer) -> None:
    server.script(*[Fault(503)] * 9)
    with pytest.raises(ProviderUnavailable, match="503"):
        await events_of(model, QUESTION)
    assert len(server.requests) == AT_ONCE.tries


async def test_after_the_first_word_nothing_is_asked_again(model: GeminiModel, server: GeminiServer) -> None:
    server.script(Reply("one two three four", cut_after=2))
    with pytest.raises(ProviderUnavailable):
        await events_of(model, QUESTION)
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", ['data: {"candidates": [{\n\n', 'data: {"candidates": 7}\n\n'])
async def test_broken_json_is_a_broken_reply(model: GeminiModel, server: GeminiServer, body: str) -> None:
    server.script(Fault(200, body=body))
    with pytest.raises(ProviderError) as caught:
        await events_of(model, QUESTION)
    assert caught.value.code == "broken_reply"


@pytest.mark.parametrize("reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT"])
async def test_a_declined_answer_is_a_refusal(model: GeminiModel, server: GeminiServer, reason: str) -> None:
    server.script(Reply("I", finish=reason))
    with pytest.raises(ProviderRefused, match=reason):
        await events_of(model, QUESTION)


async def test_a_blocked_question_is_a_refusal(model: GeminiModel, server: GeminiServer) -> None:
    server.script(Fault(200, body='data: {"promptFeedback": {"blockReason": "SAFETY"}}\n\n'))
    with pytest.raises(ProviderRefused, match="SAFETY"):
        await events_of(model, QUESTION)


async def test_a_stalled_stream_ends(server: GeminiServer) -> None:
    server.script(Reply("one two three", pause=5))
    model = GeminiModel(
        GeminiKey(KEY, server.base_url), model="m", timeouts=Timeouts(1, 0.1, 20), patience=Patience(tries=1)
    )
    with pytest.raises(ProviderUnavailable, match="reached"):
        await events_of(model, QUESTION)
    await model.aclose()


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
async def test_errors_never_hold_the_key(model: GeminiModel, server: GeminiServer, status: int) -> None:
    server.script(*[Fault(status, f"API key {KEY} is not valid")] * 4)
    with pytest.raises(ProviderError) as caught:
        await events_of(model, QUESTION)
    shown = f"{caught.value!r} {caught.value.message} {caught.value.advice} {GeminiKey(KEY)!r}"
    assert KEY not in shown
    assert caught.value.__suppress_context__


async def test_the_environment_does_not_leak_in(server: GeminiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"):
        monkeypatch.setenv(name, "leaked")
    for name in ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "leaked")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9/leaked")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    model = GeminiModel(GeminiKey(KEY, server.base_url), model="m", patience=AT_ONCE)
    await events_of(model, QUESTION)
    assert server.requests[0].path == "/v1beta/models/m:streamGenerateContent"
    assert "leaked" not in str(server.requests[0].headers)
    await model.aclose()


async def test_through_vertex(server: GeminiServer) -> None:
    token = Credentials(token="token-1")  # type: ignore[no-untyped-call]  # google-auth has no types here
    access = VertexProject("my-project", "europe-west1", server.base_url, token)
    model = GeminiModel(access, model="gemini-2.5-flash", patience=AT_ONCE)
    assert text_of(await events_of(model, QUESTION)) == "Fine."
    place = "/v1beta1/projects/my-project/locations/europe-west1/publishers/google/models/gemini-2.5-flash"
    assert server.requests[0].path == f"{place}:streamGenerateContent"
    assert server.requests[0].headers["authorization"] == "Bearer token-1"
    await model.aclose()


async def test_a_client_that_is_passed_in_is_used_and_left_open(server: GeminiServer) -> None:
    seen = []

    async def note(request: httpx2.Request) -> None:
        seen.append((request.url.path, request.extensions["timeout"]["read"]))

    async with httpx2.AsyncClient(event_hooks={"request": [note]}, trust_env=False) as guarded:
        model = GeminiModel(GeminiKey(KEY, server.base_url), model="m", http_client=guarded)
        await events_of(model, QUESTION)
        await model.aclose()
        assert seen == [("/v1beta/models/m:streamGenerateContent", 60)]  # the SDK would take its timeouts away
        assert not guarded.is_closed


@pytest.mark.parametrize(("finish", "cut"), [("MAX_TOKENS", True), ("STOP", False)])
async def test_an_answer_that_the_token_limit_ended_says_so(
    model: GeminiModel, server: GeminiServer, finish: str, cut: bool
) -> None:
    server.script(Reply("Only half", finish=finish))
    ended = (await events_of(model, QUESTION))[-1]
    assert isinstance(ended, Usage) and ended.cut_off is cut
