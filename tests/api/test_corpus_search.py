"""A guess about a corpus never shows in an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from matrix.api.corpus_search import CorpusSearch
from matrix.domain.access import Role, Scope
from matrix.domain.chat import AgentCard, KnowledgeCard
from matrix.domain.retrieval import Candidate, SearchFilters, SearchMode, SearchRequest
from matrix.errors import NotFound
from matrix.retrieval.search import KnowledgeSearch
from tests.fakes.embedder import FakeEmbedder
from tests.hits import candidate

pytestmark = pytest.mark.feature("C1")
SCOPE = Scope("org", "user", Role.VIEWER, ("everyone",), ("org", "user"))
CARD = KnowledgeCard(id="k1", key="rules", name="Rules", description="", top_k=2, mode="DENSE", min_score=None)


class Agents:
    """AgentStore with one corpus, or none."""

    def __init__(self) -> None:
        self.card: KnowledgeCard | None = CARD

    async def knowledge(self, scope: Scope, id_or_key: str) -> KnowledgeCard:
        if self.card is None:
            raise NotFound("There is no such corpus.")
        return self.card

    async def agent(self, scope: Scope, id_or_key: str) -> AgentCard:
        raise NotImplementedError

    async def attach(self, scope: Scope, agent: str, knowledge: str) -> None:
        raise NotImplementedError

    async def detach(self, scope: Scope, agent: str, knowledge: str) -> None:
        raise NotImplementedError


class Legs:
    """Both legs; finds `limit` passages, named after the corpus that was searched."""

    async def search(
        self, scope: Scope, knowledge_ids: Sequence[str], query: object, filters: SearchFilters, limit: int
    ) -> list[Candidate]:
        return [candidate(f"{knowledge_ids[0]}-{number}", number) for number in range(1, limit + 1)]

    async def live_versions(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, str]:
        return {}


def by_the_card(card: KnowledgeCard) -> SearchRequest:
    return SearchRequest((card.id,), "leave", top_k=card.top_k, mode=SearchMode(card.mode))


async def found(searches: CorpusSearch) -> list[str]:
    return [hit.chunk_id for hit in (await searches.search(SCOPE, "rules", by_the_card)).hits]


@pytest.fixture
def agents() -> Agents:
    return Agents()


@pytest.fixture
def searches(agents: Agents) -> CorpusSearch:
    return CorpusSearch(agents, KnowledgeSearch(FakeEmbedder(), Legs(), Legs()))


async def test_the_same_corpus_again_gives_the_same(searches: CorpusSearch) -> None:
    assert await found(searches) == await found(searches) == ["k1-1", "k1-2"]


async def test_what_changed_since_the_last_search_counts(agents: Agents, searches: CorpusSearch) -> None:
    await found(searches)
    agents.card = replace(CARD, top_k=1)
    assert await found(searches) == ["k1-1"]
    agents.card = replace(CARD, id="k2")
    assert await found(searches) == ["k2-1", "k2-2"]


async def test_a_corpus_that_went_is_not_found_any_more(agents: Agents, searches: CorpusSearch) -> None:
    await found(searches)
    agents.card = None
    with pytest.raises(NotFound):
        await found(searches)
