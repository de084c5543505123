"""A question to evidence: the flow of a search, in one function."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from matrix.domain.access import Scope
from matrix.domain.retrieval import Candidate, Explanation, Hit, SearchMode, SearchRequest, SearchResult
from matrix.errors import InvalidInput
from matrix.ports import Embedder, KeywordIndex, KnowledgeVectorStore
from matrix.retrieval.fuse import Weights, fuse, keep_live, weigh_legs

MAX_QUERY = 8000  # characters
TRIES = 3  # searches, where a document is replaced in the middle of one
LEG_WIDTH = 4  # each leg gives this many times the wanted hits to the fusion


class KnowledgeSearch:
    """Searches corpora by meaning and, in HYBRID mode, by words. Holds ports only."""

    def __init__(self, embedder: Embedder, vectors: KnowledgeVectorStore, keywords: KeywordIndex) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._keywords = keywords

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult:
        """At most `top_k` hits, best first, all from documents that are live and visible to the caller."""
        _check(request)
        vector = await self._embedder.embed_query(request.query)
        return await self.search_by_vector(scope, request, vector)

    async def search_by_vector(self, scope: Scope, request: SearchRequest, vector: list[float]) -> SearchResult:
        """The search itself, for who has the query's vector already."""
        if not request.knowledge_ids:
            return SearchResult(())
        for _ in range(TRIES):
            dense, keyword = await self._both_legs(scope, request, vector)
            close = _above(dense, request.min_score)
            weights = weigh_legs(request.query, keyword, self._embedder.languages)
            proposed = fuse(close, keyword, weights)
            fused = await self._still_live(scope, proposed, request)
            if len(fused) == len(proposed):
                break  # else a version was replaced between the legs and the last look: the new one has hits too
        hits = [_scored(hit, request.mode) for hit in fused[: request.top_k]]
        explanation = (
            _explain(dense, keyword, close, fused, request=request, weights=weights) if request.explain else None
        )
        return SearchResult(tuple(hits), explanation)

    async def _both_legs(
        self, scope: Scope, request: SearchRequest, vector: list[float]
    ) -> tuple[list[Candidate], list[Candidate]]:
        wide = request.top_k * LEG_WIDTH if request.mode is SearchMode.HYBRID else request.top_k
        dense = self._vectors.search(scope, request.knowledge_ids, vector, request.filters, wide)
        if request.mode is SearchMode.DENSE:
            return await dense, []
        keyword = self._keywords.search(scope, request.knowledge_ids, request.query, request.filters, wide)
        found = await asyncio.gather(dense, keyword)
        return found[0], found[1]

    async def _still_live(self, scope: Scope, hits: list[Hit], request: SearchRequest) -> list[Hit]:
        """One leg saw one moment; two legs are held against one final read."""
        if request.mode is SearchMode.DENSE or not hits:
            return hits
        live = await self._keywords.live_versions(scope, sorted({hit.document_id for hit in hits}))
        return keep_live(hits, dict(live))


def _check(request: SearchRequest) -> None:
    if not request.query.strip():
        raise InvalidInput("The query is empty.", field="query")
    if len(request.query) > MAX_QUERY:
        raise InvalidInput(f"The query is longer than {MAX_QUERY} characters.", field="query")
    if not 1 <= request.top_k <= 50:
        raise InvalidInput("topK must be between 1 and 50.", field="topK")


def _above(dense: Sequence[Candidate], min_score: float | None) -> list[Candidate]:
    return [c for c in dense if min_score is None or c.score >= min_score]


def _scored(hit: Hit, mode: SearchMode) -> Hit:
    """In DENSE mode the order is the cosine's, so the score is the cosine itself."""
    if mode is SearchMode.DENSE and hit.scores.dense is not None:
        return replace(hit, score=hit.scores.dense)
    return hit


def _explain(
    dense: Sequence[Candidate],
    keyword: Sequence[Candidate],
    close: Sequence[Candidate],
    fused: Sequence[Hit],
    *,
    request: SearchRequest,
    weights: Weights,
) -> Explanation:
    return Explanation(
        dense_candidates=len(dense),
        keyword_candidates=len(keyword),
        below_min_score=len(dense) - len(close),
        second_try=any(candidate.second_try for candidate in (*dense, *keyword)),
        beyond_top_k=max(0, len(fused) - request.top_k),
        weights=(weights.dense, weights.keyword if request.mode is SearchMode.HYBRID else 0.0),
    )
