"""Text to the words that are compared: tokens, stems, codes and numbers. No scoring here."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import snowballstemmer  # type: ignore[import-untyped]  # it ships no types

_TOKEN = re.compile(r"[^\W_]+(?:[-_./:'’@+&][^\W_]+)*", re.UNICODE)
_SEPARATORS = re.compile(r"[-_./:'’@+&]")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[^\W\d_].*|.*_.*")
_NUMBER = re.compile(r"\d[\d.,:/]*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_POSSESSIVE = re.compile(r"['’]s?$")
_NUMBER_WORDS = (
    "two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 fifteen=15 twenty=20 "
    "thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90 hundred=100 thousand=1000 "
    "zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 hundert=100"
)
_DIGITS = dict(pair.split("=") for pair in _NUMBER_WORDS.split())


class Token(NamedTuple):
    """A word as written (`surface`), where it stands, and the forms under which it can be found."""

    surface: str
    start: int
    forms: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """What the word is made of: the sides of a hyphen, the number that it spells, else itself."""
        return self.forms[1:] or self.forms

    @property
    def is_code(self) -> bool:
        return _CODE.fullmatch(self.surface) is not None

    @property
    def is_number(self) -> bool:
        return self.surface[0].isdigit() and _NUMBER.fullmatch(self.surface) is not None


def tokenize(text: str) -> list[Token]:
    """Words, numbers and codes of any script, in order; runs of scripts without spaces become pairs of characters."""
    tokens: list[Token] = []
    unspaced = _UNSPACED.search(text) is not None
    for match in _TOKEN.finditer(text):
        surface = match.group()
        if unspaced and _UNSPACED.search(surface):
            tokens.extend(_character_pairs(surface, match.start()))
        else:
            tokens.append(Token(surface, match.start(), _forms(surface)))
    return tokens


@lru_cache(maxsize=20_000)
def _forms(surface: str) -> tuple[str, ...]:
    lower = _POSSESSIVE.sub("", surface).lower()
    if lower in _DIGITS:
        return (lower, _DIGITS[lower])
    if not _SEPARATORS.search(lower):
        return (lower,)
    if _NUMBER.fullmatch(lower):
        return (plain_number(lower),)
    return (squeeze(lower), *(part for part in _SEPARATORS.split(lower) if part))


def _character_pairs(run: str, start: int) -> list[Token]:
    if len(run) == 1:
        return [Token(run, start, (run,))]
    return [Token(run[i : i + 2], start + i, (run[i : i + 2].lower(),)) for i in range(len(run) - 1)]


def squeeze(code: str) -> str:
    """A code without its separators: `ERR-4711` and `err 4711` are one."""
    return _SEPARATORS.sub("", code.lower())


def plain_number(number: str) -> str:
    """A number without thousands separators: 1,000 and 1000 are one."""
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", number)


@lru_cache(maxsize=8)
def stemmer_for(language: str) -> Callable[[str], str]:
    """The stemmer of a Snowball language such as `english`, with a bounded memory; threads may share it."""
    stemmer = snowballstemmer.stemmer(language)
    one_at_a_time = Lock()  # it keeps the word that it works on on itself

    @lru_cache(maxsize=20_000)
    def stem(word: str) -> str:
        with one_at_a_time:
            stemmed: str = stemmer.stemWord(word)
            return stemmed

    return stem
