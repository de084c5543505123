"""What a model is told: the grounded prompt, the agent's own words, the history, and sources with their markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from matrix.answer.citations import MARKER
from matrix.domain.chat import AgentCard, ChatMessage, Evidence, Speaker, StoredMessage

SOURCE_BUDGET = 60_000  # characters of sources in one tool result, about 15,000 tokens

DELIMITER = re.compile(r"<\s*/?\s*source\b[^<>\n]*>?", re.IGNORECASE)


def grounded_prompt() -> str:
    """The default system prompt, from its file."""
    return files("matrix.answer").joinpath("prompts/grounded.md").read_text(encoding="utf-8")


def opening_messages(agent: AgentCard, history: Sequence[StoredMessage], question: str) -> tuple[ChatMessage, ...]:
    """System prompt, earlier messages, question: what every turn begins with."""
    # Markers count anew in every turn: an old one would point at a passage of this one.
    earlier = tuple(ChatMessage(message.speaker, MARKER.sub("", message.text)) for message in history)
    system = ChatMessage(Speaker.SYSTEM, _system_text(agent))
    return (system, *earlier, ChatMessage(Speaker.USER, question))


def _system_text(agent: AgentCard) -> str:
    parts = [agent.system_prompt or grounded_prompt()]
    if agent.instructions:
        parts.append(f"Who you are\n{agent.instructions}")
    return "\n\n".join(parts)


def source_text(evidence: Sequence[Evidence]) -> str:
    """Passages as a model reads them, within the budget: whole passages, in order, as many as fit."""
    if not evidence:
        return "Nothing was found."
    parts: list[str] = []
    left = SOURCE_BUDGET
    for item in evidence:
        part = _source(item)
        if parts and len(part) > left:
            break
        parts.append(part)
        left -= len(part)
    return "\n\n".join(parts)


def _source(item: Evidence) -> str:
    """A passage between its delimiters; whatever the document itself says, its name and headings too, stands inside."""
    hit = item.hit
    about = {
        "document": hit.document_name,
        "page": hit.source.page,
        "section": " > ".join(hit.source.section_path),
        "passage": f"{hit.position + 1} of {hit.chunk_count}",
    }
    attributes = "".join(f' {name}="{escape(str(value))}"' for name, value in about.items() if value)
    return f"[{item.marker}] <source{attributes}>\n{DELIMITER.sub('(source)', hit.text)}\n</source>"
