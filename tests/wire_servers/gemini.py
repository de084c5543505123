"""A server that speaks the Gemini API and, under the same paths behind a project, Vertex AI."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.wire_servers.script import Call, Fault, Recorded, Reply
from tests.wire_servers.server import WireServer


class GeminiServer(WireServer):
    def routes(self) -> list[Route]:
        return [Route("/{path:path}", self._any, methods=["POST"])]

    async def _any(self, request: Request) -> Response:
        match request.url.path.rpartition(":")[2]:
            case "streamGenerateContent":
                return await self.chat(request)
            case "batchEmbedContents":
                return await self.embed(request, lambda body: [_text(one["content"]) for one in body["requests"]])
            case "embedContent":
                return await self.embed(request, lambda body: [_text(body["content"])])
            case "predict":
                return await self.embed(request, lambda body: [one["content"] for one in body["instances"]])
            case method:
                return Response(f"no method {method}", 404)

    def error_body(self, fault: Fault) -> dict[str, Any]:
        return {"error": {"code": fault.status, "message": fault.message, "status": fault.code or "SCRIPTED"}}

    def pieces(self, reply: Reply, request: Recorded) -> Iterator[str]:
        if reply.thought:
            yield _chunk([{"text": reply.thought, "thought": True}])
        for word in reply.words:
            yield _chunk([{"text": word}])
        parts = [_call_part(call) for call in reply.tool_calls]
        yield _chunk(parts, finish=reply.finish or "STOP", usage=reply.usage)

    def vectors_body(self, request: Recorded, vectors: list[list[float]]) -> dict[str, Any]:
        match request.path.rpartition(":")[2]:
            case "predict":
                return {"predictions": [{"embeddings": {"values": v, "statistics": {}}} for v in vectors]}
            case "embedContent":
                return {"embedding": {"values": vectors[0]}}
            case _:
                return {"embeddings": [{"values": v} for v in vectors]}

    def dimensions_asked(self, body: dict[str, Any]) -> int:
        first = (body.get("requests") or [body])[0]
        places = (first, first.get("embedContentConfig") or {}, body.get("parameters") or {})
        return next((int(p["outputDimensionality"]) for p in places if "outputDimensionality" in p), self.dimensions)


def _text(content: dict[str, Any]) -> str:
    return "".join(part.get("text", "") for part in content["parts"])


def _call_part(call: Call) -> dict[str, Any]:
    function: dict[str, Any] = {"name": call.name, "args": dict(call.arguments)}
    if call.id:
        function["id"] = call.id
    if call.signature:
        return {"functionCall": function, "thoughtSignature": base64.b64encode(call.signature).decode()}
    return {"functionCall": function}


def _chunk(parts: list[dict[str, Any]], finish: str | None = None, usage: tuple[int, int] | None = None) -> str:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    chunk: dict[str, Any] = {"candidates": [candidate]}
    if usage:
        chunk["usageMetadata"] = {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1]}
    return json.dumps(chunk)
