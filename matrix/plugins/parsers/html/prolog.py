"""What stands before the first element of an HTML file: whether it declares a document type of its own making, with
entities that a reader would have to expand. Ordinary document types, which only name HTML, do not."""

from __future__ import annotations

import re

_PASSED_OVER = re.compile(r"\s+|<!--.*?(?:-->|\Z)|<\?[^>]*(?:>|\Z)", re.DOTALL)
_DECLARATION = re.compile(r"<!(?:entity|element|attlist|notation)\b", re.IGNORECASE)
_DOCTYPE = re.compile(r"""<!doctype\b(?:[^>\["']|"[^"]*"|'[^']*')*+(.?)""", re.IGNORECASE)


def declares_document_type(markup: str) -> bool:
    """Whether the file has a DTD inside (an internal subset), or stray declarations of one."""
    position = 0
    while True:
        while passed := _PASSED_OVER.match(markup, position):
            position = passed.end()
        if _DECLARATION.match(markup, position):
            return True
        doctype = _DOCTYPE.match(markup, position)
        if doctype is None:
            return False
        if doctype[1] != ">":
            return doctype[1] == "["
        position = doctype.end()
