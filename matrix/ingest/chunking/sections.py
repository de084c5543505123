"""What a passage must be told about its place: the headings above it, and the header of the table it begins in."""

from __future__ import annotations

from collections.abc import Sequence

from matrix.domain.documents import BlockKind, SectionStart
from matrix.ingest.chunking.stretches import Stretch

LONGEST_HEADER = 1000


def section_starts(touched: Sequence[Stretch]) -> tuple[SectionStart, ...]:
    """The sections that a passage touches, in order; none where it is all of one. A heading opens its section."""
    starts = [SectionStart(touched[0].path, touched[0].start)]
    for stretch in touched:
        if stretch.path != starts[-1].path:
            starts.append(SectionStart(stretch.path, stretch.start))
    return tuple(starts) if len(starts) > 1 else ()


def section_path(touched: Sequence[Stretch]) -> tuple[str, ...]:
    """The headings above a passage; where its parts have none in common, those above its first words."""
    first = next((stretch.path for stretch in touched if stretch.kind is not BlockKind.HEADING), touched[0].path)
    return shared_path(touched) or first


def shared_path(touched: Sequence[Stretch]) -> tuple[str, ...]:
    """The headings above all stretches of a passage, which are true of every word of it. A heading without text of its
    own in the passage does not count, unless the passage is nothing but headings."""
    paths = [stretch.path for stretch in touched if stretch.kind is not BlockKind.HEADING]
    shared, *others = paths or [stretch.path for stretch in touched]
    for path in others:
        same = 0
        while same < min(len(shared), len(path)) and shared[same] == path[same]:
            same += 1
        shared = shared[:same]
    return shared


def table_header(text: str, first: Stretch, start: int) -> str:
    """The header and rule of the table that the passage begins inside, else "". Never over 1,000 characters."""
    if first.kind is not BlockKind.TABLE or start <= first.start:
        return ""
    lines = text[first.start : min(first.end, first.start + 2 * LONGEST_HEADER)].splitlines()[:2]
    header = "\n".join(line.strip() for line in lines)
    return header if len(header) <= LONGEST_HEADER else header[: LONGEST_HEADER - 1].rstrip() + "…"


def context_of(path: tuple[str, ...], header: str) -> str:
    """What goes before the text when it is embedded. Nothing of the document's name is in it: a new name costs
    nothing."""
    return "\n\n".join(part for part in (" > ".join(path), header) if part)
