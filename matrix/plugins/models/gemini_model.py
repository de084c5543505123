"""Gemini as the chat model. What it is asked is written in `gemini_prompt`; how it is reached, and what its errors
mean, is in `matrix.plugins.vendors.gemini`."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from matrix.domain.chat import ModelEvent, ModelRequest, TextDelta, ToolCall, Usage
from matrix.domain.ids import new_id
from matrix.errors import ProviderRefused, ProviderUnavailable
from matrix.plugins.vendors.failures import broken_reply
from matrix.plugins.vendors.gemini import PROVIDER, GeminiAccess, connect_gemini, gemini_failures
from matrix.plugins.vendors.http_client import new_http_client
from matrix.plugins.vendors.patience import FOR_PEOPLE, TIMEOUTS, Patience, Timeouts, stream_patiently

if TYPE_CHECKING:
    import httpx2
    from google.genai import types

_FINISHED = frozenset({"STOP", "MAX_TOKENS"})
_BROKEN = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE", "TOO_MANY_TOOL_CALLS"})


class GeminiModel:
    """LanguageModel port: streams text and whole tool calls, then Usage; the model's thoughts are left out.

    `http_client` is the caller's to close, and may be guarded. Errors: ProviderUnavailable (tried again by `patience`
    before the first event only), ProviderRefused (safety too), ProviderError with code `broken_reply`.
    """

    def __init__(
        self,
        access: GeminiAccess,
        *,
        model: str,
        timeouts: Timeouts = TIMEOUTS,
        patience: Patience = FOR_PEOPLE,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self.name = model
        self._access = access
        self._timeouts = timeouts
        self._patience = patience
        self._owns_client = http_client is None
        self._http_client = http_client or new_http_client(timeouts)
        self._client = connect_gemini(access, self._http_client, timeouts)

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        return stream_patiently(partial(self._stream_once, request), self._patience, self._timeouts.total)

    async def aclose(self) -> None:
        if self._owns_client:
            await self._http_client.aclose()

    async def _stream_once(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        usage, finish = Usage(), ""
        async with aclosing(self._replies(request)) as replies:
            async for reply in replies:
                usage = _usage(reply) or usage
                finish = _finish(reply) or finish
                for event in _events(reply):
                    yield event
        _check_finish(finish)
        yield replace(usage, cut_off=finish == "MAX_TOKENS")

    async def _replies(self, request: ModelRequest) -> AsyncGenerator[types.GenerateContentResponse, None]:
        from matrix.plugins.models.gemini_prompt import gemini_config, gemini_contents  # noqa: PLC0415  # heavy SDK

        with gemini_failures(self._access):
            replies = await self._client.aio.models.generate_content_stream(
                model=self.name, contents=gemini_contents(request, self.name), config=gemini_config(request)
            )
            async for reply in replies:
                yield reply


def _events(reply: types.GenerateContentResponse) -> Iterator[ModelEvent]:
    content = reply.candidates[0].content if reply.candidates else None
    for part in (content.parts if content else None) or ():
        if part.function_call is not None:
            yield _tool_call(part, part.function_call)
        elif part.text and not part.thought:
            yield TextDelta(part.text)


def _tool_call(part: types.Part, call: types.FunctionCall) -> ToolCall:
    if not call.name:
        raise broken_reply(PROVIDER, "a function call without a name")
    signature = base64.b64encode(part.thought_signature or b"").decode()
    return ToolCall(call.id or new_id(), call.name, dict(call.args or {}), opaque=signature)


def _usage(reply: types.GenerateContentResponse) -> Usage | None:
    counted = reply.usage_metadata
    if counted is None:
        return None
    return Usage(
        counted.prompt_token_count or 0, (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
    )


def _finish(reply: types.GenerateContentResponse) -> str:
    if reply.prompt_feedback is not None and reply.prompt_feedback.block_reason is not None:
        return reply.prompt_feedback.block_reason.value
    reason = reply.candidates[0].finish_reason if reply.candidates else None
    return reason.value if reason is not None else ""


def _check_finish(reason: str) -> None:
    if reason in _FINISHED:
        return
    if not reason:
        raise ProviderUnavailable(f"{PROVIDER} broke off in the middle of its answer.")
    if reason in _BROKEN:
        raise broken_reply(PROVIDER, f"its function call is malformed ({reason})")
    raise ProviderRefused(f"{PROVIDER} declined to answer ({reason}).")
