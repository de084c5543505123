"""What a chat answers, at once or event by event, and the messages that a conversation keeps."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict
from typing_extensions import TypedDict

from matrix.api.rest.shapes.shape import Instant, Shape


class Citation(Shape):
    """What a marker such as [1] in an answer stands for."""

    marker: int
    chunkId: str
    documentId: str
    versionId: str
    documentName: str
    page: int | None
    quote: str
    url: str | None
    sectionPath: list[str]
    """The headings above, the outermost first."""
    start: int
    """Where the quote begins in the text of the version, in characters."""
    end: int
    state: Literal["CURRENT", "CHANGED", "DELETED"]
    """What became of the source since."""


class ToolCall(Shape):
    """A tool that was used for the answer."""

    name: str
    arguments: dict[str, object]
    summary: str
    """What came back, in a line."""
    isError: bool


class Usage(Shape):
    """The tokens of the model; without a model there are none."""

    inputTokens: int
    outputTokens: int


class ChatAnswer(Shape):
    """The checked answer."""

    sessionId: str
    """Send it with the next message of the conversation."""
    messageId: str
    answer: str
    answerable: bool
    """Whether the sources contain the answer."""
    complete: bool
    """False where the model's limit of tokens cut the answer off."""
    documentsBeingRead: int
    """Where the sources do not contain the answer: documents that are not among them yet."""
    citations: list[Citation]
    toolCalls: list[ToolCall]
    usage: Usage


class SessionEvent(Shape):
    """The first event: the conversation that this is part of."""

    sessionId: str


class AnswerableEvent(Shape):
    """Whether the sources contain the answer, before anything of it."""

    answerable: bool


class TokenEvent(Shape):
    """The next piece of text, not checked yet."""

    text: str


class SentenceEvent(Shape):
    """Checked text, in place of all tokens since the last such event."""

    text: str
    citations: list[Citation]


class CitationsEvent(Shape):
    """All citations of the answer."""

    citations: list[Citation]


class MessageProperties(TypedDict):
    """What a message says, with all that its type defines."""

    __pydantic_config__ = ConfigDict(extra="allow", use_attribute_docstrings=True)  # type: ignore[misc]  # pydantic's

    citations: list[Citation]
    toolCalls: list[ToolCall]


class Message(Shape):
    """A message of a conversation."""

    id: str
    entityType: Literal["Message"]
    key: None
    orgSlug: str
    properties: MessageProperties
    createdAt: Instant
    updatedAt: Instant


class MessageList(Shape):
    """A page of messages, newest first; those of one conversation as they were said."""

    items: list[Message]
    nextCursor: str | None
    """Hand it back as `cursor` for the next page; null on the last one."""
