"""Whether the passages contain the answer at all: a threshold, and three things that rule it out whatever the score."""

from __future__ import annotations

import re
from collections.abc import Sequence

from matrix.plugins.models.extractive.features import Features, Weighed
from matrix.plugins.models.extractive.lines import LineKind
from matrix.plugins.models.extractive.question import Question, TermKind
from matrix.plugins.models.extractive.ranking import Ranked
from matrix.plugins.models.extractive.weights import Weights

_TOLD = 0.7
_RIVALS = 0.3
_NEAR = 0.5  # in a candidate, its headings or the sentence before
_ANYWHERE = 0.3  # in its passage
_NOUN = re.compile(r"\b([^\W\d_]+)\s+(?:of|on|for)\b", re.IGNORECASE)
_MEASURES = frozenset(("weigh", "heavi", "tall", "wide", "deep", "thick", "old", "fast", "loud"))  # stems
# March and May are words as well.
_MONTHS = frozenset(
    ("januari", "februari", "april", "june", "juli", "august", "septemb", "octob", "novemb", "decemb")
)  # stems


def is_answered(question: Question, ranked: Sequence[Ranked], weights: Weights) -> bool:
    """Whether the best of `ranked` (best first) answers the question."""
    return bool(ranked) and ranked[0].contained >= weights.threshold and not _is_ruled_out(question, ranked)


def _is_ruled_out(question: Question, ranked: Sequence[Ranked]) -> bool:
    return (
        _lacks_code(question, ranked[0].weighed)
        or _lacks_number(question, ranked[0].weighed)
        or _lacks_column(question, ranked[0].weighed)
        or all(_lacks_kind(item.weighed.features) for item in ranked[:2] if item.best >= _RIVALS * ranked[0].best)
        or _cannot_tell_apart(ranked)
    )


def _lacks_code(question: Question, weighed: Weighed) -> bool:
    """A code such as ERR-4711 is the subject of its question: what does not name it does not answer."""
    return any(
        term.kind is TermKind.CODE and term.weight >= 1 and weighed.covers.get(place, 0.0) < 0.3
        for place, term in enumerate(question.terms)
    )


def _lacks_number(question: Question, weighed: Weighed) -> bool:
    """The price in 2024, the members in June, the hose of 75 m: what tells of another number or month is another fact.
    Prose may have it sentences before, a row has it itself."""
    least = _NEAR if weighed.candidate.cells else _ANYWHERE
    return any(
        weighed.covers.get(place, 0.0) < (_NEAR if term.stem in _MONTHS else least)
        for place, term in enumerate(question.terms)
        if term.weight >= 1 and (term.kind is TermKind.NUMBER or term.stem in _MONTHS)
    )


def _lacks_column(question: Question, weighed: Weighed) -> bool:
    """A row that has all of the question but what is asked for: the guarantee, the weight, in a list of prices."""
    if not weighed.candidate.cells:
        return False
    asked = {question.stem(noun.lower()) for noun in _NOUN.findall(question.text)} | _MEASURES
    return any(
        weighed.covers.get(place, 0.0) < _ANYWHERE
        for place, term in enumerate(question.terms)
        if term.weight >= 1 and term.kind is TermKind.WORD and term.stem in asked
    )


def _lacks_kind(features: Features) -> bool:
    """No date, amount, number or person where one is asked for, and a word of the question missing besides."""
    return features.kind < 0 and features.near < 0.9


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
