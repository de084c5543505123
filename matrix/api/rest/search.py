"""`POST …/knowledge/{idOrKey}/search`: passages that answer, with score parts and where they stand."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field, StrictBool, StrictFloat, StrictInt

from matrix.api.auth.principal import OrgScope
from matrix.api.rest.bodies import Body
from matrix.api.rest.retrieval_json import result_json
from matrix.api.rest.shapes.answers import MEMBER, answers
from matrix.api.rest.shapes.retrieval import SearchAnswer
from matrix.api.search_rules import LONGEST_QUERY, MOST_DOCUMENTS, MOST_HITS, MOST_VALUES, check_search
from matrix.domain.chat import KnowledgeCard
from matrix.domain.retrieval import SearchFilters, SearchMode, SearchRequest
from matrix.ports import AgentStore
from matrix.retrieval.search import KnowledgeSearch


class FilterBody(Body):
    documents: tuple[str, ...] = Field(default=(), max_length=MOST_DOCUMENTS)
    source_kinds: tuple[str, ...] = Field(default=(), max_length=MOST_VALUES)
    languages: tuple[str, ...] = Field(default=(), max_length=MOST_VALUES)
    tags: tuple[str, ...] = Field(default=(), max_length=MOST_VALUES)

    def to_filters(self) -> SearchFilters:
        return SearchFilters(self.documents, self.source_kinds, self.languages, self.tags)


class SearchBody(Body):
    """What is not given is taken from the corpus."""

    query: str = Field(min_length=1, max_length=LONGEST_QUERY)
    top_k: StrictInt | None = Field(None, ge=1, le=MOST_HITS)
    min_score: StrictFloat | None = Field(None, ge=-1, le=1)
    mode: SearchMode | None = None
    filters: FilterBody = FilterBody()
    explain: StrictBool = False

    def to_request(self, card: KnowledgeCard) -> SearchRequest:
        return SearchRequest(
            knowledge_ids=(card.id,),
            query=self.query,
            top_k=self.top_k or card.top_k,
            mode=self.mode or SearchMode(card.mode),
            min_score=self.min_score if self.min_score is not None else card.min_score,
            filters=self.filters.to_filters(),
            explain=self.explain,
        )


def search_router(agents: AgentStore, search: KnowledgeSearch) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}", tags=["search"], responses=MEMBER)

    @router.post("/knowledge/{id_or_key}/search", responses=answers(SearchAnswer, 502))
    async def search_knowledge(id_or_key: str, body: SearchBody, scope: OrgScope) -> dict[str, object]:
        card = await agents.knowledge(scope, id_or_key)
        return result_json(await search.search(scope, check_search(body.to_request(card))))

    return router
