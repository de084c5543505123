"""Why a version has no text to show, in words for the person who asked for it. Pure."""

from __future__ import annotations

from matrix.domain.documents import DocumentStatus, Original
from matrix.errors import NotFound


def without_text(original: Original) -> NotFound:
    """The refusal for a version whose parsed text is not there."""
    match original.status:
        case DocumentStatus.PENDING | DocumentStatus.PROCESSING:
            return _refusal("The document is still being read.", "Ask again when its status is COMPLETED.")
        case DocumentStatus.FAILED:
            return _refusal(
                "The document could not be read, so it has no text.",
                "Its errorReason and errorAdvice say why and what to do; its original can be downloaded.",
            )
        case DocumentStatus.CANCELLED:
            return _refusal("Reading the document was cancelled, so it has no text.", "Process it again.")
        case DocumentStatus.COMPLETED:
            return _refusal(
                f"The text of version {original.number} is no longer kept.",
                "Ask for the text without naming a version; where that has none either, process the document again.",
            )


def _refusal(message: str, advice: str) -> NotFound:
    return NotFound(message, code="no_text", advice=advice)
