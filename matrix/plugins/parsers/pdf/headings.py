"""Which lines of a PDF are headings, and of which level: the outline's own titles first, then numbered or large or bold
lines that stand alone. Levels come from sizes relative to the body's, so that slices of one document agree. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matrix.plugins.parsers.pdf.lines import Line
from matrix.plugins.parsers.pdf.pages import OutlineEntry

_LONGEST = 160
_MOST_ON_A_PAGE = 200  # outline entries: more lead nobody anywhere
_SENTENCE_END = (".", ",", ";", ":", "!", "…")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_NUMBER = re.compile(
    r"(?:chapter|section|part|appendix|annex|article|kapitel|abschnitt|teil|anhang|chapitre|capitolo|capitulo|parte)?"
    r"(?:[0-9]+[a-z]?|[ivxlc]+|[a-z])?"
)
_SHORTEST_TITLE = 3
_SHORTEST_PART = 8
_STANDS_OUT = 1.05
_STEPS = ((1.75, 1), (1.4, 2), (1.15, 3))
_BOLD_LEVEL = 4
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class HeadingRules:
    """What is known of the document's headings: the body's font size in points, and the outline's titles by page."""

    body_size: float
    outline: dict[int, tuple[tuple[str, int], ...]]

    def level(self, line: Line) -> int:
        """1 to 6, or 0 where the line is no heading."""
        listed = self._listed(line)
        if listed:
            return listed
        if (
            len(line.text) > _LONGEST
            or line.hyphen
            or line.widest_gap > 2 * line.size
            or line.cells
            or line.ruled
            or not _LETTERS.search(line.text)
        ):
            return 0
        for ratio, level in _STEPS:
            if line.size >= ratio * self.body_size:
                return level
        if line.bold and line.size >= 0.97 * self.body_size and not line.text.endswith(_SENTENCE_END):
            return _BOLD_LEVEL
        return 0

    def _listed(self, line: Line) -> int:
        titles = self.outline.get(line.page)
        if titles is None or line.ruled:
            return 0
        words = _key(line.text)
        stands_out = line.bold or line.size >= _STANDS_OUT * self.body_size
        for title, level in titles:
            if title == words or _is_numbered(title, words) or _is_numbered(words, title):
                return min(level, _DEEPEST)
            if stands_out and len(words) > _SHORTEST_PART and words in title:  # one line of a title that takes several
                return min(level, _DEEPEST)
        return 0


def heading_rules(lines: Iterable[Line], outline: Sequence[OutlineEntry]) -> HeadingRules:
    by_page: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for entry in outline:
        if len(by_page[entry.page]) < _MOST_ON_A_PAGE:
            by_page[entry.page].append((_key(entry.title), entry.level))
    return HeadingRules(_body_size(lines), {page: tuple(titles) for page, titles in by_page.items()})


def _body_size(lines: Iterable[Line]) -> float:
    """The size in which most characters are set, to half a point."""
    letters: dict[float, int] = defaultdict(int)
    for line in lines:
        letters[round(line.size * 2) / 2] += len(line.text)
    return max(letters, key=lambda size: letters[size], default=0.0) or 10.0


def _is_numbered(longer: str, shorter: str) -> bool:
    """Whether the one is the other with a number before it, which outlines and pages often differ in. A sentence that
    ends in the words of a title is none."""
    return (
        len(shorter) >= _SHORTEST_TITLE
        and longer.endswith(shorter)
        and _NUMBER.fullmatch(longer, 0, len(longer) - len(shorter)) is not None
    )


def _key(title: str) -> str:
    return "".join(letter for letter in title.casefold() if letter.isalnum())
