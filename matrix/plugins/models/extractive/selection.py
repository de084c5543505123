"""The candidates that an answer is made of, or none: scoring, similarity, the decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matrix.domain.chat import Evidence
from matrix.plugins.models.extractive.features import Features, Weighed, weigh
from matrix.plugins.models.extractive.lines import LineKind
from matrix.plugins.models.extractive.passages import Candidate, read_candidates
from matrix.plugins.models.extractive.question import Question, TermKind
from matrix.plugins.models.extractive.weights import LEXICAL, SIMILAR, Weights
from matrix.ports import Embedder

COMPARED = 24
LONGEST_ANSWER = 420
_SECOND_WITHIN = 0.6
_TOLD = 0.7


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
    weighed = weigh(question, read_candidates(evidence))
    ranked = _rank(weighed, LEXICAL)
    if embedder is None or not ranked:
        return ranked
    return _rank(await _compare(question, [item.weighed for item in ranked[:COMPARED]], embedder), SIMILAR)


def choose(question: Question, ranked: Sequence[Ranked], weights: Weights) -> list[Candidate]:
    """The candidates to say, in reading order; empty where the passages do not contain the answer."""
    if not ranked or ranked[0].contained < weights.threshold or _is_ruled_out(question, ranked):
        return []
    chosen = [ranked[0]]
    for item in ranked[1:6]:
        if len(chosen) < 3 and item.best >= _SECOND_WITHIN * ranked[0].best and _fits(chosen, item):
            chosen.append(item)
    return sorted((item.candidate for item in chosen), key=lambda c: (c.rank, c.place))


def _fits(chosen: Sequence[Ranked], item: Ranked) -> bool:
    said = sum(len(other.candidate.text) for other in chosen)
    inside = any(
        item.candidate.text in other.candidate.text or other.candidate.text in item.candidate.text for other in chosen
    )
    return not inside and said + len(item.candidate.text) <= LONGEST_ANSWER


def _is_ruled_out(question: Question, ranked: Sequence[Ranked]) -> bool:
    return (
        _lacks_code(question, ranked[0].weighed)
        or _lacks_kind(ranked[0].weighed.features)
        or _cannot_tell_apart(ranked)
    )


def _lacks_kind(features: Features) -> bool:
    """No date, amount or number where one is asked for, and a word of the question missing besides."""
    return features.kind == -1.0 and features.near < 0.9


def _cannot_tell_apart(ranked: Sequence[Ranked]) -> bool:
    """Several rows or items fit alike, and the word that would choose among them is nowhere: "the limit for lunch"."""
    first = ranked[0]
    if first.candidate.kind is LineKind.PROSE or first.candidate.group or first.weighed.features.passage > _TOLD:
        return False
    return any(
        other.candidate.kind is first.candidate.kind
        and not other.candidate.group
        and other.weighed.covers == first.weighed.covers
        and other.weighed.features.own == first.weighed.features.own
        for other in ranked[1:6]
    )


def _lacks_code(question: Question, weighed: Weighed) -> bool:
    """A code such as ERR-4711 is the subject of its question: what does not name it does not answer."""
    return any(
        term.kind is TermKind.CODE and term.weight >= 1 and weighed.covers.get(place, 0.0) < 0.3
        for place, term in enumerate(question.terms)
    )


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
