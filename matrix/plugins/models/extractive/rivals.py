"""Whether a candidate tells of another one than the question asks for: the top speed of MS Havørn, where that of MS
Teist is wanted, or of valve 54 where valve 57 is. Only names of several words are told apart so; what a single word
means is for the scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from matrix.plugins.models.extractive.composing import leans
from matrix.plugins.models.extractive.function_words import FUNCTION_WORDS, LIGHT_WORDS
from matrix.plugins.models.extractive.passages import Candidate
from matrix.plugins.models.extractive.question import Question, TermKind
from matrix.plugins.models.extractive.ranking import Ranked
from matrix.plugins.models.extractive.words import Token, tokenize

Name = tuple[str, ...]
ROOT = 4  # letters


def without_rivals(question: Question, ranked: Sequence[Ranked]) -> list[Ranked]:
    """Those that do not name another of the same kind, in order; none where the best one does, and nothing else says
    what it says of the other. A name that nothing here holds as it is written rules nothing out."""
    names = [name for name in names_of(question) if any(_holds(name, item.candidate.text) for item in ranked)]
    left = [item for item in ranked if not any(_is_rival(name, item.candidate) for name in names)]
    if not left or left[0] is ranked[0]:
        return left
    told = {place for place in ranked[0].weighed.said if question.terms[place].kind is TermKind.WORD}
    return left if told <= left[0].weighed.said.keys() else []


def names_of(question: Question) -> list[Name]:
    """Names of several words in the question, casefolded: neighbours with capitals, and any word with a number behind
    it. German writes every noun with a capital: there only the latter are seen."""
    tokens = tokenize(question.text)
    numbered: list[Name] = [
        (_plain(word), number.surface)
        for word, number in pairwise(tokens)
        if number.is_number and _is_subject(word, question) and _is_next(word, number, question.text)
    ]
    return numbered if question.language == "german" else [*_capitals(tokens[1:], question), *numbered]


def _capitals(tokens: Sequence[Token], question: Question) -> list[Name]:
    names: list[Name] = []
    run: list[Token] = []
    for token in [*tokens, None]:
        if token is not None and _may_follow(run, token, question.text):
            run.append(token)
            continue
        if len(run) > 1 and not (len(run) == 2 and run[1].is_number):
            names.append(tuple(_plain(one) for one in run))
        run = [token] if token is not None and _may_begin(token, question) else []
    return names


def _is_subject(token: Token, question: Question) -> bool:
    word = token.surface.casefold()
    return word[0].isalpha() and word not in FUNCTION_WORDS[question.language] and word not in LIGHT_WORDS


def _is_next(before: Token, token: Token, text: str) -> bool:
    return text[before.start + len(before.surface) : token.start] == " "


def _may_begin(token: Token, question: Question) -> bool:
    return token.surface[0].isupper() and token.surface.casefold() not in FUNCTION_WORDS[question.language]


def _may_follow(run: Sequence[Token], token: Token, text: str) -> bool:
    if not run or not (token.surface[0].isupper() or token.surface[0].isdigit()):
        return False
    before = run[-1]
    # «Africa's Lake» are two
    return _plain(before) == before.surface.casefold() and _is_next(before, token, text)


def _is_rival(name: Name, candidate: Candidate) -> bool:
    """The nearest words that say whom it is about decide: its own, the sentence that it leans on, its headings."""
    lent = [candidate.before] if leans(candidate) else []
    for text in (candidate.text, *lent, candidate.heading):
        if _holds(name, text):
            return False
        if _names_another(name, tokenize(text), text):
            return True
    return False


def _holds(name: Name, text: str) -> bool:
    words = [_plain(token) for token in tokenize(text)]
    if name[-1].isdigit():  # elsewhere in the text the number counts something else
        return any(_shared(name, words[start:]) == len(name) for start in range(len(words)))
    return set(name) <= set(words)


def _names_another(name: Name, tokens: Sequence[Token], text: str) -> bool:
    """Whether the beginning of the name stands there with another end."""
    numbered = name[-1].isdigit()
    for start, token in enumerate(tokens):
        if not (numbered or token.surface[0].isupper()) or not _shared(name[:1], [_plain(token)]):
            continue
        shared = _shared(name, (_plain(one) for one in tokens[start : start + len(name)]))
        follows = tokens[start + shared] if start + shared < len(tokens) else None
        if shared < len(name) and follows is not None and _may_follow([tokens[start + shared - 1]], follows, text):
            return True
    return False


def _shared(name: Name, words: Iterable[str]) -> int:
    """How many words are the same, or of one root: «South African» is no other than South Africa."""
    count = 0
    for wanted, word in zip(name, words, strict=False):
        if wanted != word and (wanted[0].isdigit() or wanted[:ROOT] != word[:ROOT]):
            break
        count += 1
    return count


def _plain(token: Token) -> str:
    return token.surface.casefold().removesuffix("'s").removesuffix("’s")
