"""Running prose to its sentences."""

from __future__ import annotations

import re

_LONG = 400
_END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s)|[。！？]+[」』”]*")
_LAST_WORD = re.compile(r"([^\s(\[\"“]+)$")
_ABBREVIATED = """
a.m approx apr art aug bspw bzw ca capt cf ch co col corp d.c d.h dec dept dr e.g eg est etc evtl feb fig figs fri
gen ggf hon i.e ie inc inkl jan jr jul jun lt ltd mar max min mon mr mrs ms no nos nov nr oct p p.m pp prof rev sec
sep sept sgt sr st str tel thu tue u.a u.k u.s usw vgl vol vs wed z.b
"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
# Before a number, or never at an end at all; and those that a capital may follow within a sentence.
_BEFORE_NUMBERS = frozenset(("no", "nos", "nr", "p", "pp", "art", "fig", "ch", "sec", "vol"))
_OFTEN_LAST = frozenset(("a.m", "p.m", "etc"))


def split_sentences(text: str) -> list[str]:
    """The sentences of one paragraph, each with its whitespace normalised, in order."""
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if _ends_sentence(text, match):
            sentences.append(text[start : match.end()])
            start = match.end()
    sentences.append(text[start:])
    plain = [" ".join(sentence.split()) for sentence in sentences if sentence.strip()]
    return [part for sentence in plain for part in _parts(sentence)]


def _parts(sentence: str) -> list[str]:
    """A sentence too long to be an answer in its parts between semicolons."""
    return re.split(r"(?<=;) ", sentence) if len(sentence) > _LONG else [sentence]


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 80].lstrip()
    if match.group()[0] in "。！？" or not following:
        return True
    if following[0].islower():
        return False
    if match.group()[0] != "." or match.group().startswith(".."):
        return True
    last = _LAST_WORD.search(text, max(0, match.start() - 30), match.start())
    return not _is_abbreviation(last.group().lower() if last else "", following[0])


def _is_abbreviation(word: str, following: str) -> bool:
    """Whether a stop after `word`, before the character `following`, belongs to the word."""
    if word in _OFTEN_LAST:
        return not following.isupper()
    if word == "no":  # a whole sentence as well
        return following.isdigit()
    return word in _BEFORE_NUMBERS or word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())
