"""One document from its page slices: the pure merge. Where slices come from is the sandbox's business."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from matrix.domain.documents import ParsedDocument

_BETWEEN = "\n\n"
_BLANK = "The file holds no text, so nothing of it can be found."


@dataclass(frozen=True, slots=True)
class PageSlice:
    """A stretch of a document's pages, parsed alone; its offsets count from its own start. `all_pages` is the whole
    document's number of pages, 1 for a format without pages."""

    document: ParsedDocument
    all_pages: int


def merge_slices(slices: Sequence[PageSlice]) -> ParsedDocument:
    """The slices, in page order, as one document: offsets shifted, each warning once, the first title. A document
    without any text gets a warning that says so."""
    merged = _merged([part.document for part in slices])
    return merged if merged.blocks or merged.warnings else replace(merged, warnings=(_BLANK,))


def _merged(documents: Sequence[ParsedDocument]) -> ParsedDocument:
    if len(documents) == 1:
        return documents[0]
    shifted = list(_shifted(documents))
    return replace(
        documents[0],
        text=_BETWEEN.join(document.text for document in documents if document.text),
        blocks=tuple(block for document in shifted for block in document.blocks),
        pages=tuple(page for document in shifted for page in document.pages),
        lines=tuple(line for document in shifted for line in document.lines),
        title=next((document.title for document in documents if document.title), None),
        warnings=tuple(dict.fromkeys(warning for document in documents for warning in document.warnings)),
    )


def _shifted(documents: Sequence[ParsedDocument]) -> list[ParsedDocument]:
    moved, reached = [], 0
    for document in documents:
        by = reached + len(_BETWEEN) if reached and document.text else reached
        moved.append(
            replace(
                document,
                blocks=tuple(replace(b, start=b.start + by, end=b.end + by) for b in document.blocks),
                pages=tuple(replace(p, start=p.start + by, end=p.end + by) for p in document.pages),
                lines=tuple(replace(n, start=n.start + by, end=n.end + by) for n in document.lines),
            )
        )
        reached = by + len(document.text)
    return moved
