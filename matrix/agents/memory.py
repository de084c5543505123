"""Memory of agents: embedded on write, recalled on read, by the same embedder and index as knowledge."""

from __future__ import annotations

from matrix.domain.access import Scope
from matrix.domain.chat import Memory
from matrix.errors import InvalidInput
from matrix.ports import Embedder, MemoryStore

LONGEST_MEMORY = 2000  # characters
RECALLED = 5
NEAR_ENOUGH = 0.25  # cosine below which a memory has nothing to do with the question


class AgentMemory:
    """What an agent keeps for each person; nobody else's is ever read."""

    def __init__(self, embedder: Embedder, store: MemoryStore) -> None:
        self._embedder = embedder
        self._store = store

    async def remember(self, scope: Scope, agent_id: str, text: str) -> Memory:
        kept = text.strip()
        if not kept or len(kept) > LONGEST_MEMORY:
            raise InvalidInput(f"A memory holds between 1 and {LONGEST_MEMORY} characters.", field="text")
        [vector] = await self._embedder.embed_documents([kept])
        return await self._store.remember(scope, agent_id, kept, vector, shared=False)

    async def recall(self, scope: Scope, agent_id: str, question: str) -> list[Memory]:
        vector = await self._embedder.embed_query(question)
        found = await self._store.recall(scope, agent_id, vector, RECALLED)
        return [memory for memory in found if memory.score is None or memory.score >= NEAR_ENOUGH]
