"""A document's name out of what a client sent: its path relative to what was dropped, and nothing that misleads."""

from __future__ import annotations

import unicodedata

from matrix.domain.names import is_visible, without_zero_width
from matrix.errors import InvalidInput

MAX_NAME = 500
_TEXT_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # «exe.pdf» that reads «fdp.exe»


def document_name(sent: str) -> str:
    """The name in NFC, with `/` between its parts. Errors: InvalidInput (empty, too long, `..`, control characters)."""
    name = without_zero_width(unicodedata.normalize("NFC", sent)).replace("\\", "/")
    if any(unicodedata.category(char) in {"Cc", "Cs"} or char in _TEXT_DIRECTION for char in name):
        raise _bad("The name of the file holds control characters.")
    parts = [part.strip() for part in name.split("/")]
    if ".." in parts:
        raise _bad("The name of the file holds «..».")
    name = "/".join(part for part in parts if part not in {"", "."})
    if not is_visible(name):
        raise _bad("The file has no name.")
    if len(name) > MAX_NAME:
        raise _bad(f"The name of the file is longer than {MAX_NAME} characters.")
    return name


def text_name(title: str) -> str:
    """The name of a pasted text: its title as a Markdown file. Errors: InvalidInput."""
    return document_name(title.replace("/", "-").replace("\\", "-").strip() + ".md" if is_visible(title) else "")


def _bad(message: str) -> InvalidInput:
    return InvalidInput(message, field="name", code="bad_name", advice="Rename the file and send it again.")
