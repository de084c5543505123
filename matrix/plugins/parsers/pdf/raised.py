"""Raised numbers of a PDF, which are marks of footnotes or powers: written in raised characters, so that «450» with the
mark 3 reads «450 ³» and not «4503», and «m» with a raised 2 reads «m²». Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_RAISED = str.maketrans("0123456789+-\u2212=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_MARK = re.compile(r"[0-9+\-\u2212=(),;\s]*[0-9][0-9+\-\u2212=(),;\s]*\Z")
_GLUED = re.compile(r"(?<=[0-9])(?=[⁰¹²³⁴-⁹⁺-⁾])|(?<=[^\W\d_⁰¹²³⁴-⁹]{3})(?=[⁰¹²³⁴-⁹⁺-⁾])")
SMALLER = 0.85
"""Raised letters are set in at most this share of the line's size …"""
HIGHER = 0.18
"""… and stand at least this share of it above the others."""


def is_raised(size: float, baseline: float, line_size: float, line_baseline: float) -> bool:
    """Whether letters of this size and baseline (points from the page's top) stand raised in such a line."""
    return size <= SMALLER * line_size and line_baseline - baseline >= HIGHER * line_size


def raised(text: str) -> str:
    """The text in raised characters if it is numbers; words («1st», «TM») stay as they are."""
    return text.translate(_RAISED) if _MARK.match(text) else text


def set_apart(text: str) -> str:
    """Raised numbers after a number or a word stand alone, so that the word is found as it is; after one or two letters
    they belong to a unit or a variable."""
    return _GLUED.sub(" ", text)


def is_glued(before: str, after: str) -> bool:
    """Whether a raised number at the start of `after` has to be set apart from `before`."""
    return len(set_apart(before[-3:] + after[:1])) > len(before[-3:] + after[:1])


def with_raised_runs(letters: str, flags: Sequence[bool]) -> str:
    """As many letters, each run of flagged ones as `raised` says. A fraction's numerator, before a slash, stays."""
    parts: list[str] = []
    start = 0
    for index in range(1, len(letters) + 1):
        if index < len(letters) and flags[index] == flags[start]:
            continue
        run = letters[start:index]
        is_numerator = letters[index : index + 1] in ("/", "\u2044")
        parts.append(raised(run) if flags[start] and not is_numerator else run)
        start = index
    return "".join(parts)
