"""Questions that lean on the one before them («and for the second one?»), made to stand on their own for a search."""

from __future__ import annotations

import re
from collections.abc import Sequence

OPENING = re.compile(
    r"^\s*(and|or|but|also|what about|how about|what else|then|und|oder|aber|was ist mit|wie ist es mit|et|y)\b",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"\b(it|its|they|them|their|theirs|he|him|his|she|her|hers|those|these|that one|this one|the (first|second|third"
    r"|last|other|same|former|latter)( one)?|ihn|ihm|ihr|dessen|deren|davon|dafür|dieser|dieses)\b",
    re.IGNORECASE,
)
LEAN_WORDS = 9  # a longer question says for itself what it is about
MOST_EARLIER = 3


def leans_on_earlier(question: str) -> bool:
    """Whether the question can hardly be understood without the one before it."""
    words = question.split()
    if len(words) > LEAN_WORDS:
        return False
    return len(words) <= 2 or bool(OPENING.search(question) or POINTING.search(question))


def standalone_query(question: str, earlier: Sequence[str]) -> str:
    """The question, with those before it in front as far back as they lean on each other. `earlier` is oldest first."""
    parts = [question]
    for before in reversed(earlier[-MOST_EARLIER:]):
        if not leans_on_earlier(parts[0]):
            break
        parts.insert(0, before)
    return " ".join(parts)
