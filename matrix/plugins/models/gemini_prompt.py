"""A ModelRequest in Gemini's words. Pure; the call itself is in `gemini_model`."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from google.genai import types

from matrix.domain.chat import ChatMessage, ModelRequest, Speaker, ToolCall, ToolResult

_SIGNS_CALLS = re.compile(r"gemini-(?:[3-9]|\d\d)")
# Google's documented stand-in for the signature of a call that the model did not make itself: the runtime makes the
# first search of a turn, and without one Gemini 3 and later refuse the prompt
_UNSIGNED = b"skip_thought_signature_validator"


def gemini_config(request: ModelRequest) -> types.GenerateContentConfig:
    """Instructions, tools and limits. The SDK is kept from running tools by itself."""
    instructions = "\n\n".join(m.text for m in request.messages if m.speaker is Speaker.SYSTEM)
    return types.GenerateContentConfig(
        system_instruction=instructions or None,
        temperature=request.temperature,
        max_output_tokens=request.max_output_tokens,
        tools=_tools(request),
        tool_config=_tool_config(request),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def gemini_contents(request: ModelRequest, model: str) -> list[types.Content]:
    """The conversation without its instructions; results of calls that were made together stand together."""
    contents: list[types.Content] = []
    previous: Speaker | None = None
    for message in request.messages:
        if message.speaker is Speaker.SYSTEM:
            continue
        parts = list(_parts(message, model))
        if message.speaker is Speaker.TOOL and previous is Speaker.TOOL:
            contents[-1] = types.Content(role="user", parts=[*(contents[-1].parts or ()), *parts])
        else:
            role = "model" if message.speaker is Speaker.ASSISTANT else "user"
            contents.append(types.Content(role=role, parts=parts))
        previous = message.speaker
    return contents


def _parts(message: ChatMessage, model: str) -> Iterator[types.Part]:
    if message.tool_result is not None:
        yield _result_part(message.tool_result)
        return
    if message.text or not message.tool_calls:
        yield types.Part(text=message.text)
    for number, call in enumerate(message.tool_calls):
        yield _call_part(call, first=number == 0, model=model)


def _call_part(call: ToolCall, *, first: bool, model: str) -> types.Part:
    signature = base64.b64decode(call.opaque) if call.opaque else None
    if signature is None and first and _SIGNS_CALLS.search(model):
        signature = _UNSIGNED
    return types.Part(
        function_call=types.FunctionCall(id=call.id, name=call.name, args=dict(call.arguments)),
        thought_signature=signature,
    )


def _result_part(result: ToolResult) -> types.Part:
    key = "error" if result.is_error else "output"
    return types.Part(
        function_response=types.FunctionResponse(id=result.call_id, name=result.name, response={key: result.content})
    )


def _tools(request: ModelRequest) -> types.ToolListUnion | None:
    if not request.tools:
        return None
    declared = [
        types.FunctionDeclaration(
            name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
        )
        for tool in request.tools
    ]
    return [types.Tool(function_declarations=declared)]


def _tool_config(request: ModelRequest) -> types.ToolConfig | None:
    match request.forced_tool:
        case None:
            return None
        case "":
            choice = types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.NONE)
        case name:
            choice = types.FunctionCallingConfig(
                mode=types.FunctionCallingConfigMode.ANY, allowed_function_names=[name]
            )
    return types.ToolConfig(function_calling_config=choice) if request.tools else None
