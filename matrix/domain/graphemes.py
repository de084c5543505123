"""Where a text may be cut without cutting through what a reader takes for one character (Unicode UAX 29)."""

from __future__ import annotations

from unicodedata import category

import regex

_CLUSTER = regex.compile(r"\X")
_FIRST_EXTENDING = "\u0300"  # the first code point that can belong to the one before it
_FIRST_PREPENDED = "\u0600"  # the first that can belong to the one after it
_LOOK_BACK = 64


def is_boundary(text: str, position: int) -> bool:
    """Whether a cluster ends at `position`; its start is looked for in the 64 code points before."""
    if not 0 < position < len(text):
        return True
    before, after = text[position - 1], text[position]
    if after < _FIRST_EXTENDING and before < _FIRST_PREPENDED:
        return not (before == "\r" and after == "\n")
    if not _needs_context(before):
        return _CLUSTER.fullmatch(text, position - 1, position + 1) is None
    start = max(0, position - _LOOK_BACK)
    window = text[start : position + 1]
    return any(match.end() == position - start for match in _CLUSTER.finditer(window))


def _needs_context(character: str) -> bool:
    """Marks, joiners and regional indicators: whether they hold on to what follows depends on what is before them."""
    return category(character)[0] == "M" or character == "\u200d" or "\U0001f1e6" <= character <= "\U0001f1ff"


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without the white space at its ends; equal numbers where it is blank. A space that carries a
    combining mark stays."""
    stretch = text[start:end]
    if not stretch.strip():
        return end, end
    first, last = end - len(stretch.lstrip()), start + len(stretch.rstrip())
    while first > start and not is_boundary(text, first):
        first -= 1
    while last < end and not is_boundary(text, last):
        last += 1
    return first, last
