"""`search`: passages of one corpus or several."""

from __future__ import annotations

import strawberry

from matrix.api.graphql.context import Info
from matrix.api.graphql.types.dynamic_field import field
from matrix.api.graphql.types.retrieval import SearchFilters, SearchMode, SearchResult
from matrix.api.search_rules import MOST_CORPORA, check_search
from matrix.domain import retrieval
from matrix.domain.access import Scope
from matrix.domain.chat import KnowledgeCard
from matrix.errors import InvalidInput


@strawberry.type
class SearchQuery:
    @field(
        graphql_type=SearchResult,
        description="Passages that answer, best first. What is not given is taken from the corpora.",
    )
    async def search(
        self,
        info: Info,
        knowledge_keys: list[str],
        query: str,
        top_k: int | None = None,
        mode: SearchMode | None = None,
        filters: SearchFilters | None = None,
        min_score: float | None = None,
        explain: bool = False,
    ) -> retrieval.SearchResult:
        scope = info.context.scope
        if not 1 <= len(knowledge_keys) <= MOST_CORPORA:
            raise InvalidInput(f"Name between 1 and {MOST_CORPORA} corpora.", field="knowledgeKeys")
        corpora = await _corpora(info, scope, knowledge_keys)
        request = retrieval.SearchRequest(
            knowledge_ids=tuple(corpus.id for corpus in corpora),
            query=query,
            top_k=top_k if top_k is not None else max(corpus.top_k for corpus in corpora),
            mode=retrieval.SearchMode[mode.name] if mode else _mode(corpora),
            min_score=min_score if min_score is not None else _min_score(corpora),
            filters=(filters or SearchFilters()).to_filters(),
            explain=explain,
        )
        return await info.context.services.search.search(scope, check_search(request))


async def _corpora(info: Info, scope: Scope, keys: list[str]) -> list[KnowledgeCard]:
    agents = info.context.services.stores.agents
    return [await agents.knowledge(scope, key) for key in dict.fromkeys(keys)]


def _mode(corpora: list[KnowledgeCard]) -> retrieval.SearchMode:
    """Exact words too, if one of the corpora has them searched."""
    hybrid = any(corpus.mode == retrieval.SearchMode.HYBRID for corpus in corpora)
    return retrieval.SearchMode.HYBRID if hybrid else retrieval.SearchMode.DENSE


def _min_score(corpora: list[KnowledgeCard]) -> float | None:
    """The lowest that any of them asks for: none where one asks for none."""
    asked = [corpus.min_score for corpus in corpora]
    return None if None in asked else min(score for score in asked if score is not None)
