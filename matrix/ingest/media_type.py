"""The type of a file, found from its first bytes; the name only decides between formats of plain text. Pure.

A new format is one line in `FORMATS`, and one in `matrix.plugins.parsers.registry`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

import puremagic

from matrix.errors import InvalidInput, UnsupportedType

HEAD_BYTES = 8192
"""How many bytes of a file `detect` wants to see."""

_TEXT_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_CONTROL = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\x1b"))
_MOST_CONTROL = 0.02  # of the bytes of a text
_EXTENSION = re.compile(r"\.[a-z][a-z0-9]{0,7}\Z")
_TEXT_IN_DISGUISE = (b"{\\rtf", b"%!PS")
_KNOWN = (
    (b"PK\x03\x04", "a ZIP archive or an Office file"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a Linux program"),
)
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class MediaType:
    """A format that is accepted: its media type, what people call it, its extensions, and the bytes that begin it
    (none: it is plain text, told apart by the extension)."""

    name: str
    title: str
    extensions: tuple[str, ...]
    signature: re.Pattern[bytes] | None = None


FORMATS = (
    MediaType("application/pdf", "PDF", (".pdf",), re.compile(rb"\s*%PDF-")),
    MediaType("text/html", "HTML", (".html", ".htm", ".xhtml"), _HTML),
    MediaType("text/markdown", "Markdown", (".md", ".markdown", ".mdown")),
    MediaType("text/plain", "plain text", (".txt", ".text", ".log")),
)
_PLAIN_TEXT = FORMATS[-1]
_BY_EXTENSION = {extension: format_ for format_ in FORMATS for extension in format_.extensions}
_LATE_PDF = re.compile(
    rb"%PDF-\d"
)  # readers take a PDF whose header comes late, after some bytes of a mail or a printer


def detect(head: bytes, name: str) -> MediaType:
    """The format of the file that begins with `head` (its first `HEAD_BYTES`) and is called `name`.

    Raises InvalidInput (`empty_file`) for no bytes at all, UnsupportedType for what no parser reads.
    """
    if not head:
        raise InvalidInput(
            f"{name} is empty.",
            field="file",
            code="empty_file",
            advice="Check that the file was saved, and send it again.",
        )
    start = head.removeprefix(b"\xef\xbb\xbf")
    for format_ in FORMATS:
        if format_.signature is not None and format_.signature.match(start):
            return format_
    extension = _extension(name)
    if not _is_text(head):
        return _binary(head, name, extension)
    return _text(start, name, extension)


def accepted() -> str:
    """The accepted types, for people: `PDF (.pdf), …`."""
    return ", ".join(f"{format_.title} ({', '.join(format_.extensions)})" for format_ in FORMATS)


def _binary(head: bytes, name: str, extension: str) -> MediaType:
    known = _known_as(head)
    if extension == ".pdf" and known in ("", "a file of type PDF") and _LATE_PDF.search(head[:1024]):
        return _BY_EXTENSION[extension]
    what = f"looks like {known}" if known else "holds binary data"
    raise _unsupported(f"{name} {what}")


def _text(start: bytes, name: str, extension: str) -> MediaType:
    if start.startswith(_TEXT_IN_DISGUISE):
        raise _unsupported(f"{name} is a text format that is not read yet")
    if not extension:
        return _PLAIN_TEXT
    format_ = _BY_EXTENSION.get(extension)
    if format_ is None:
        raise _unsupported(f"{name} has the type {extension}")
    if format_.name == "application/pdf":
        raise _unsupported(f"{name} is called a PDF but does not begin as one")
    return format_


def _unsupported(what: str) -> UnsupportedType:
    return UnsupportedType(f"{what}, which is not accepted. Accepted: {accepted()}.")


def _extension(name: str) -> str:
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    return suffix if _EXTENSION.match(suffix) else ""


def _is_text(head: bytes) -> bool:
    """No NUL but after a UTF-16 or UTF-32 mark, and hardly any other control character."""
    if head.startswith(_TEXT_MARKS):
        return True
    if b"\x00" in head:
        return False
    return sum(map(head.count, _CONTROL_BYTES)) <= _MOST_CONTROL * len(head)


_CONTROL_BYTES = [bytes([value]) for value in _CONTROL]


def _known_as(head: bytes) -> str:
    """What the bytes begin like, by a short table and puremagic's long one; empty where neither knows."""
    for signature, what in _KNOWN:
        if head.startswith(signature):
            return what
    try:
        extension = str(puremagic.from_string(head)).lstrip(".").upper()
        return f"a file of type {extension}" if extension else ""
    except (puremagic.PureError, ValueError):
        return ""
