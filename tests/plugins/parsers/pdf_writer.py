"""Small PDFs for tests, written by hand: lines of Helvetica at given places, outlines, pictures, encryption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Words:
    """A line at `x`, `y` points from the page's bottom left corner."""

    text: str
    x: float = 72
    y: float = 700
    size: float = 11
    bold: bool = False


@dataclass(frozen=True)
class PdfPage:
    words: Sequence[Words] = ()
    picture: bool = False
    rotation: int = 0
    drawn: bytes = b""
    """Operators that draw lines and boxes."""
    fields: Sequence[tuple[str, float, float]] = ()
    """Values of form fields, each with its left and lower edge."""


@dataclass
class _Objects:
    bodies: list[bytes] = field(default_factory=list)

    def add(self, body: bytes) -> int:
        self.bodies.append(body)
        return len(self.bodies)


def lines(*texts: str, x: float = 72, top: float = 720, pitch: float = 14, size: float = 11) -> list[Words]:
    """Texts under one another."""
    return [Words(text, x, top - pitch * index, size) for index, text in enumerate(texts)]


def write_pdf(
    pages: Sequence[PdfPage | Sequence[str]],
    *,
    title: str | None = None,
    outline: Sequence[tuple[str, int]] = (),
    encrypted: bool = False,
    attached: Sequence[str] = (),
) -> bytes:
    """`outline` are titles with their page, counted from 1; `attached` the names of files that it carries."""
    objects = _Objects()
    catalog, tree = objects.add(b""), objects.add(b"")
    fonts = [
        objects.add(b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name)
        for name in (b"Helvetica", b"Helvetica-Bold")
    ]
    picture = objects.add(
        _stream(
            b"\xff\x00\x00",
            b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8",
        )
    )
    numbers = [_add_page(objects, page, tree, fonts, picture) for page in pages]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects.bodies[tree - 1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(numbers), kids)
    outlines = _add_outline(objects, outline, numbers) if outline else b""
    files = b" ".join(b"(%s) << /Type /Filespec /F (%s) >>" % (_escaped(name), _escaped(name)) for name in attached)
    names = b"/Names << /EmbeddedFiles << /Names [%s] >> >>" % files if attached else b""
    objects.bodies[catalog - 1] = b"<< /Type /Catalog /Pages %d 0 R %s %s >>" % (tree, outlines, names)
    trailer = b"/Root %d 0 R" % catalog
    if title is not None:
        trailer += b" /Info %d 0 R" % objects.add(b"<< /Title (%s) >>" % _escaped(title))
    if encrypted:
        secret = objects.add(b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"ab" * 32, b"cd" * 32))
        trailer += b" /Encrypt %d 0 R /ID [<00> <00>]" % secret
    return _file(objects.bodies, trailer)


def _add_page(objects: _Objects, page: PdfPage | Sequence[str], tree: int, fonts: list[int], picture: int) -> int:
    page = page if isinstance(page, PdfPage) else PdfPage(lines(*page))
    drawn = b"".join(
        b"BT /F%d %g Tf %g %g Td (%s) Tj ET\n" % (1 + word.bold, word.size, word.x, word.y, _escaped(word.text))
        for word in page.words
    )
    content = objects.add(
        _stream(page.drawn + drawn + (b"q 400 0 0 600 72 72 cm /P Do Q" if page.picture else b""), b"")
    )
    resources = b"/Font << /F1 %d 0 R /F2 %d 0 R >> /XObject << /P %d 0 R >>" % (*fonts, picture)
    return objects.add(
        b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Rotate %d /Contents %d 0 R /Resources << %s >> %s >>"
        % (tree, page.rotation, content, resources, _fields(page))
    )


def _fields(page: PdfPage) -> bytes:
    return b"/Annots [%s]" % b" ".join(
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V (%s) /Rect [%g %g %g %g] >>"
        % (_escaped(value), x, y, x + 200, y + 16)
        for value, x, y in page.fields
    )


def _add_outline(objects: _Objects, outline: Sequence[tuple[str, int]], pages: list[int]) -> bytes:
    root = len(objects.bodies) + 1
    objects.add(b"<< /Type /Outlines /First %d 0 R /Last %d 0 R >>" % (root + 1, root + len(outline)))
    for index, (title, page) in enumerate(outline):
        following = b"/Next %d 0 R" % (root + index + 2) if index + 1 < len(outline) else b""
        objects.add(
            b"<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit] %s >>"
            % (_escaped(title), root, pages[page - 1], following)
        )
    return b"/Outlines %d 0 R" % root


def _stream(data: bytes, entries: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def _escaped(text: str) -> bytes:
    return text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(bodies: Sequence[bytes], trailer: bytes) -> bytes:
    written, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    written += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return bytes(written) + b"trailer << /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, trailer, start)
