"""PDF: pages of a slice to a ParsedDocument. The steps are modules of their own: pages and lines (PDFium), furniture,
reading order, headings, blocks."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from matrix.domain.documents import Block, BlockKind, PageSpan, ParsedDocument
from matrix.errors import DocumentError
from matrix.plugins.parsers.pdf.blocks import group_lines
from matrix.plugins.parsers.pdf.furniture import without_furniture
from matrix.plugins.parsers.pdf.headings import heading_rules
from matrix.plugins.parsers.pdf.order import in_reading_order
from matrix.plugins.parsers.pdf.pages import PdfPage, PdfReader
from matrix.plugins.parsers.pdf.readers.pdfium import PdfiumReader
from matrix.plugins.parsers.pdf.text import TextBuilder, compounds_of

MEDIA_TYPE = "application/pdf"
_DAMAGED = "The PDF is damaged; what could be recovered of it was read, and parts may be missing."
_ATTACHED = "Files that are attached to the PDF are not read; upload by themselves what is to be found:"
_NEIGHBOURS = 4  # pages read on either side of a slice, so that what repeats from page to page is seen at its edges too
_NO_TITLE = re.compile(
    r"untitled|\(?anonymous\)?|title|document\d*|microsoft \w+ - .*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?)",
    re.IGNORECASE,
)


def parse_pdf(data: bytes, first: int = 0, after: int | None = None) -> tuple[ParsedDocument, int]:
    """Pages `first` to `after` (exclusive, from 0; None: the last), and the number of pages of the whole file.

    Raises DocumentError `encrypted`, `corrupt`, `too_long`.
    """
    with contextlib.closing(_open(data)) as reader:
        count = reader.page_count
        after = count if after is None else min(count, after)
        pages = [reader.page(index) for index in range(max(0, first - _NEIGHBOURS), min(count, after + _NEIGHBOURS))]
        outline = reader.outline()
        title = reader.title() if first == 0 else None
        attached = reader.attachments() if first == 0 else []
        warnings = [_DAMAGED] if reader.damaged else []
        warnings += [f"{_ATTACHED} {', '.join(attached)[:300]}."] if attached else []
    lines = without_furniture(pages)
    rules = heading_rules(chain.from_iterable(lines.values()), outline)
    own = [page for page in pages if first < page.number <= after]
    ordered = [line for page in own for line in in_reading_order(lines[page.number])]
    builder = TextBuilder(compounds_of(ordered))
    for group in group_lines(ordered, rules):
        builder.add(group)
    document = ParsedDocument(
        text="".join(builder.parts),
        blocks=tuple(builder.blocks),
        media_type=MEDIA_TYPE,
        title=title,
        pages=tuple(_page_spans(own, builder)),
        lines=tuple(builder.boxes),
        warnings=(*warnings, *_warnings(own)),
    )
    return _with_printed_title(document) if first == 0 else document, count


def _open(data: bytes) -> PdfReader:
    """By PDFium; a file that it finds broken by pdfminer, whose own refusal says no more than PDFium's."""
    try:
        return PdfiumReader(data)
    except DocumentError as refusal:
        if refusal.code != "corrupt":
            raise
        from matrix.plugins.parsers.pdf.readers.pdfminer import PdfminerReader  # noqa: PLC0415  # 0.1 s that few files need

        return PdfminerReader(data)


def _with_printed_title(document: ParsedDocument) -> ParsedDocument:
    """A title that is none (`untitled`, a file name) gives way to the one printed on the first page."""
    if document.title and not _NO_TITLE.fullmatch(document.title):
        return document
    return replace(document, title=_printed_title(document.text, document.blocks))


def _printed_title(text: str, blocks: Sequence[Block]) -> str | None:
    """The largest heading of the first page."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING and block.page == 1 and block.level <= 3]
    best = min(headings, key=lambda block: block.level, default=None)
    return text[best.start : best.end] if best else None


def _page_spans(pages: Sequence[PdfPage], builder: TextBuilder) -> Iterator[PageSpan]:
    """A page without text gets an empty span where the one before it ends."""
    reached = 0
    for page in pages:
        start, reached = builder.page_ranges.get(page.number, (reached, reached))
        yield PageSpan(page.number, start, reached, page.width, page.height)


def _warnings(pages: Sequence[PdfPage]) -> list[str]:
    warnings = []
    if scans := [page.number for page in pages if page.picture]:
        warnings.append(
            f"{_pages_named(scans)} only a picture and no text; reading pictures (OCR) is not available yet, so "
            f"nothing of it can be found."
        )
    if broken := [page.number for page in pages if not page.readable]:
        warnings.append(f"{_pages_named(broken)} damaged content that could not be read.")
    return warnings


def _pages_named(numbers: Sequence[int]) -> str:
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    names = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
    return f"Page {names} holds" if len(numbers) == 1 else f"Pages {names} hold"
