"""Where a sentence, a row or a line that is too long for a chunk may be cut after all: at the end of a line, after a
comma, between words, and at last between characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from itertools import chain

import regex

from matrix.domain.graphemes import is_boundary


class Rank(IntEnum):
    """How good a place to cut is, from worst to best. Headings of level n have HEADING + 6 - n."""

    LAST_RESORT = 0
    CODE_POINT = 1
    CLUSTER = 2
    WORD = 3
    CLAUSE = 4
    LINE = 5
    SENTENCE = 6
    ITEM = 7
    BLOCK = 8
    HEADING = 9


Cut = tuple[int, int, Rank]  # end of what is before, start of what is after, rank

APART = 16  # code points; places nearer than this to a better or equal one bring nothing but work

_PLACE = regex.compile(r"(?<=[、，；：])(?=\S)|\s+")
_LINE_ENDS = regex.compile(r"(?<![^\S\n])[^\S\n]*+\n(?:[^\S\n]*+\n)*+")
_CLUSTER = regex.compile(r"\X")
_CLAUSE_ENDS = frozenset(",;:、，；：|–—")


def thinned(cuts: Iterable[Cut], start: int) -> Iterator[Cut]:
    """The cuts without those that follow another of at least their rank too closely."""
    last, last_rank = start, Rank.BLOCK
    for cut in cuts:
        if cut[1] - last >= APART or cut[2] > last_rank:
            yield cut
            last, last_rank = cut[1], cut[2]


def refined(
    cuts: Iterable[Cut], start: int, end: int, longest: int, finer: Callable[[int, int], Iterator[Cut]]
) -> Iterator[Cut]:
    """The cuts, in order, with `finer` ones between them where more than `longest` code points would stay together."""
    last = start
    for cut in chain(cuts, [None]):
        before = end if cut is None else cut[0]
        if before - last > longest:
            yield from finer(last, before)
        if cut is not None:
            yield cut
            last = cut[1]


def cuts_in_long(text: str, start: int, end: int, longest: int) -> Iterator[Cut]:
    """Places to cut in a stretch, in order, that leave nothing longer than `longest` code points between them."""

    def in_words(first: int, last: int) -> Iterator[Cut]:
        return refined(_cuts_between_words(text, first, last), first, last, longest, in_word)

    def in_word(first: int, last: int) -> Iterator[Cut]:
        return _cuts_in_word(text, first, last, longest)

    return refined(thinned(_cuts_between_words(text, start, end), start), start, end, longest, in_words)


def _cuts_between_words(text: str, start: int, end: int) -> Iterator[Cut]:
    for match in _PLACE.finditer(text, start, end):
        before, after = match.span()
        before += not is_boundary(text, before)
        after -= not is_boundary(text, after)
        if start < before <= after < end:
            yield before, after, _rank_of(text, before, after)


def _rank_of(text: str, before: int, after: int) -> Rank:
    if "\n" in text[before:after]:
        return Rank.LINE
    return Rank.CLAUSE if text[before - 1] in _CLAUSE_ENDS else Rank.WORD


def _cuts_in_word(text: str, start: int, end: int, longest: int) -> Iterator[Cut]:
    """Counted from the word's start, not anchored in content: such a word is data, seldom edited by a person."""
    step = max(1, longest // 64)
    for match in regex.finditer(rf"\X{{1,{step}}}", text, pos=start, endpos=end):
        if match.start() > start:
            yield match.start(), match.start(), Rank.CLUSTER
        if match.end() - match.start() > longest // 2:
            yield from _cuts_in_clusters(text, match.start(), match.end(), longest)


def _cuts_in_clusters(text: str, start: int, end: int, longest: int) -> Iterator[Cut]:
    for match in _CLUSTER.finditer(text, start, end):
        if match.start() > start:
            yield match.start(), match.start(), Rank.CLUSTER
        # One character of so many marks is an attack on renderers; the size holds, the character does not.
        for position in range(match.start() + longest // 2, match.end(), longest // 2):
            yield position, position, Rank.CODE_POINT


def cuts_at_lines(text: str, start: int, end: int) -> Iterator[Cut]:
    """The ends of lines; those before a blank line rank as sentences do."""
    for match in _LINE_ENDS.finditer(text, start, end):
        before, after = match.span()
        if start < before and after < end and is_boundary(text, after):
            yield before, after, Rank.SENTENCE if match[0].count("\n") > 1 else Rank.LINE
