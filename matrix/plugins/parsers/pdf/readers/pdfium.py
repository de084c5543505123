"""PDFs read with PDFium: fast, and right about nearly every file. Translates PDFium's errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from matrix.errors import DocumentError
from matrix.plugins.parsers.limits import corrupt, encrypted
from matrix.plugins.parsers.pdf.lines import Line
from matrix.plugins.parsers.pdf.pages import MAX_OUTLINE, OutlineEntry, PdfPage, check_page_count, check_page_length
from matrix.plugins.parsers.pdf.readers.form_fields import with_filled_fields
from matrix.plugins.parsers.pdf.readers.line_reader import Frame, LineReader, clean
from matrix.plugins.parsers.pdf.readers.ruling import RulingReader
from matrix.plugins.parsers.pdf.tables.grids import find_grids
from matrix.plugins.parsers.pdf.tables.ruled import with_ruled_rows

_MAX_OUTLINE_DEPTH = 16
_MOST_ATTACHMENTS = 100


class PdfiumReader:
    """Raises DocumentError `encrypted`, `corrupt`, `too_long`."""

    damaged = False

    def __init__(self, data: bytes) -> None:
        try:
            self._document: Any = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise _refusal(error) from error
        self.page_count = check_page_count(len(self._document))
        self._reader = LineReader()
        self._ruling = RulingReader()

    def close(self) -> None:
        self._document.close()

    def page(self, index: int) -> PdfPage:
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
        check_page_length(number, characters)
        left, bottom, right, top = page.get_cropbox()
        frame = Frame(left, bottom, right, top, page.get_rotation())
        lines = self._reader.lines(textpage, number, frame) if characters > 0 else []
        grids = () if frame.rotation else find_grids(self._ruling.rules(page))
        rows = with_ruled_rows(lines, grids, frame, lambda *box: clean(textpage.get_text_bounded(*box)))
        return tuple(with_filled_fields(rows, page, number, frame))

    def title(self) -> str | None:
        with contextlib.suppress(pypdfium2.PdfiumError, UnicodeDecodeError):
            return str(self._document.get_metadata_value("Title")).strip("\x00 \t\r\n") or None
        return None

    def attachments(self) -> list[str]:
        with contextlib.suppress(pypdfium2.PdfiumError, UnicodeDecodeError):
            count = min(self._document.count_attachments(), _MOST_ATTACHMENTS)
            return [str(self._document.get_attachment(index).get_name()) for index in range(count)]
        return []

    def outline(self) -> list[OutlineEntry]:
        entries: list[OutlineEntry] = []
        with contextlib.suppress(pypdfium2.PdfiumError, UnicodeDecodeError, RecursionError):
            entries.extend(islice(self._entries(), MAX_OUTLINE))
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
        return encrypted("PDF")
    return corrupt("PDF", "its structure is broken.")
