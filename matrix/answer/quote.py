"""The words of a passage that a sentence rests on, with their place in the parsed text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matrix.domain.retrieval import Hit
from matrix.domain.sentences import sentence_spans

WORD = re.compile(r"\w+")
LABEL = re.compile(r"(?:^|;\s*)[^:;\n]{1,60}:\s")
LONGEST_QUOTE = 400  # characters


@dataclass(frozen=True, slots=True)
class Quote:
    """`start` and `end` are code points in the parsed text of the document's version."""

    text: str
    start: int
    end: int


def find_quote(sentence: str, hit: Hit) -> Quote:
    """The sentence of the passage that shares most words with `sentence`; the sentence itself where it stands there."""
    exact = _find_exact(sentence, hit.text)
    start, end = exact or _closest(sentence, hit.text)
    text = hit.text[start:end]
    return Quote(text=text[:LONGEST_QUOTE], start=hit.source.start + start, end=hit.source.start + end)


def _find_exact(sentence: str, passage: str) -> tuple[int, int] | None:
    words = sentence.split()
    if not words:
        return None
    match = re.search(r"\s+".join(re.escape(word) for word in words), passage)
    return match.span() if match else None


def _closest(sentence: str, passage: str) -> tuple[int, int]:
    wanted = _words(_without_labels(sentence))
    spans = sentence_spans(passage) or [(0, len(passage))]
    return max(spans, key=lambda span: _likeness(wanted, _words(passage[span[0] : span[1]])))


def _without_labels(sentence: str) -> str:
    """A table's row said as «Column: value; …» is looked for by its values: the columns' names stand in the header."""
    return LABEL.sub(" ", sentence) if len(LABEL.findall(sentence)) > 1 else sentence


def _likeness(wanted: set[str], found: set[str]) -> float:
    """Share of the wanted words that are found, less a little for words that were not asked for."""
    if not wanted or not found:
        return 0.0
    return len(wanted & found) / len(wanted) - 0.1 * len(found - wanted) / len(found)


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}
