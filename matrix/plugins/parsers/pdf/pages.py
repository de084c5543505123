"""What every reader of PDFs gives: pages of lines, the outline, the title. The readers are `pdfium`, which reads
nearly everything, and `pdfminer`, for damaged files that PDFium refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from matrix.plugins.parsers.limits import MAX_PAGE_CHARACTERS, MAX_PAGES, corrupt, too_long
from matrix.plugins.parsers.pdf.lines import Line

MAX_OUTLINE = 20_000


@dataclass(frozen=True, slots=True)
class PdfPage:
    """`readable` is False for a page that could not be opened; `picture` is True for one that shows a picture and no
    text: a scan. Sizes in points."""

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


class PdfReader(Protocol):
    """An open PDF. `damaged` is True where the reader had to guess its structure."""

    page_count: int
    damaged: bool

    def page(self, index: int) -> PdfPage:
        """The page at `index`, which counts from 0."""

    def title(self) -> str | None: ...
    def attachments(self) -> list[str]:
        """The names of the files that it carries."""

    def outline(self) -> list[OutlineEntry]:
        """The bookmarks that lead to a page; a broken outline gives those before the break."""

    def close(self) -> None: ...


def check_page_count(count: int) -> int:
    if count > MAX_PAGES:
        raise too_long(f"The PDF has {count:,} pages; {MAX_PAGES:,} are the limit.")
    if not count:
        raise corrupt("PDF", "it has no pages.")
    return count


def check_page_length(number: int, characters: int) -> None:
    if characters > MAX_PAGE_CHARACTERS:
        raise too_long(f"Page {number} holds {characters:,} characters; {MAX_PAGE_CHARACTERS:,} are the limit.")
