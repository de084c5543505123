"""The events of a streamed answer: the same, in the same order, as REST's server-sent ones. A failure is a GraphQL
error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import strawberry

from matrix.api.graphql.types.retrieval import Answer, Citation, ToolRun
from matrix.domain import chat


@strawberry.type(description="Comes first: the session to go on in.")
class ChatSession:
    session_id: strawberry.ID


@strawberry.type(description="Whether the sources contain the answer.")
class ChatAnswerable:
    answerable: bool


@strawberry.type(description="The next piece of text; provisional until its sentence is checked.")
class ChatToken:
    text: str


@strawberry.type(description="A checked sentence; takes the place of the tokens since the last one.")
class ChatSentence:
    text: str
    citations: list[Citation]


@strawberry.type(description="A tool was used.")
class ChatTool:
    tool: ToolRun


@strawberry.type(description="All citations of the answer.")
class ChatCitations:
    citations: list[Citation]


@strawberry.type(description="Comes last: the answer as it was saved.")
class ChatDone:
    answer: Answer


ChatEvent = Annotated[
    ChatSession | ChatAnswerable | ChatToken | ChatSentence | ChatTool | ChatCitations | ChatDone,
    strawberry.union("ChatEvent"),
]


def shown_events(event: chat.ChatEvent) -> Sequence[Any]:
    """A chat event as it goes out. The domain's values stand in for citations, tools and answers: Strawberry reads
    their attributes."""
    inner: Any = event
    match event:
        case chat.Answerable(answerable):
            return [ChatAnswerable(answerable=answerable)]
        case chat.TextDelta(text):
            return [ChatToken(text=text)]
        case chat.Sentence(text):
            return [ChatSentence(text=text, citations=inner.citations)]
        case chat.ToolRun():
            return [ChatTool(tool=inner)]
        case chat.Done():
            return [ChatCitations(citations=inner.answer.citations), ChatDone(answer=inner.answer)]
