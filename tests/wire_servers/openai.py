"""A server that speaks OpenAI's chat completions (streamed), embeddings and models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.wire_servers.script import Call, Fault, Recorded, Reply
from tests.wire_servers.server import WireServer


class OpenAiServer(WireServer):
    prefix = "/v1"

    def routes(self) -> list[Route]:
        return [
            Route("/v1/chat/completions", self.chat, methods=["POST"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/v1/models", self._models, methods=["GET"]),
        ]

    def error_body(self, fault: Fault) -> dict[str, Any]:
        error = {"message": fault.message, "type": "scripted", "param": fault.param, "code": fault.code}
        return {"error": error}

    def pieces(self, reply: Reply, request: Recorded) -> Iterator[str]:
        model = request.body.get("model", "")
        yield _chunk(model, {"role": "assistant", "content": ""})
        for word in reply.words:
            yield _chunk(model, {"content": word})
        for place, call in enumerate(reply.tool_calls):
            yield from (_chunk(model, {"tool_calls": [piece]}) for piece in _call_pieces(place, call))
        yield _chunk(model, {}, finish=reply.finish or ("tool_calls" if reply.tool_calls else "stop"))
        if request.body.get("stream_options", {}).get("include_usage"):
            spent = {"prompt_tokens": reply.usage[0], "completion_tokens": reply.usage[1], "total_tokens": 0}
            yield json.dumps({**_frame(model), "choices": [], "usage": spent})
        yield "[DONE]"

    def vectors_body(self, request: Recorded, vectors: list[list[float]]) -> dict[str, Any]:
        rows = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
        # in no order, as the format allows: the index counts
        return {"object": "list", "data": rows[::-1], "model": request.body["model"], "usage": {}}

    def dimensions_asked(self, body: dict[str, Any]) -> int:
        return int(body.get("dimensions", self.dimensions))

    async def _embeddings(self, request: Request) -> Response:
        return await self.embed(request, lambda body: list(body["input"]))

    async def _models(self, request: Request) -> Response:
        await self._record("models", request)
        return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model"}]})


def _call_pieces(place: int, call: Call) -> Iterator[dict[str, Any]]:
    """As real servers do: first id and name, then the arguments in two halves."""
    written = json.dumps(dict(call.arguments)) if call.written is None else call.written
    middle = len(written) // 2
    named = {"name": call.name, "arguments": ""}
    yield {"index": place, "id": call.id or f"call_{place}", "type": "function", "function": named}
    for half in (written[:middle], written[middle:]):
        yield {"index": place, "function": {"arguments": half}}


def _chunk(model: str, delta: dict[str, Any], finish: str | None = None) -> str:
    return json.dumps({**_frame(model), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _frame(model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
