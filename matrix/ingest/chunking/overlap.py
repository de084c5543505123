"""How far a chunk reaches back into the one before: its last whole sentences, as many as the overlap holds."""

from __future__ import annotations

import regex

from matrix.domain.graphemes import is_boundary
from matrix.ingest.chunking.gaps import Gaps
from matrix.ingest.chunking.limits import ChunkLimits
from matrix.ingest.chunking.long_text import Rank

_SPACE = regex.compile(r"\s+")


def overlap_start(text: str, gaps: Gaps, previous: int, cut: int, limits: ChunkLimits) -> int:
    """Where the chunk begins that is cut at gap `cut`, its overlap with the chunk from gap `previous` on included.

    Only a sentence that is longer than the whole overlap is taken in part, from the start of a word. Headings, code,
    tables and records stop it, and it never is the whole chunk before.
    """
    body = gaps.afters[cut]
    if gaps.fresh[cut]:
        return body
    earliest = body - limits.overlap
    if gaps.afters[previous] >= earliest:
        return body
    start, gap = body, cut
    while gap > previous:
        gap -= 1
        if gaps.afters[gap] < earliest:
            break
        if gaps.ranks[gap] >= Rank.SENTENCE or gaps.fresh[gap]:
            start = gaps.afters[gap]
        if gaps.fresh[gap]:
            return start
    return start if start < body else _word_start(text, earliest, gaps.befores[cut], body)


def _word_start(text: str, earliest: int, end: int, otherwise: int) -> int:
    for match in _SPACE.finditer(text, earliest, end):
        if match.end() < end and is_boundary(text, match.end()):
            return match.end()
    return otherwise
