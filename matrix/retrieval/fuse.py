"""Two ranked lists into one. Ranks are fused, never raw scores: a cosine and a BM25 score have no common scale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matrix.domain.retrieval import Candidate, Hit, Scores

RANK_OFFSET = 60  # the k of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009)
CODE_LIKE = re.compile(r"(?<![\w-])(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])\w[\w.-]*\w")


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each leg counts. Equal weights let a weak leg ruin a strong one."""

    dense: float = 1.0
    keyword: float = 1.0


def weigh_legs(query: str, keyword: Sequence[Candidate], languages: tuple[str, ...] | None) -> Weights:
    """The dense leg counts less where the embedder does not know the language of what the words found; the keyword
    leg counts more where the question holds a code, which an embedding cannot tell from its neighbours."""
    found = [candidate.language for candidate in keyword[:10] if candidate.language]
    foreign = languages is not None and bool(found) and sum(1 for x in found if x not in languages) * 2 > len(found)
    return Weights(dense=0.25 if foreign else 1.0, keyword=2.0 if CODE_LIKE.search(query) else 1.0)


def fuse(dense: Sequence[Candidate], keyword: Sequence[Candidate], weights: Weights) -> list[Hit]:
    """Hits of both legs, best first; a chunk found twice stands once, with both ranks."""
    by_dense = {candidate.chunk_id: candidate for candidate in dense}
    by_keyword = {candidate.chunk_id: candidate for candidate in keyword}
    hits = [
        _hit(candidate, by_dense.get(chunk_id), by_keyword.get(chunk_id), weights)
        for chunk_id, candidate in {**by_keyword, **by_dense}.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))


def keep_live(hits: Iterable[Hit], live: dict[str, str]) -> list[Hit]:
    """The hits whose version is the one that is live now; the legs may have seen a version before and after a swap."""
    return [hit for hit in hits if live.get(hit.document_id) == hit.version_id]


def _hit(candidate: Candidate, dense: Candidate | None, keyword: Candidate | None, weights: Weights) -> Hit:
    fused = 0.0
    if dense is not None:
        fused += weights.dense / (RANK_OFFSET + dense.ordinal)
    if keyword is not None:
        fused += weights.keyword / (RANK_OFFSET + keyword.ordinal)
    return Hit(
        chunk_id=candidate.chunk_id,
        document_id=candidate.document_id,
        version_id=candidate.version_id,
        knowledge_id=candidate.knowledge_id,
        document_name=candidate.document_name,
        text=candidate.text,
        context=candidate.context,
        position=candidate.position,
        chunk_count=candidate.chunk_count,
        score=fused,
        scores=Scores(
            dense=dense.score if dense else None,
            dense_rank=dense.ordinal if dense else None,
            keyword_rank=keyword.ordinal if keyword else None,
            fused=fused,
        ),
        source=candidate.source,
    )
