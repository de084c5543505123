"""Whether words rest on what was read: the check of a sentence that cites nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

WORD = re.compile(r"\w+")
SHORTEST_CONTENT_WORD = 4
NEEDED_SHARE = 0.6


def is_supported(sentence: str, sources: Iterable[str]) -> bool:
    """True when every number and most of the content words of `sentence` occur in the sources."""
    known = {word.lower() for source in sources for word in WORD.findall(source)}
    words = [word.lower() for word in WORD.findall(sentence)]
    if any(word not in known for word in words if word[0].isdigit()):
        return False
    content = [word for word in words if len(word) >= SHORTEST_CONTENT_WORD]
    return bool(content) and sum(word in known for word in content) >= NEEDED_SHARE * len(content)
