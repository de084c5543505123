"""A PDF opened with PDFium, page by page: its lines, size and whether it is a picture of text. Translates PDFium's
errors, keeps the limits of pages and characters, and reads the outline and the title."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from matrix.errors import DocumentError
from matrix.plugins.parsers.limits import MAX_PAGE_CHARACTERS, MAX_PAGES, corrupt, too_long
from matrix.plugins.parsers.pdf_lines import Frame, Line, LineReader

_MAX_OUTLINE = 20_000
_MAX_OUTLINE_DEPTH = 16


@dataclass(frozen=True, slots=True)
class PdfPage:
    """`readable` is False for a page that PDFium could not open; `picture` is True for one that shows a picture and no
    text: a scan."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    picture: bool = False
    readable: bool = True


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark: `level` counts from 1, `page` too."""

    title: str
    level: int
    page: int


class PdfFile:
    """An open PDF. Raises DocumentError `encrypted`, `corrupt`, `too_long`."""

    def __init__(self, data: bytes) -> None:
        try:
            self._document: Any = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise _refusal(error) from error
        self.page_count = len(self._document)
        if self.page_count > MAX_PAGES:
            raise too_long(f"The PDF has {self.page_count:,} pages; {MAX_PAGES:,} are the limit.")
        if not self.page_count:
            raise corrupt("PDF", "it has no pages.")
        self._reader = LineReader()

    def __enter__(self) -> PdfFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._document.close()

    def page(self, index: int) -> PdfPage:
        """The page at `index`, which counts from 0."""
        try:
            page = self._document[index]
        except pypdfium2.PdfiumError:
            return PdfPage(index + 1, 0.0, 0.0, (), readable=False)
        with contextlib.closing(page):
            width, height = page.get_size()
            try:
                textpage = page.get_textpage()
            except pypdfium2.PdfiumError:
                return PdfPage(index + 1, width, height, (), readable=False)
            with contextlib.closing(textpage):
                lines = self._lines(page, textpage, index + 1)
            return PdfPage(index + 1, width, height, lines, picture=not lines and _shows_picture(page))

    def _lines(self, page: Any, textpage: Any, number: int) -> tuple[Line, ...]:
        characters = textpage.count_chars()
        if characters > MAX_PAGE_CHARACTERS:
            raise too_long(f"Page {number} holds {characters:,} characters; {MAX_PAGE_CHARACTERS:,} are the limit.")
        left, bottom, right, top = page.get_cropbox()
        frame = Frame(left, bottom, right, top, page.get_rotation())
        return tuple(self._reader.lines(textpage, number, frame)) if characters > 0 else ()

    def title(self) -> str | None:
        with contextlib.suppress(pypdfium2.PdfiumError, UnicodeDecodeError):
            return self._document.get_metadata_value("Title").strip("\x00 \t\r\n") or None
        return None

    def outline(self) -> list[OutlineEntry]:
        """The bookmarks that lead to a page; a broken outline gives those before the break."""
        entries: list[OutlineEntry] = []
        with contextlib.suppress(pypdfium2.PdfiumError, UnicodeDecodeError, RecursionError):
            for entry in self._entries():
                entries.append(entry)
                if len(entries) == _MAX_OUTLINE:
                    break
        return entries

    def _entries(self) -> Iterator[OutlineEntry]:
        for bookmark in self._document.get_toc(max_depth=_MAX_OUTLINE_DEPTH):
            target = bookmark.get_dest()
            page = target.get_index() if target is not None else None
            title = " ".join(bookmark.get_title().split())
            if page is not None and page >= 0 and title:
                yield OutlineEntry(title, bookmark.level + 1, page + 1)


def _shows_picture(page: Any) -> bool:
    return next(page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3), None) is not None


def _refusal(error: pypdfium2.PdfiumError) -> DocumentError:
    if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return DocumentError(
            "The PDF is encrypted and needs a password.",
            code="encrypted",
            advice="Save it without a password (print it to PDF, for instance) and upload it again.",
        )
    return corrupt("PDF", "its structure is broken.")
