"""Which gaps become cuts. Nothing is packed from the start of the text: whether a gap is used depends only on the gaps
within a few chunks of it, so that an edit moves the cuts near it and no others.

Two steps. First, over the whole text, in the order of priority: at every heading that leaves enough on both sides, and
elsewhere until no segment is longer than a few chunks. Then each segment by itself: at the best gap that makes no more
chunks than the segment needs.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from matrix.ingest.chunking.gaps import Gaps
from matrix.ingest.chunking.limits import ChunkLimits
from matrix.ingest.chunking.long_text import Rank

SEGMENT = 3.0  # longest segment left by the first step, in chunk bodies
WIDE = 1.0  # least distance between two cuts of the first step that are not at headings, in chunk bodies
FILL = 0.95  # how full chunks are planned: the rest is room to choose good gaps, and to let small edits change nothing


def cuts_of(gaps: Gaps, limits: ChunkLimits) -> list[int]:
    """Numbers of the gaps to cut at, in order, the two ends of the text included."""
    order = _by_priority(gaps)
    coarse = _coarse_cuts(gaps, order, limits)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    cuts = [0]
    for first, last in pairwise(coarse):
        inside = first + 1 + np.argsort(place[first + 1 : last])
        cuts += [*_cuts_between(gaps, first, last, inside.tolist(), limits), last]
    return cuts


def _by_priority(gaps: Gaps) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    ranks = np.frombuffer(gaps.ranks, dtype=np.int8)
    hashes = np.frombuffer(gaps.hashes, dtype=np.uint64)
    return np.lexsort((hashes, -ranks))


def _coarse_cuts(gaps: Gaps, order: np.ndarray[tuple[int], np.dtype[np.int64]], limits: ChunkLimits) -> list[int]:
    cuts = [0, len(gaps) - 1]
    for gap in order.tolist():
        if gap in (0, len(gaps) - 1):
            continue
        place = bisect(cuts, gap)
        first, last = cuts[place - 1], cuts[place]
        heading = gaps.ranks[gap] >= Rank.HEADING
        if not heading and gaps.length(first, last) <= SEGMENT * limits.body:
            continue
        least = limits.least if heading else WIDE * limits.body
        if min(gaps.length(first, gap), gaps.length(gap, last)) >= least:
            insort(cuts, gap)
    return cuts


def _cuts_between(gaps: Gaps, first: int, last: int, inside: Sequence[int], limits: ChunkLimits) -> list[int]:
    """The cuts between two gaps, in order. `inside` holds the gaps between them, best first."""
    if gaps.length(first, last) <= _room(gaps, first, limits):
        return []
    cut = _best(gaps, first, last, inside, limits)
    left = _cuts_between(gaps, first, cut, [gap for gap in inside if gap < cut], limits)
    right = _cuts_between(gaps, cut, last, [gap for gap in inside if gap > cut], limits)
    return [*left, cut, *right]


def _room(gaps: Gaps, first: int, limits: ChunkLimits) -> int:
    return limits.size if gaps.fresh[first] else limits.body


def _best(gaps: Gaps, first: int, last: int, inside: Sequence[int], limits: ChunkLimits) -> int:
    """The best gap that wastes nothing and leaves no scrap; else the best that leaves no scrap; else the best."""
    needed = _chunks_needed(gaps, first, last, limits)
    second: int | None = None
    for gap in inside:
        shorter = min(gaps.length(first, gap), gaps.length(gap, last))
        if gaps.ranks[gap] < Rank.SENTENCE and second is not None:
            break
        if shorter < (limits.slight if gaps.ranks[gap] >= Rank.BLOCK else limits.least):
            continue
        made = _chunks_needed(gaps, first, gap, limits) + _chunks_needed(gaps, gap, last, limits)
        if made <= needed:
            return gap
        second = gap if second is None else second
    return inside[0] if second is None else second


def _chunks_needed(gaps: Gaps, first: int, last: int, limits: ChunkLimits) -> int:
    length = gaps.length(first, last)
    if length <= _room(gaps, first, limits):
        return 1
    return max(2, -int(-length // (FILL * limits.body)))
