"""Which candidates are said together: the best one, what completes it, and what it leans on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from matrix.plugins.models.extractive.passages import Candidate
from matrix.plugins.models.extractive.question import Question
from matrix.plugins.models.extractive.ranking import Ranked

LONGEST_ANSWER = 420
_MOST = 3
_AS_GOOD = 0.55
_ELSEWHERE = 0.85  # what another passage says is seldom asked for as well
_COMPLETES = 0.15
_LEANS = re.compile(
    r"(It|He|She|They|This|These|Those|Its|His|Her|Their|Both|Such|Er|Sie|Es|Diese[rs]?|Dies|Ihre?)\b[^:]*$", re.DOTALL
)
_TWO_PARTS = re.compile(
    r"\b(and|und|et|y)\b,? (\w+ )?(who|when|where|what|which|how|why|wer|wann|wo|was|wie)\b|\?.*\?", re.I
)


def compose(question: Question, ranked: Sequence[Ranked]) -> list[Candidate]:
    """At most three of the best candidates, `LONGEST_ANSWER` characters where more than one, in reading order."""
    chosen = [ranked[0]]
    for item in ranked[1:8]:
        if len(chosen) < _MOST and _adds(question, chosen, item) and _fits(chosen, item):
            chosen.append(item)
    said = [item.candidate for item in chosen]
    said += [
        one for one in _leaned_on(said, ranked) if len(said) < _MOST and _length(said) + len(one.text) <= LONGEST_ANSWER
    ]
    return sorted(said, key=lambda candidate: (candidate.rank, candidate.place))


def _adds(question: Question, chosen: Sequence[Ranked], item: Ranked) -> bool:
    first = chosen[0]
    if item.best >= (_AS_GOOD if item.candidate.rank == first.candidate.rank else _ELSEWHERE) * first.best:
        return True
    if item.best < _COMPLETES * first.best:
        return False
    beside = item.candidate.rank == first.candidate.rank and abs(item.candidate.place - first.candidate.place) == 1
    shows = first.weighed.features.kind < 0 < item.weighed.features.kind
    new = set(item.weighed.said) - {place for other in chosen for place in other.weighed.said}
    return beside and (shows or (bool(new) and _TWO_PARTS.search(question.text) is not None))


def _fits(chosen: Sequence[Ranked], item: Ranked) -> bool:
    said = [other.candidate for other in chosen]
    inside = any(item.candidate.text in other.text or other.text in item.candidate.text for other in said)
    return not inside and _length(said) + len(item.candidate.text) <= LONGEST_ANSWER


def leans(candidate: Candidate) -> bool:
    """Whether it opens with a pronoun, and so goes on from the sentence before."""
    return bool(candidate.before) and _LEANS.match(candidate.text) is not None


def _leaned_on(said: Sequence[Candidate], ranked: Sequence[Ranked]) -> list[Candidate]:
    """The sentences before those that open with a pronoun, where they are not said themselves."""
    places = {(item.candidate.rank, item.candidate.text): item.candidate for item in ranked}
    texts = {candidate.text for candidate in said}
    before = [(one.rank, one.before) for one in said if leans(one)]
    return [places[key] for key in before if key in places and key[1] not in texts]


def _length(said: Sequence[Candidate]) -> int:
    return sum(len(candidate.text) for candidate in said)
