"""Names that people give to things: organizations, people, corpora, agents and all other entities. Names of documents
are paths, with a rule of their own (`matrix.ingest.names`)."""

from __future__ import annotations

import unicodedata

from matrix.errors import InvalidInput

LONGEST_NAME = 200  # characters
_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control characters, halves of characters, line and paragraph separators
# Soft hyphen, zero-width space, word joiner, byte order mark. Joiners and direction marks are letters' business.
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u00ad\u180e\u200b\u2060\ufeff"))
_TEXT_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def without_zero_width(text: str) -> str:
    """The text without characters that nobody sees and no script needs: two names that read the same are the same."""
    return text.translate(_ZERO_WIDTH)


def is_visible(text: str) -> bool:
    """Whether there is anything to see."""
    return any(unicodedata.category(char)[0] not in "CZ" for char in text)


def check_name(name: str, field: str = "name") -> str:
    """The name, trimmed. Errors: InvalidInput."""
    trimmed = without_zero_width(name).strip()
    if trimmed and not is_visible(trimmed):
        raise InvalidInput("A name holds something to see.", field=field)
    if not 0 < len(trimmed) <= LONGEST_NAME:
        raise InvalidInput(f"A name has 1 to {LONGEST_NAME} characters.", field=field)
    if any(unicodedata.category(char) in _HIDDEN or char in _TEXT_DIRECTION for char in trimmed):
        raise InvalidInput("A name holds no line breaks and no control characters.", field=field)
    return trimmed
