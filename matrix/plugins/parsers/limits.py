"""What one document may hold, and the words for one that holds more."""

from __future__ import annotations

from matrix.domain.document_failures import FailureCode, document_failure
from matrix.domain.documents import ParsedDocument
from matrix.errors import DocumentError

MAX_CHARACTERS = 10_000_000
MAX_PAGE_CHARACTERS = 200_000
MAX_PAGES = 2_000
MAX_MARKUP_BYTES = 10 << 20
MAX_NESTING = 256


def check_length(document: ParsedDocument) -> ParsedDocument:
    if len(document.text) > MAX_CHARACTERS:
        raise too_long(f"The file holds {len(document.text):,} characters of text; {MAX_CHARACTERS:,} are the limit.")
    return document


def too_long(cause: str) -> DocumentError:
    return document_failure(FailureCode.TOO_LONG, cause)


def too_deep() -> DocumentError:
    return document_failure(FailureCode.TOO_DEEP, f"The file nests its elements more than {MAX_NESTING} deep.")


def corrupt(kind: str, detail: str) -> DocumentError:
    return document_failure(FailureCode.CORRUPT, f"The file is not a readable {kind}: {detail}")


def encrypted(kind: str) -> DocumentError:
    return document_failure(FailureCode.ENCRYPTED, f"The {kind} is encrypted and needs a password.")
