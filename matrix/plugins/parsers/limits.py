"""What one document may hold, and the words for one that holds more."""

from __future__ import annotations

from matrix.domain.documents import ParsedDocument
from matrix.errors import DocumentError

MAX_CHARACTERS = 10_000_000
MAX_PAGE_CHARACTERS = 200_000
MAX_PAGES = 2_000
MAX_MARKUP_BYTES = 10 << 20
MAX_NESTING = 256

_SPLIT = "Split it into smaller files and upload those."


def check_length(document: ParsedDocument) -> ParsedDocument:
    if len(document.text) > MAX_CHARACTERS:
        raise too_long(f"The file holds {len(document.text):,} characters of text; {MAX_CHARACTERS:,} are the limit.")
    return document


def too_long(message: str) -> DocumentError:
    return DocumentError(message, code="too_long", advice=_SPLIT)


def too_deep() -> DocumentError:
    return DocumentError(
        f"The file nests its elements more than {MAX_NESTING} deep.",
        code="too_deep",
        advice="Save the page's text in a simpler form (plain HTML, Markdown or text) and upload that.",
    )


def corrupt(kind: str, detail: str) -> DocumentError:
    return DocumentError(
        f"The file is not a readable {kind}: {detail}",
        code="corrupt",
        advice="Open the file yourself, save it anew, and upload it again.",
    )
