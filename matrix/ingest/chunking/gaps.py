"""All places where a document may be cut, each with its priority: how good a place it is, then a hash of the text
around it. Which of them are used is decided in `cuts`."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

from matrix.domain.documents import BlockKind
from matrix.domain.graphemes import is_boundary
from matrix.domain.sentences import sentence_starts
from matrix.ingest.chunking.limits import ChunkLimits
from matrix.ingest.chunking.long_text import Cut, Rank, cuts_at_lines, cuts_in_long, refined, thinned
from matrix.ingest.chunking.stretches import STANDING_ALONE, Stretch

# Wide enough that only repeated text has equal neighbourhoods, narrow enough that an edit reaches few of them.
_NEIGHBOURHOOD = 96
_INTRODUCED = frozenset({BlockKind.LIST_ITEM, BlockKind.QUOTE}) | STANDING_ALONE


@dataclass(frozen=True, slots=True)
class Gaps:
    """Columns, in the order of the text; the first and the last row stand for its two ends.

    Before `befores[i]` one piece may end, at `afters[i]` the next begin (white space between them); `fresh[i]`: nothing
    overlaps across this gap. `hashes` are 64 bits.
    """

    befores: array[int]
    afters: array[int]
    ranks: array[int]
    fresh: array[int]
    hashes: array[int]

    def __len__(self) -> int:
        return len(self.befores)

    def length(self, first: int, last: int) -> int:
        """Code points between two gaps."""
        return self.befores[last] - self.afters[first]


def gaps_of(text: str, stretches: list[Stretch], limits: ChunkLimits) -> Gaps:
    """The gaps of a text that is not blank."""
    gaps = Gaps(array("q"), array("q"), array("b"), array("b"), array("Q"))
    _add(gaps, text, (stretches[0].start, stretches[0].start, Rank.LAST_RESORT), fresh=True)
    _add_inside(gaps, text, stretches[0], limits)
    for left, right in pairwise(stretches):
        if is_boundary(text, left.end) and is_boundary(text, right.start):
            cut = (left.end, right.start, _rank_between(text, left, right))
            _add(gaps, text, cut, fresh=not (_overlaps(left) and _overlaps(right)))
        _add_inside(gaps, text, right, limits)
    _add(gaps, text, (stretches[-1].end, stretches[-1].end, Rank.LAST_RESORT), fresh=True)
    return gaps


def _add(gaps: Gaps, text: str, cut: tuple[int, int, int], *, fresh: bool) -> None:
    before, after, rank = cut
    around = f"{text[max(0, before - _NEIGHBOURHOOD) : before]}\x00{text[after : after + _NEIGHBOURHOOD]}"
    digest = blake2b(around.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    gaps.befores.append(before)
    gaps.afters.append(after)
    gaps.ranks.append(rank)
    gaps.fresh.append(fresh)
    gaps.hashes.append(int.from_bytes(digest))


def _add_inside(gaps: Gaps, text: str, stretch: Stretch, limits: ChunkLimits) -> None:
    fresh = not _overlaps(stretch)
    for cut in _cuts_inside(text, stretch, limits):
        _add(gaps, text, cut, fresh=fresh)


def _overlaps(stretch: Stretch) -> bool:
    return stretch.kind is not BlockKind.HEADING and stretch.kind not in STANDING_ALONE


def _rank_between(text: str, left: Stretch, right: Stretch) -> int:
    """A heading stays with what follows, a lead-in with its list, an item with its neighbours."""
    if right.kind is BlockKind.HEADING and not (left.kind is BlockKind.HEADING and left.level < right.level):
        return Rank.HEADING + 6 - right.level
    if left.kind is BlockKind.HEADING:
        return Rank.LAST_RESORT
    if right.kind in _INTRODUCED and text[left.end - 1] in ":：":
        return Rank.ITEM
    return Rank.ITEM if left.kind is right.kind is BlockKind.LIST_ITEM else Rank.BLOCK


def _cuts_inside(text: str, stretch: Stretch, limits: ChunkLimits) -> Iterator[Cut]:
    longest = limits.body if _overlaps(stretch) else limits.size
    match stretch.kind:
        case BlockKind.HEADING:
            cuts: Iterator[Cut] = iter(())
        case BlockKind.TABLE:
            cuts = _cuts_at_rows(text, stretch)
        case BlockKind.CODE | BlockKind.RECORD:
            fits = stretch.end - stretch.start <= longest
            cuts = iter(()) if fits else thinned(cuts_at_lines(text, stretch.start, stretch.end), stretch.start)
        case BlockKind.PARAGRAPH | BlockKind.LIST_ITEM | BlockKind.QUOTE:
            cuts = _cuts_at_sentences(text, stretch)
    return refined(
        cuts, stretch.start, stretch.end, longest, lambda first, last: cuts_in_long(text, first, last, longest)
    )


def _cuts_at_rows(text: str, stretch: Stretch) -> Iterator[Cut]:
    """Header, rule and first row stay together; blank lines within a table mean nothing."""
    rows = cuts_at_lines(text, stretch.start, stretch.end)
    return thinned(
        ((before, after, Rank.LINE) for number, (before, after, _) in enumerate(rows) if number >= 2), stretch.start
    )


def _cuts_at_sentences(text: str, stretch: Stretch) -> Iterator[Cut]:
    for before, after, blank in sentence_starts(text, stretch.start, stretch.end):
        yield before, after, Rank.BLOCK if blank else Rank.SENTENCE
