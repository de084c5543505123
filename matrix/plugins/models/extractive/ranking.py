"""The candidates of all passages in order: features, weights and, where there is an embedder, similarity."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matrix.domain.chat import Evidence
from matrix.plugins.models.extractive.features import Features, Weighed, weigh
from matrix.plugins.models.extractive.passages import Candidate, read_candidates
from matrix.plugins.models.extractive.question import Question
from matrix.plugins.models.extractive.weights import LEXICAL, SIMILAR, Weights
from matrix.ports import Embedder

COMPARED = 24


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its probability of being the best one, and of containing the answer."""

    weighed: Weighed
    best: float
    contained: float

    @property
    def candidate(self) -> Candidate:
        return self.weighed.candidate


async def rank_candidates(question: Question, evidence: Sequence[Evidence], embedder: Embedder | None) -> list[Ranked]:
    """All candidates of the passages, best first. With an embedder, the lexically best of them are compared by it."""
    ranked = await asyncio.to_thread(lambda: _rank(weigh(question, read_candidates(evidence)), LEXICAL))
    if embedder is None or not ranked:
        return ranked
    return _rank(await _compare(question, [item.weighed for item in ranked[:COMPARED]], embedder), SIMILAR)


def _rank(weighed: Sequence[Weighed], weights: Weights) -> list[Ranked]:
    ranked = [
        Ranked(item, _logistic(item.features, weights.best), _logistic(item.features, weights.contained))
        for item in weighed
    ]
    return sorted(ranked, key=lambda item: -item.best)


def _logistic(features: Features, weights: Sequence[float]) -> float:
    total = sum(a * b for a, b in zip((*features.values(), 1.0), weights, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


async def _compare(question: Question, weighed: Sequence[Weighed], embedder: Embedder) -> list[Weighed]:
    wanted = await embedder.embed_query(question.text)
    vectors = await embedder.embed_documents([_embedded_text(item.candidate) for item in weighed])
    cosines = [sum(a * b for a, b in zip(wanted, vector, strict=True)) for vector in vectors]
    best_of: dict[int, float] = {}
    for item, cosine in zip(weighed, cosines, strict=True):
        best_of[item.candidate.rank] = max(cosine, best_of.get(item.candidate.rank, -1.0))
    return [
        replace(
            item,
            features=replace(item.features, similar=cosine, similar_passage=best_of[item.candidate.rank]),
        )
        for item, cosine in zip(weighed, cosines, strict=True)
    ]


def _embedded_text(candidate: Candidate) -> str:
    return f"{candidate.title}: {candidate.text}" if candidate.title else candidate.text
