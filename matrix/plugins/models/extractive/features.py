"""A candidate beside a question, as numbers between about 0 and 1. What they are worth is in `weights`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from matrix.plugins.models.extractive.answer_kinds import AnswerKind
from matrix.plugins.models.extractive.matching import Match, TermMatcher
from matrix.plugins.models.extractive.passages import Candidate
from matrix.plugins.models.extractive.question import Question, TermKind
from matrix.plugins.models.extractive.shown_kinds import shows_kind
from matrix.plugins.models.extractive.words import tokenize

_ABOVE = 0.8
_BEFORE = 0.7
_ELSEWHERE = 0.4
_GUESSED = 0.5
_KIND_WEIGHT = {TermKind.WORD: 1.0, TermKind.NAME: 1.2, TermKind.NUMBER: 1.2, TermKind.CODE: 3.0}


@dataclass(frozen=True, slots=True)
class Features:
    """Shares are of the question's terms, weighted by how rare they are among the passages.

    `own`: in the candidate; `rest`: the same among the terms that its headings lack (1 where they lack none); `near`:
    in the candidate, its headings or the sentence before; `passage`: anywhere in its passage; `pairs`: neighbours in
    the question that stand close together here; `kind`: shows the wanted kind of answer (1), does not (-1), cannot be
    told (0), halves where it is a guess; `missing_exact`: names, numbers and codes that the passage lacks; `new`: words
    that the question did not have; `rank`: 1 for the best passage, falling; `brief`: 1 for a line, 0 for 400
    characters; `similar` and `similar_passage`: cosine of the question with the candidate, and the best in its passage.
    """

    own: float
    rest: float
    near: float
    passage: float
    pairs: float
    kind: float
    missing_exact: float
    new: float
    rank: float
    brief: float
    similar: float = 0.0
    similar_passage: float = 0.0

    def values(self) -> tuple[float, ...]:
        """All of them, in order."""
        everything: tuple[float, ...] = _VALUES(self)
        return everything


_VALUES = attrgetter(*(field.name for field in fields(Features)))


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate with its features, the terms that it says itself, and those that it covers with all around it."""

    candidate: Candidate
    features: Features
    said: Mapping[int, float]
    covers: Mapping[int, float]


def weigh(question: Question, candidates: Sequence[Candidate]) -> list[Weighed]:
    """The features of all candidates, lexical only."""
    matcher = TermMatcher(question)
    own = [matcher.match(_said(candidate)) for candidate in candidates]
    above = {heading: matcher.match(heading) for heading in {candidate.heading for candidate in candidates}}
    before = {text: matcher.match(text) for text in {candidate.before for candidate in candidates}}
    share = _term_shares(question, candidates, own)
    passages = _passage_matches(candidates, own, above)
    words = frozenset(form for token in tokenize(question.text) for form in (token.surface.lower(), *token.forms))
    weighed = []
    for candidate, match in zip(candidates, own, strict=True):
        near = _merge(match.found, above[candidate.heading].found, _ABOVE)
        near = _merge(near, before[candidate.before].found, _BEFORE)
        whole = passages[candidate.rank]
        features = Features(
            own=_covered(match.found, share),
            rest=_rest(match.found, above[candidate.heading].found, share),
            near=_covered(near, share),
            passage=_covered(whole, share),
            pairs=_pairs(question, match),
            kind=_kind(question.wanted, candidate, words),
            missing_exact=_missing_exact(question, whole, share),
            new=min(1.0, max(0, match.words - len(match.found)) / 8),
            rank=1 / (1 + candidate.rank),
            brief=max(0.0, 1 - len(candidate.text) / 400),
        )
        weighed.append(Weighed(candidate, features, match.found, _merge(near, whole, _ELSEWHERE)))
    return weighed


def _said(candidate: Candidate) -> str:
    """A whole list says what its heading says."""
    return f"{candidate.title}: {candidate.text}" if candidate.group else candidate.text


def _term_shares(question: Question, candidates: Sequence[Candidate], own: Sequence[Match]) -> tuple[float, ...]:
    """How much each term counts, adding up to 1: rare among the candidates is much, absent is most."""
    total = len(candidates)
    shares = []
    for place, term in enumerate(question.terms):
        frequency = sum(match.found.get(place, 0.0) >= 1.0 for match in own)
        rarity = math.log(1 + total / (1 + frequency)) if total else 1.0
        shares.append(max(0.3, rarity) * _KIND_WEIGHT[term.kind] * term.weight)
    whole = sum(shares) or 1.0
    return tuple(share / whole for share in shares)


def _passage_matches(
    candidates: Sequence[Candidate], own: Sequence[Match], above: Mapping[str, Match]
) -> dict[int, Mapping[int, float]]:
    passages: dict[int, Mapping[int, float]] = {}
    for candidate, match in zip(candidates, own, strict=True):
        found = _merge(passages.get(candidate.rank, {}), match.found, 1.0)
        passages[candidate.rank] = _merge(found, above[candidate.heading].found, 1.0)
    return passages


def _merge(one: Mapping[int, float], other: Mapping[int, float], worth: float) -> dict[int, float]:
    merged = dict(one)
    for place, surety in other.items():
        merged[place] = max(merged.get(place, 0.0), surety * worth)
    return merged


def _covered(found: Mapping[int, float], share: Sequence[float]) -> float:
    return sum(share[place] * surety for place, surety in found.items())


def _rest(found: Mapping[int, float], above: Mapping[int, float], share: Sequence[float]) -> float:
    """What the headings leave to be said: a title that names the subject must not stand for the fact."""
    open_terms = [place for place in range(len(share)) if above.get(place, 0.0) < 1.0]
    whole = sum(share[place] for place in open_terms)
    return sum(share[place] * found.get(place, 0.0) for place in open_terms) / whole if whole else 1.0


def _pairs(question: Question, match: Match) -> float:
    wanted = [(i, i + 1) for i in range(len(question.terms) - 1)]
    if not wanted:
        return 0.0
    near = sum(_close(match.at.get(one, ()), match.at.get(two, ())) for one, two in wanted)
    return near / len(wanted)


def _close(one: Sequence[int], two: Sequence[int]) -> bool:
    return any(0 < abs(a - b) <= 3 for a in one for b in two)


def _missing_exact(question: Question, found: Mapping[int, float], share: Sequence[float]) -> float:
    return sum(
        share[place]
        for place, term in enumerate(question.terms)
        if term.kind is not TermKind.WORD and found.get(place, 0.0) < 0.5
    )


def _kind(wanted: AnswerKind, candidate: Candidate, words: frozenset[str]) -> float:
    if candidate.group:  # some number or name stands in nearly every list
        return _GUESSED if wanted is AnswerKind.STEPS else 0.0
    shown = shows_kind(candidate.text, wanted, words)
    if shown is None:
        return 0.0
    sure = _GUESSED if wanted in (AnswerKind.PERSON, AnswerKind.PLACE, AnswerKind.REASON) else 1.0
    return sure if shown else -sure
