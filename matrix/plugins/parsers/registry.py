"""Which parser reads which media type. A new format is one line here and one in `matrix.ingest.media_type`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from matrix.domain.documents import ParsedDocument
from matrix.errors import UnsupportedType
from matrix.plugins.parsers.limits import check_length

PagesParser = Callable[[bytes, int, int], tuple[ParsedDocument, int]]
"""Bytes, first page (from 0) and the page after the last, to a document and the number of all pages."""


def _pdf(data: bytes, first: int, after: int) -> tuple[ParsedDocument, int]:
    from matrix.plugins.parsers.pdf.document import parse_pdf  # noqa: PLC0415  # a child loads only what its format needs

    return parse_pdf(data, first, after)


def _html(data: bytes) -> ParsedDocument:
    from matrix.plugins.parsers.html.document import parse_html  # noqa: PLC0415  # the same

    return parse_html(data)


def _markdown(data: bytes) -> ParsedDocument:
    from matrix.plugins.parsers.markdown import parse_markdown  # noqa: PLC0415  # the same

    return parse_markdown(data)


def _plain_text(data: bytes) -> ParsedDocument:
    from matrix.plugins.parsers.plain_text import parse_plain_text  # noqa: PLC0415  # the same

    return parse_plain_text(data)


def _whole(parse: Callable[[bytes], ParsedDocument], data: bytes, *_pages: int) -> tuple[ParsedDocument, int]:
    """A format without pages: one slice is all of it."""
    return parse(data), 1


PARSERS: dict[str, PagesParser] = {
    "application/pdf": _pdf,
    "text/html": partial(_whole, _html),
    "text/markdown": partial(_whole, _markdown),
    "text/plain": partial(_whole, _plain_text),
}


def parse_pages(data: bytes, media_type: str, first: int, after: int) -> tuple[ParsedDocument, int]:
    """The pages `first` to `after` (exclusive, from 0), and the number of all pages.

    Raises DocumentError, UnsupportedType.
    """
    parse = PARSERS.get(media_type)
    if parse is None:
        raise UnsupportedType(f"Files of type {media_type} cannot be read; accepted are {', '.join(PARSERS)}.")
    document, all_pages = parse(data, first, after)
    return check_length(document), all_pages
