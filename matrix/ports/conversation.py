"""Stores of agents and of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from matrix.domain.access import Scope
from matrix.domain.chat import AgentCard, KnowledgeCard, Memory, StoredMessage, Turn


class AgentStore(Protocol):
    """Agents with the corpora attached to them, as a turn needs them."""

    async def agent(self, scope: Scope, id_or_key: str) -> AgentCard: ...
    async def knowledge(self, scope: Scope, id_or_key: str) -> KnowledgeCard: ...
    async def being_read(self, scope: Scope, knowledge_ids: Sequence[str]) -> int: ...
    async def attach(self, scope: Scope, agent: str, knowledge: str) -> None: ...
    async def detach(self, scope: Scope, agent: str, knowledge: str) -> None: ...


class SessionStore(Protocol):
    """Conversations; each is private to its user."""

    async def history(self, scope: Scope, session_id: str, limit: int) -> tuple[StoredMessage, ...]: ...
    async def save(self, scope: Scope, turn: Turn) -> None: ...


class MemoryStore(Protocol):
    """What agents remember, on the same index and embedder as knowledge."""

    async def remember(
        self, scope: Scope, agent_id: str, text: str, embedding: list[float], shared: bool
    ) -> Memory: ...
    async def recall(self, scope: Scope, agent_id: str, vector: list[float], limit: int) -> list[Memory]: ...
    async def forget(self, scope: Scope, memory_id: str) -> None: ...
