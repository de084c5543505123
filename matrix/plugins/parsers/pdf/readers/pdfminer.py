"""PDFs read with pdfminer.six, where PDFium refuses the file: it is ten times slower, but takes files whose header is
missing or comes late, and some with broken objects. Translates its errors, of which there are many kinds."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LAParams, LTChar, LTImage, LTTextLine
from pdfminer.pdfdocument import PDFDocument, PDFPasswordIncorrect
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.utils import decode_text

from matrix.plugins.parsers.limits import MAX_PAGES, corrupt, encrypted
from matrix.plugins.parsers.pdf.lines import Line
from matrix.plugins.parsers.pdf.pages import OutlineEntry, PdfPage, check_page_count, check_page_length
from matrix.plugins.parsers.pdf.readers.line_reader import clean

_BOLD = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)


class PdfminerReader:
    """Raises DocumentError `encrypted`, `corrupt`, `too_long`. Gives no outline: a damaged one leads astray."""

    damaged = True

    def __init__(self, data: bytes) -> None:
        logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
        resources = PDFResourceManager()
        self._device: Any = PDFPageAggregator(resources, laparams=LAParams())
        self._interpreter: Any = PDFPageInterpreter(resources, self._device)
        try:
            self._document: Any = PDFDocument(PDFParser(io.BytesIO(data)))
            self._pages: list[Any] = list(islice(PDFPage.create_pages(self._document), MAX_PAGES + 1))
        except PDFPasswordIncorrect as error:
            raise encrypted("PDF") from error
        except Exception as error:  # a damaged file makes it fail with whatever comes: KeyError, struct.error, …
            raise corrupt("PDF", "its structure is broken.") from error
        self.page_count = check_page_count(len(self._pages))

    def close(self) -> None:
        self._device.close()

    def page(self, index: int) -> PdfPage:
        try:
            self._interpreter.process_page(self._pages[index])
            layout = self._device.get_result()
        except Exception:  # the same; the page is reported as unreadable
            return PdfPage(index + 1, 0.0, 0.0, (), readable=False)
        found = list(_text_lines(layout))
        check_page_length(index + 1, sum(len(line.get_text()) for line in found))
        lines = tuple(line for item in found if (line := _line(item, index + 1, layout.height)).text)
        picture = not lines and any(isinstance(item, LTImage) for item in _all(layout))
        return PdfPage(index + 1, layout.width, layout.height, lines, picture=picture)

    def title(self) -> str | None:
        titles = [info["Title"] for info in self._document.info if isinstance(info.get("Title"), bytes)]
        return decode_text(titles[0]).strip() or None if titles else None

    def attachments(self) -> list[str]:
        return []

    def outline(self) -> list[OutlineEntry]:
        return []


def _all(item: Any) -> Iterator[Any]:
    yield item
    if hasattr(item, "__iter__") and not isinstance(item, LTTextLine):
        for part in item:
            yield from _all(part)


def _text_lines(layout: Any) -> Iterator[Any]:
    return (item for item in _all(layout) if isinstance(item, LTTextLine))


def _line(item: Any, number: int, height: float) -> Line:
    letters = [part for part in item if isinstance(part, LTChar)]
    middle = letters[len(letters) // 2] if letters else None
    text = clean(item.get_text())
    return Line(
        text=text.removesuffix("-") if _is_broken_word(text) else text,
        page=number,
        x0=item.x0,
        top=height - item.y1,
        x1=item.x1,
        bottom=height - item.y0,
        baseline=height - item.y0,
        size=middle.size if middle else item.height,
        bold=bool(letters) and all(_BOLD.search(letter.fontname) for letter in (letters[0], letters[-1])),
        hyphen=_is_broken_word(text),
    )


def _is_broken_word(text: str) -> bool:
    return len(text) > 2 and text[-1] == "-" and text[-2].isalpha()
