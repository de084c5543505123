"""A question taken apart: its terms with their kinds, and the kind of answer that it wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from matrix.plugins.models.extractive.answer_kinds import AnswerKind, wanted_kind
from matrix.plugins.models.extractive.function_words import ANSWER_NOUNS, FUNCTION_WORDS, LIGHT_WORDS, language_of
from matrix.plugins.models.extractive.words import Token, squeeze, stemmer_for, tokenize


class TermKind(StrEnum):
    WORD = "WORD"
    NAME = "NAME"
    NUMBER = "NUMBER"
    CODE = "CODE"


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question that a passage can hold. `weight` is its share before rarity is known."""

    stem: str
    kind: TermKind
    weight: float = 1.0

    @property
    def exact(self) -> bool:
        return self.kind in (TermKind.NUMBER, TermKind.CODE)


@dataclass(frozen=True, slots=True)
class Question:
    """`terms` in the order in which they are asked; `language` is a Snowball name; `stem` its stemmer."""

    text: str
    language: str
    terms: tuple[Term, ...]
    wanted: AnswerKind
    stem: Callable[[str], str]


_FOLLOW_UP_WEIGHT = 0.4
_ANSWER_NOUN_WEIGHT = 0.35
_LIGHT_WORD_WEIGHT = 0.5


def read_question(text: str, earlier: str = "") -> Question:
    """The question as it is compared with passages. `earlier` is the question before, where this one leans on it."""
    tokens = tokenize(text)
    language = language_of([token.surface.lower() for token in tokens])
    stem = stemmer_for(language)
    terms = _terms(tokens, language, stem, 1.0)
    if earlier:
        terms = {**_terms(tokenize(earlier), language, stem, _FOLLOW_UP_WEIGHT), **terms}
    return Question(text, language, tuple(terms.values()), wanted_kind(text), stem)


def _terms(tokens: list[Token], language: str, stem: Callable[[str], str], weight: float) -> dict[str, Term]:
    function_words = FUNCTION_WORDS[language]
    terms: dict[str, Term] = {}
    for place, token in enumerate(tokens):
        if token.is_code:
            code = squeeze(token.surface)
            terms[code] = Term(code, TermKind.CODE, weight)
            continue
        for form in token.parts:
            if form in function_words or (len(form) == 1 and not form.isdigit()):
                continue
            kind = _kind(token, place, language)
            stemmed = form if kind is TermKind.NUMBER else stem(form)
            terms.setdefault(stemmed, Term(stemmed, kind, weight * _share(form)))
    return terms


def _share(word: str) -> float:
    if word in ANSWER_NOUNS:
        return _ANSWER_NOUN_WEIGHT
    return _LIGHT_WORD_WEIGHT if word in LIGHT_WORDS else 1.0


def _kind(token: Token, place: int, language: str) -> TermKind:
    if token.is_number:
        return TermKind.NUMBER
    # German writes every noun with a capital: there it says nothing about names.
    if language != "german" and place > 0 and token.surface[0].isupper():
        return TermKind.NAME
    return TermKind.WORD
