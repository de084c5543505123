"""The flow from a parsed document to its chunks: stretches, gaps, cuts, then a chunk between each two cuts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise

from matrix.domain.documents import Chunk, ChunkingSettings, PageStart, ParsedDocument
from matrix.domain.graphemes import trim
from matrix.ingest.chunking.cuts import cuts_of
from matrix.ingest.chunking.gaps import gaps_of
from matrix.ingest.chunking.limits import limits_of
from matrix.ingest.chunking.overlap import overlap_start
from matrix.ingest.chunking.sections import context_of, section_path, section_starts, shared_path, table_header
from matrix.ingest.chunking.stretches import Stretch, stretches_of


def chunk_document(parsed: ParsedDocument, settings: ChunkingSettings) -> tuple[Chunk, ...]:
    """The passages of a document in order; none for a blank one. Every character but white space is in at least one,
    `text` is exactly the parsed text from `start` to `end`, and none is longer than `settings.size`.

    The same text gives the same chunks, and an edit changes only those around it: see docs/decisions/0004. CPU work,
    about a second for 5 million characters: call it off the event loop. Errors: InvalidInput (settings).
    """
    limits = limits_of(settings)
    stretches = stretches_of(parsed)
    if not stretches:
        return ()
    gaps = gaps_of(parsed.text, stretches, limits)
    places = _Places(parsed, stretches)
    chunks: list[Chunk] = []
    previous = 0
    for first, last in pairwise(cuts_of(gaps, limits)):
        if not parsed.text[gaps.afters[first] : gaps.befores[last]].strip():
            continue  # control characters that count as white space, alone between two cuts
        start = overlap_start(parsed.text, gaps, previous, first, limits)
        start, end = trim(parsed.text, start, gaps.befores[last])
        chunks.append(places.chunk(len(chunks), start, max(start, gaps.afters[first]), end))
        previous = first
    return tuple(chunks)


class _Places:
    """Finds the stretches and the page of an offset."""

    def __init__(self, parsed: ParsedDocument, stretches: list[Stretch]) -> None:
        self._parsed = parsed
        self._stretches = stretches
        self._starts = [stretch.start for stretch in stretches]
        self._page_starts = [page.start for page in parsed.pages]

    def chunk(self, position: int, start: int, body: int, end: int) -> Chunk:
        """A chunk whose own text begins at `body`; what is before that is overlap."""
        touched = self._stretches[bisect_right(self._starts, body) - 1 : bisect_left(self._starts, end)]
        header = table_header(self._parsed.text, touched[0], body)
        return Chunk(
            position=position,
            text=self._parsed.text[start:end],
            start=start,
            end=end,
            page=self._page(body, touched[0]),
            section_path=section_path(touched),
            context=context_of(shared_path(touched), header),
            language=self._parsed.language,
            page_starts=self._page_starts_within(start, end),
            section_starts=section_starts(touched),
        )

    def _page(self, offset: int, stretch: Stretch) -> int | None:
        place = bisect_right(self._page_starts, offset)
        return self._parsed.pages[place - 1].number if place else stretch.page

    def _page_starts_within(self, start: int, end: int) -> tuple[PageStart, ...]:
        first, last = bisect_right(self._page_starts, start) - 1, bisect_left(self._page_starts, end)
        touched = self._parsed.pages[max(first, 0) : last]
        return tuple(PageStart(page.number, page.start) for page in touched) if len(touched) > 1 else ()
