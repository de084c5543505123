"""Why a document could not be turned into passages: every reason with its cause and its remedy, in the words that
people read on it. Reasons that are not the document's own (a model provider's refusal, say) bring their words along."""

from __future__ import annotations

from enum import StrEnum

from matrix.errors import DocumentError


class FailureCode(StrEnum):
    """Stable: scripts test it as `errorCode`."""

    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    TOO_LONG = "too_long"
    TOO_DEEP = "too_deep"
    DOCUMENT_TYPE = "document_type"
    TOO_COMPLEX = "too_complex"
    TIMEOUT = "timeout"
    BROKE_OFF = "parser_crashed"
    TOO_MANY_PASSAGES = "too_many_passages"
    ORIGINAL_GONE = "original_gone"
    INTERNAL_ERROR = "internal_error"


_SIMPLER = "Split the file, or save it in a simpler form, and upload it again."
_ANEW = "Open the file yourself, save it anew (for a PDF: print it to PDF), and upload it again."

REASONS: dict[FailureCode, tuple[str, str]] = {
    FailureCode.ENCRYPTED: (
        "The file is encrypted and needs a password.",
        "Save it without a password (print it to PDF, for instance) and upload it again.",
    ),
    FailureCode.CORRUPT: ("The file is damaged and cannot be read.", _ANEW),
    FailureCode.TOO_LONG: (
        "The file holds more text than Matrix takes from one file.",
        "Split it into smaller files and upload those.",
    ),
    FailureCode.TOO_DEEP: (
        "The file nests its elements too deep.",
        "Save the page's text in a simpler form (plain HTML, Markdown or text) and upload that.",
    ),
    FailureCode.DOCUMENT_TYPE: (
        "The file declares a document type with entities of its own, which Matrix does not read.",
        "Remove the declaration (what stands in square brackets after <!DOCTYPE), or save the page as plain HTML, and "
        "upload it again.",
    ),
    FailureCode.TOO_COMPLEX: ("Reading the file takes more memory than one file may have.", _SIMPLER),
    FailureCode.TIMEOUT: ("Reading the file took too long and was stopped.", _SIMPLER),
    FailureCode.BROKE_OFF: (
        "Reading the file broke off: it is damaged, or made in a way that Matrix cannot read.",
        _ANEW,
    ),
    FailureCode.TOO_MANY_PASSAGES: (
        "The document gives more passages than one document may have.",
        "Split the file, or raise the corpus's chunkSize, and process it again.",
    ),
    FailureCode.ORIGINAL_GONE: ("The stored original of the document is gone.", "Upload the file again."),
    FailureCode.INTERNAL_ERROR: (
        "Matrix itself failed while it processed the document.",
        "Process it again; if it fails again, report it with what the worker's log says.",
    ),
}
"""Cause and remedy by code."""


def document_failure(code: FailureCode, cause: str | None = None) -> DocumentError:
    """The error to raise; `cause` is a sentence that says more than the usual one."""
    usual, remedy = REASONS[code]
    return DocumentError(cause or usual, code=code.value, advice=remedy)
