"""Which terms of a question a text holds, how surely, and where."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from matrix.plugins.models.extractive.question import Question, Term, TermKind
from matrix.plugins.models.extractive.synonyms import synonyms_of
from matrix.plugins.models.extractive.words import Token, tokenize

_RELATED = 0.6
_SYNONYM = 0.7


@dataclass(frozen=True, slots=True)
class Match:
    """`found` maps the place of a term in the question to how surely the text holds it (0-1), `at` to the word
    positions where; `words` counts the text's words."""

    found: Mapping[int, float]
    at: Mapping[int, tuple[int, ...]]
    words: int


class TermMatcher:
    """Finds one question's terms in many texts. Words that cannot match are told by their first letter, unstemmed."""

    def __init__(self, question: Question) -> None:
        self._stem = question.stem
        self._compounds = question.language == "german"
        self._exact = {term.stem: place for place, term in enumerate(question.terms)}
        self._soft = _soft_forms(question)
        self._inside = [(term.stem, place) for place, term in enumerate(question.terms) if _can_be_part(term)]
        self._joined = {t.stem for t in question.terms if t.kind is TermKind.CODE}
        self._starts = {_first_letter(form) for form in [*self._exact, *self._soft]}
        self._known: dict[tuple[str, ...], tuple[tuple[int, float], ...]] = {}
        self._read: dict[str, Match] = {}

    def match(self, text: str) -> Match:
        """What `text` holds of the question; the same text is read once."""
        if text not in self._read:
            self._read[text] = self._match(text)
        return self._read[text]

    def _match(self, text: str) -> Match:
        found: dict[int, float] = {}
        at: dict[int, list[int]] = {}
        tokens = tokenize(text)
        for position, token in enumerate(tokens):
            for place, surety in self._match_token(tokens, position, token):
                found[place] = max(surety, found.get(place, 0.0))
                at.setdefault(place, []).append(position)
        return Match(found, {place: tuple(where) for place, where in at.items()}, len(tokens))

    def _match_token(self, tokens: list[Token], position: int, token: Token) -> tuple[tuple[int, float], ...]:
        hits = self._known.get(token.forms)
        if hits is None:
            hits = self._known[token.forms] = tuple(hit for form in token.forms for hit in self._look_up(form))
        if self._joined and position + 1 < len(tokens):
            joined = token.forms[0] + tokens[position + 1].forms[0]
            if joined in self._joined:
                return (*hits, (self._exact[joined], 1.0))
        return hits

    def _look_up(self, form: str) -> list[tuple[int, float]]:
        hits: list[tuple[int, float]] = []
        if _first_letter(form) in self._starts:
            stemmed = self._stem(form)
            for known in {form, stemmed}:
                if known in self._exact:
                    return [(self._exact[known], 1.0)]
                hits.extend(self._soft.get(known, ()))
            hits.extend((place, _RELATED) for stem, place in self._inside if _same_root(stem, stemmed))
        if self._compounds and len(form) > 8:
            hits.extend((place, _RELATED) for stem, place in self._inside if stem in form)
        return hits


def _soft_forms(question: Question) -> dict[str, list[tuple[int, float]]]:
    soft: dict[str, list[tuple[int, float]]] = {}
    for place, term in enumerate(question.terms):
        if term.kind is TermKind.WORD:
            for other in synonyms_of(term.stem, question.language, question.stem):
                soft.setdefault(other, []).append((place, _SYNONYM))
    return soft


def _first_letter(form: str) -> str:
    """Without its accents, which some stemmers take away."""
    return unicodedata.normalize("NFKD", form[:1])[:1]


def _can_be_part(term: Term) -> bool:
    return not term.exact and len(term.stem) >= 5


def _same_root(one: str, other: str) -> bool:
    """Two stems that begin alike far enough to be of one family, such as `administr` and `administ`."""
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared >= 5 and shared >= 0.7 * max(len(one), len(other))
