"""A conversation: what goes to a model, what streams back, and the checked answer with its citations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from matrix.domain.retrieval import Hit

WHOLE_SESSION = 1_000_000  # messages: a limit that no conversation reaches


class Speaker(StrEnum):
    SYSTEM = "SYSTEM"
    USER = "USER"
    ASSISTANT = "ASSISTANT"
    TOOL = "TOOL"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool. `id` pairs it with its result; `opaque` is whatever else the model wants back with
    it in the next prompt (Gemini signs its calls)."""

    id: str
    name: str
    arguments: Mapping[str, object]
    opaque: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A hit with the marker by which an answer cites it; markers count from 1 through a whole turn."""

    marker: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back. `content` is the text for the model; `evidence` the passages in it, if it searched."""

    call_id: str
    name: str
    content: str
    evidence: tuple[Evidence, ...] = ()
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt. An ASSISTANT message may hold tool calls; a TOOL message holds one result."""

    speaker: Speaker
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a language model is asked. `forced_tool` names the one tool that it must call now; "" forbids tools."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    forced_tool: str | None = None
    temperature: float = 0.1
    max_output_tokens: int = 2048


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of text, as it comes."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, or of a turn; `cut_off` when the (last) call ended at its limit of tokens and not by itself.
    The local answerer counts none."""

    input_tokens: int = 0
    output_tokens: int = 0
    cut_off: bool = False

    def __add__(self, later: Usage) -> Usage:
        read, written = self.input_tokens + later.input_tokens, self.output_tokens + later.output_tokens
        return Usage(read, written, later.cut_off)


ModelEvent = TextDelta | ToolCall | Usage


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in an answer, resolved: the passage it stands for. `start` and `end` frame the quote in the parsed
    text of the version. `state` is CURRENT, CHANGED or DELETED, by what became of the source since."""

    marker: int
    chunk_id: str
    document_id: str
    version_id: str
    knowledge_id: str
    document_name: str
    quote: str
    page: int | None = None
    url: str | None = None
    section_path: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    state: str = "CURRENT"


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A tool call of a turn as it is shown and saved: what was asked and, in a line, what came back."""

    name: str
    arguments: Mapping[str, object]
    summary: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The checked end of a turn. Where the sources do not contain it, `being_read` counts the documents that are not
    among them yet."""

    session_id: str
    message_id: str
    text: str
    answerable: bool
    citations: tuple[Citation, ...]
    tool_runs: tuple[ToolRun, ...] = ()
    usage: Usage = Usage()
    being_read: int = 0

    @property
    def complete(self) -> bool:
        """False when the model's limit of tokens cut the answer off."""
        return not self.usage.cut_off


@dataclass(frozen=True, slots=True)
class Answerable:
    """First event of an answer: whether the sources contain it."""

    answerable: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A checked sentence with its citations; takes the place of the tokens since the last one."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Done:
    answer: Answer


ChatEvent = Answerable | TextDelta | Sentence | ToolRun | Done


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as a session keeps it."""

    id: str
    speaker: Speaker
    text: str
    created_at: datetime
    answerable: bool | None = None
    citations: tuple[Citation, ...] = ()
    tool_runs: tuple[ToolRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A finished turn, to be saved at once: the question, the answer, and who talks with which agent. One that does not
    begin its session is saved only while the session is there."""

    session_id: str
    agent_id: str | None
    knowledge_id: str | None
    question: str
    answer: Answer
    title: str = ""
    begins: bool = True


@dataclass(frozen=True, slots=True)
class Memory:
    """Something an agent remembers. `user_id` is None for a memory that all users of the agent share."""

    id: str
    agent_id: str
    user_id: str | None
    text: str
    created_at: datetime
    score: float | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeCard:
    """A corpus as an agent's search tool lists it."""

    id: str
    key: str
    name: str
    description: str
    top_k: int = 8
    mode: str = "HYBRID"
    min_score: float | None = None


@dataclass(frozen=True, slots=True)
class AgentCard:
    """An agent as a turn needs it. `model_provider_id` None means the deployment's default model."""

    id: str
    key: str
    name: str
    instructions: str = ""
    system_prompt: str | None = None
    no_answer: str = ""
    model_provider_id: str | None = None
    top_k: int | None = None
    min_score: float | None = None
    history_messages: int = 10
    knowledge: tuple[KnowledgeCard, ...] = ()
    tools: tuple[str, ...] = field(default_factory=tuple)
