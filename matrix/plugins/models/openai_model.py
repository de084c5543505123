"""Any endpoint with OpenAI-compatible chat completions as the chat model. What it is asked is written in
`openai_prompt`; how it is reached, and what its errors mean, is in `matrix.plugins.vendors.openai`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from matrix.domain.chat import ModelEvent, ModelRequest, TextDelta, Usage
from matrix.errors import ProviderRefused, ProviderUnavailable
from matrix.plugins.models.openai_prompt import openai_body
from matrix.plugins.models.openai_tool_calls import ToolCallAssembly
from matrix.plugins.vendors.failures import broken_reply
from matrix.plugins.vendors.http_client import new_http_client
from matrix.plugins.vendors.openai import PROVIDER, OpenAiEndpoint, connect_openai, openai_failures
from matrix.plugins.vendors.patience import FOR_PEOPLE, TIMEOUTS, Patience, Timeouts, stream_patiently

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncStream
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

# the newer of OpenAI's own models refuse these, and most other servers know only the older name of the limit
_OPTIONAL = frozenset({"max_tokens", "max_completion_tokens", "temperature", "stream_options"})


class OpenAiModel:
    """LanguageModel port: streams text, then whole tool calls, then Usage.

    A parameter that the endpoint refuses by name is left out from then on. `http_client` is the caller's to close, and
    may be guarded. Errors: ProviderUnavailable (tried again by `patience` before the first event only),
    ProviderRefused, ProviderError with code `broken_reply`.
    """

    def __init__(
        self,
        endpoint: OpenAiEndpoint,
        *,
        model: str,
        timeouts: Timeouts = TIMEOUTS,
        patience: Patience = FOR_PEOPLE,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self.name = model
        self._endpoint = endpoint
        self._timeouts = timeouts
        self._patience = patience
        self._refused: frozenset[str] = frozenset()
        self._owns_client = http_client is None
        self._http_client = http_client or new_http_client(timeouts)
        self._client = connect_openai(endpoint, self._http_client)

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        return stream_patiently(partial(self._stream_once, request), self._patience, self._timeouts.total)

    async def aclose(self) -> None:
        if self._owns_client:
            await self._http_client.aclose()

    async def _stream_once(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        usage, finish, calls = Usage(), "", ToolCallAssembly()
        async with aclosing(self._chunks(request)) as chunks:
            async for chunk in chunks:
                with _shape_checked():
                    usage = _usage(chunk) or usage
                    finish = _finish(chunk) or finish
                    text = _text(chunk)
                    calls.add(_call_pieces(chunk))
                if text:
                    yield TextDelta(text)
        _check_finish(finish)
        for call in calls.calls():
            yield call
        yield replace(usage, cut_off=finish == "length")

    async def _chunks(self, request: ModelRequest) -> AsyncGenerator[ChatCompletionChunk, None]:
        with openai_failures(self._endpoint):
            async with await self._open(request) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def _open(self, request: ModelRequest) -> AsyncStream[ChatCompletionChunk]:
        import openai  # noqa: PLC0415  # most of a second to load

        while True:
            try:
                opened = await self._client.post(
                    "/chat/completions",
                    body=self._body(request),
                    cast_to=openai.types.chat.ChatCompletion,
                    stream=True,
                    stream_cls=openai.AsyncStream[openai.types.chat.ChatCompletionChunk],
                )
            except openai.BadRequestError as error:
                if error.param not in _OPTIONAL - self._refused:
                    raise
                self._refused |= {error.param}
            else:
                return opened

    def _body(self, request: ModelRequest) -> dict[str, object]:
        body = openai_body(request, self.name)
        limit = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        body[limit] = request.max_output_tokens
        return {name: value for name, value in body.items() if name not in self._refused}


@contextmanager
def _shape_checked() -> Iterator[None]:
    # the SDK builds its objects from whatever JSON comes, unchecked; its strict mode refuses most other servers
    try:
        yield
    except (AttributeError, TypeError) as error:
        raise broken_reply(PROVIDER, "it has another shape than documented") from error


def _usage(chunk: ChatCompletionChunk) -> Usage | None:
    spent = chunk.usage
    return Usage(spent.prompt_tokens or 0, spent.completion_tokens or 0) if spent is not None else None


def _finish(chunk: ChatCompletionChunk) -> str:
    return (chunk.choices[0].finish_reason or "") if chunk.choices else ""


def _text(chunk: ChatCompletionChunk) -> str:
    return (chunk.choices[0].delta.content or "") if chunk.choices else ""


def _call_pieces(chunk: ChatCompletionChunk) -> Sequence[ChoiceDeltaToolCall]:
    return (chunk.choices[0].delta.tool_calls or ()) if chunk.choices else ()


def _check_finish(reason: str) -> None:
    if not reason:
        raise ProviderUnavailable(f"{PROVIDER} broke off in the middle of its answer.")
    if reason == "content_filter":
        raise ProviderRefused(f"{PROVIDER} declined to answer ({reason}).")
    if reason not in {"stop", "length", "tool_calls", "function_call"}:
        raise broken_reply(PROVIDER, f"it ended with «{reason}»")
