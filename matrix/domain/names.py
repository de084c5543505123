"""Names that people give to things: organizations, people, corpora, agents and all other entities. Names of documents
are paths, with a rule of their own (`matrix.ingest.names`)."""

from __future__ import annotations

import unicodedata

from matrix.errors import InvalidInput

LONGEST_NAME = 200  # characters
_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control characters, halves of characters, line and paragraph separators
_TEXT_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_name(name: str, field: str = "name") -> str:
    """The name, trimmed. Errors: InvalidInput."""
    trimmed = name.strip()
    if not 0 < len(trimmed) <= LONGEST_NAME:
        raise InvalidInput(f"A name has 1 to {LONGEST_NAME} characters.", field=field)
    if any(unicodedata.category(char) in _HIDDEN or char in _TEXT_DIRECTION for char in trimmed):
        raise InvalidInput("A name holds no line breaks and no control characters.", field=field)
    return trimmed
