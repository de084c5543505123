"""Whether the passages contain the answer at all: a threshold, and three things that rule it out whatever the score."""

from __future__ import annotations

from collections.abc import Sequence

from matrix.plugins.models.extractive.features import Features, Weighed
from matrix.plugins.models.extractive.lines import LineKind
from matrix.plugins.models.extractive.question import Question, TermKind
from matrix.plugins.models.extractive.ranking import Ranked
from matrix.plugins.models.extractive.weights import Weights

_TOLD = 0.7
_RIVALS = 0.3


def is_answered(question: Question, ranked: Sequence[Ranked], weights: Weights) -> bool:
    """Whether the best of `ranked` (best first) answers the question."""
    return bool(ranked) and ranked[0].contained >= weights.threshold and not _is_ruled_out(question, ranked)


def _is_ruled_out(question: Question, ranked: Sequence[Ranked]) -> bool:
    return (
        _lacks_code(question, ranked[0].weighed)
        or all(_lacks_kind(item.weighed.features) for item in ranked[:2] if item.best >= _RIVALS * ranked[0].best)
        or _cannot_tell_apart(ranked)
    )


def _lacks_code(question: Question, weighed: Weighed) -> bool:
    """A code such as ERR-4711 is the subject of its question: what does not name it does not answer."""
    return any(
        term.kind is TermKind.CODE and term.weight >= 1 and weighed.covers.get(place, 0.0) < 0.3
        for place, term in enumerate(question.terms)
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
