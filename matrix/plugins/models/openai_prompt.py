"""A ModelRequest in the words of OpenAI's chat completions. Pure; the call itself is in `openai_model`."""

from __future__ import annotations

import json

from matrix.domain.chat import ChatMessage, ModelRequest, Speaker, ToolCall, ToolSpec

_ROLES = {Speaker.SYSTEM: "system", Speaker.USER: "user", Speaker.ASSISTANT: "assistant", Speaker.TOOL: "tool"}


def openai_body(request: ModelRequest, model: str) -> dict[str, object]:
    """The request body, but for the limit of output tokens, whose name differs between servers."""
    body: dict[str, object] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "temperature": request.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.forced_tool is not None:
            body["tool_choice"] = _choice(request.forced_tool)
    return body


def _message(message: ChatMessage) -> dict[str, object]:
    if message.tool_result is not None:
        result = message.tool_result
        content = f"Error: {result.content}" if result.is_error else result.content
        return {"role": "tool", "tool_call_id": result.call_id, "content": content}
    spoken: dict[str, object] = {"role": _ROLES[message.speaker], "content": message.text}
    if message.tool_calls:
        spoken["tool_calls"] = [_call(call) for call in message.tool_calls]
        spoken["content"] = message.text or None
    return spoken


def _call(call: ToolCall) -> dict[str, object]:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(tool: ToolSpec) -> dict[str, object]:
    described = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": described}


def _choice(forced: str) -> object:
    return {"type": "function", "function": {"name": forced}} if forced else "none"
