"""The server-sent events of a chat: their order, and the data of each."""

from __future__ import annotations

from typing import Any

from matrix.api.rest.shapes.chat import (
    AnswerableEvent,
    ChatAnswer,
    CitationsEvent,
    SentenceEvent,
    SessionEvent,
    TokenEvent,
    ToolCall,
)
from matrix.api.rest.shapes.components import reference
from matrix.api.rest.shapes.problems import Problem

EVENTS: dict[str, type] = {
    "session": SessionEvent,
    "tool": ToolCall,
    "answerable": AnswerableEvent,
    "token": TokenEvent,
    "sentence": SentenceEvent,
    "citations": CitationsEvent,
    "done": ChatAnswer,
    "error": Problem,
}
IN_WORDS = """\
With `stream: true`. Each event has a name (`event:`) and a JSON object (`data:`).

- `session`, the first: `sessionId`, by which the answer can be stopped.
- `tool`: a tool was used, such as a search; as an item of `toolCalls`.
- `answerable`: whether the sources contain the answer, before anything of it.
- `token`: the next piece of `text`, not checked yet.
- `sentence`: checked `text` with its `citations`, in place of all tokens since the last such event.
- `citations`: all of them.
- `done`, the last: the whole answer, as without `stream`.
- `error`, in place of `done`: a problem document. What came before it is not saved.
"""
EXAMPLE = """\
event: session
data: {"sessionId": "01K3Z7"}

event: tool
data: {"name": "search_knowledge", "arguments": {"query": "allowance"}, "summary": "3 passages", "isError": false}

event: answerable
data: {"answerable": true}

event: token
data: {"text": "48 euros a day"}

event: sentence
data: {"text": "48 euros a day [1].", "citations": [{"marker": 1, "documentName": "travel.md", …}]}

event: citations
data: {"citations": [{"marker": 1, "documentName": "travel.md", …}]}

event: done
data: {"sessionId": "01K3Z7", "messageId": "01K3Z8", "answer": "48 euros a day [1].", "answerable": true, …}
"""


def event_stream() -> dict[str, Any]:
    """The content of a response. `x-events` holds the schema of each event's data, for programs: OpenAPI 3.1 has no
    word for it."""
    return {
        "text/event-stream": {
            "schema": {"type": "string", "description": IN_WORDS},
            "example": EXAMPLE,
            "x-events": {name: reference(shape) for name, shape in EVENTS.items()},
        }
    }
