"""A plain PDF written by hand: lines of text in Helvetica, as many pages as wanted."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

LINES, WIDTH = 46, 88  # of a page: about 3,500 characters
FONT, FIRST_PAGE = 3, 4


def pages_of(paragraphs: Sequence[str]) -> list[list[str]]:
    """The paragraphs as lines, page by page, an empty line between two."""
    lines = [line for paragraph in paragraphs for line in [*textwrap.wrap(paragraph, WIDTH), ""]]
    return [lines[start : start + LINES] for start in range(0, len(lines), LINES)]


def write_pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """The bytes of a PDF 1.4 file with these lines on its pages."""
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(_objects(pages), 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(offsets) + 1, start)
    return bytes(out)


def _objects(pages: Sequence[Sequence[str]]) -> Iterator[bytes]:
    kids = " ".join(f"{FIRST_PAGE + 2 * number} 0 R" for number in range(len(pages)))
    yield b"<< /Type /Catalog /Pages 2 0 R >>"
    yield f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    yield b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    for number, lines in enumerate(pages):
        content = FIRST_PAGE + 2 * number + 1
        yield (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R "
            f"/Resources << /Font << /F1 {FONT} 0 R >> >> >>"
        ).encode()
        stream = _stream(lines)
        yield b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)


def _stream(lines: Sequence[str]) -> bytes:
    shown = "".join(f"({_escaped(line)}) Tj T*\n" for line in lines)
    return f"BT /F1 11 Tf 16 TL 60 790 Td\n{shown}ET".encode("latin-1", "replace")


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
