"""A search of the corpus that a client names. What the client leaves open is taken from the corpus, whose card has to
be read first: a search that begins with the card as it was last time need not wait for that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from matrix.domain.access import Scope
from matrix.domain.chat import KnowledgeCard
from matrix.domain.retrieval import SearchRequest, SearchResult
from matrix.ports import AgentStore
from matrix.retrieval.search import KnowledgeSearch

MOST = 10_000  # cards


class CorpusSearch:
    """Searches corpora by id or key. A card of before is a guess and no more: it is always read again, and where it has
    changed the search begins anew."""

    def __init__(self, agents: AgentStore, search: KnowledgeSearch) -> None:
        self._agents = agents
        self._search = search
        self._before: dict[tuple[str, str], KnowledgeCard] = {}  # by organization and what the client called it

    async def search(
        self, scope: Scope, id_or_key: str, to_request: Callable[[KnowledgeCard], SearchRequest]
    ) -> SearchResult:
        """Errors: NotFound; InvalidInput, ProviderUnavailable as in KnowledgeSearch."""
        before = self._before.get((scope.org_id, id_or_key))
        if before is None:
            card = await self._agents.knowledge(scope, id_or_key)
            self._remember(scope, id_or_key, card)
            return await self._search.search(scope, to_request(card))
        searching = asyncio.create_task(self._search.search(scope, to_request(before)))
        try:
            card = await self._agents.knowledge(scope, id_or_key)
            if card == before:
                return await searching
        finally:
            searching.cancel()
        self._remember(scope, id_or_key, card)
        return await self._search.search(scope, to_request(card))

    def _remember(self, scope: Scope, id_or_key: str, card: KnowledgeCard) -> None:
        if len(self._before) >= MOST:
            self._before.clear()
        self._before[scope.org_id, id_or_key] = card
