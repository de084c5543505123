"""Stores in memory, for tests of the agent loop that need no graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from matrix.domain.access import Role, Scope
from matrix.domain.chat import AgentCard, KnowledgeCard, Memory, Speaker, StoredMessage, Turn
from matrix.domain.ids import new_id
from matrix.domain.retrieval import Candidate, SearchFilters
from matrix.errors import NotFound

SCOPE = Scope("org", "anna", Role.EDITOR, ("everyone",))


class FakeSessions:
    """Sessions by id; `saved` are the turns in order."""

    def __init__(self) -> None:
        self.saved: list[Turn] = []

    async def history(self, scope: Scope, session_id: str, limit: int) -> tuple[StoredMessage, ...]:
        turns = [turn for turn in self.saved if turn.session_id == session_id]
        if not turns:
            raise NotFound("There is no such session.")
        messages = [m for turn in turns for m in _messages(turn)]
        return tuple(messages[-limit:] if limit else ())

    async def save(self, scope: Scope, turn: Turn) -> None:
        self.saved.append(turn)


class FakeAgents:
    """No agents; `unread` says how many documents of a corpus are still being read."""

    def __init__(self) -> None:
        self.unread: dict[str, int] = {}

    async def agent(self, scope: Scope, id_or_key: str) -> AgentCard:
        raise NotFound("There is no such agent.")

    async def knowledge(self, scope: Scope, id_or_key: str) -> KnowledgeCard:
        raise NotFound("There is no such corpus.")

    async def being_read(self, scope: Scope, knowledge_ids: Sequence[str]) -> int:
        return sum(self.unread.get(knowledge_id, 0) for knowledge_id in knowledge_ids)

    async def attach(self, scope: Scope, agent: str, knowledge: str) -> None:
        raise NotFound("There is no such agent.")

    async def detach(self, scope: Scope, agent: str, knowledge: str) -> None:
        raise NotFound("There is no such agent.")


class FakeMemories:
    """Memories by agent and person; recall gives all of them, newest first, as equally near."""

    def __init__(self) -> None:
        self.kept: list[Memory] = []

    async def remember(self, scope: Scope, agent_id: str, text: str, embedding: list[float], shared: bool) -> Memory:
        memory = Memory(new_id(), agent_id, None if shared else scope.user_id, text, datetime.now(UTC))
        self.kept.append(memory)
        return memory

    async def recall(self, scope: Scope, agent_id: str, vector: list[float], limit: int) -> list[Memory]:
        mine = [m for m in self.kept if m.agent_id == agent_id and m.user_id in (None, scope.user_id)]
        return [replace(memory, score=1.0) for memory in mine[::-1][:limit]]

    async def forget(self, scope: Scope, memory_id: str) -> None:
        self.kept = [memory for memory in self.kept if memory.id != memory_id]


class FakeIndex:
    """Both legs of a search: the candidates of each corpus, whatever is asked."""

    def __init__(self, by_knowledge: Mapping[str, Sequence[Candidate]]) -> None:
        self._by_knowledge = by_knowledge

    async def search(
        self, scope: Scope, knowledge_ids: Sequence[str], query: object, filters: SearchFilters, limit: int
    ) -> list[Candidate]:
        found = [c for knowledge in knowledge_ids for c in self._by_knowledge.get(knowledge, ())]
        return found[:limit]

    async def live_versions(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, str]:
        return {
            candidate.document_id: candidate.version_id
            for candidates in self._by_knowledge.values()
            for candidate in candidates
        }


def _messages(turn: Turn) -> list[StoredMessage]:
    now = datetime.now(UTC)
    return [
        StoredMessage(new_id(), Speaker.USER, turn.question, now),
        StoredMessage(turn.answer.message_id, Speaker.ASSISTANT, turn.answer.text, now),
    ]
