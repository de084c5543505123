"""Files made to hurt: in the sandbox each ends as a document or a DocumentError, and this process lives on."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from matrix.domain.documents import ParsedDocument
from matrix.errors import DocumentError
from matrix.ingest.confinement.limits import SandboxLimits
from matrix.ingest.sandbox import SandboxParser
from tests.plugins.parsers.pdf_writer import write_pdf

PARSER = SandboxParser(
    "matrix.plugins.parsers.child",
    detect_language=lambda text: None,
    limits=SandboxLimits(address_space=1 << 30, cpu_seconds=8, wall_seconds=20, attempts=1),
)
_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PDF, HTML, MARKDOWN, TEXT = "application/pdf", "text/html", "text/markdown", "text/plain"


def _pdf(objects: list[bytes], root: int = 1) -> bytes:
    bodies = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, body) for number, body in enumerate(objects, 1))
    return b"%PDF-1.7\n" + bodies + b"trailer << /Root %d 0 R >>\n%%%%EOF" % root


def _stream(data: bytes, entries: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def _inflating_pdf() -> bytes:
    content = b"BT /F1 9 Tf " + b"(a) Tj " * 40_000_000
    packed = zlib.compress(zlib.compress(content, 9), 9)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"
    tree = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    stream = _stream(packed, b"/Filter [/FlateDecode /FlateDecode]")
    return _pdf([_CATALOG, tree, page, stream])


def _self_drawing_pdf() -> bytes:
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >> >>"
    )
    form = _stream(
        b"/A Do /A Do " * 40, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 5 0 R >> >>"
    )
    tree = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    return _pdf([_CATALOG, tree, page, _stream(b"/A Do", b""), form])


def _multiplying_front_matter() -> bytes:
    doubled = b"".join(b"%c: &%c [*%c,*%c]\n" % (n, n, n - 1, n - 1) for n in range(ord("b"), ord("z") + 1))
    return b"---\na: &a [x,x]\n" + doubled + b"---\nx"


HOSTILE = {
    "pages that hold themselves": (_pdf([_CATALOG, b"<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"]), PDF),
    "a billion pages in a number": (_pdf([_CATALOG, b"<< /Type /Pages /Count 999999999 /Kids [] >>"]), PDF),
    "brackets in brackets": (b"%PDF-1.7\n1 0 obj\n" + b"[" * 200_000, PDF),
    "an object stream in itself": (_pdf([_stream(b"1 0 " * 9, b"/Type /ObjStm /N 9999999 /First 8")]), PDF),
    "a form that draws itself": (_self_drawing_pdf(), PDF),
    "280 MB in a few hundred bytes": (_inflating_pdf(), PDF),
    "a cross-reference to nowhere": (write_pdf([["words"]]).replace(b"startxref\n", b"startxref\n9"), PDF),
    "nested elements": (b"<div>" * 100_000, HTML),
    "attributes": (b"<p " + b"a=b " * 500_000 + b">", HTML),
    "unclosed quotes": (b'<a href="' * 200_000, HTML),
    "formatting that multiplies": (b"<b><i><u><s><em><strong>" * 30 + b"<p>x" * 100_000, HTML),
    "tables in tables": (b"<table><tr><td>x" * 250, HTML),
    "entities": (b"&amp;&#x41;&lt;" * 300_000, HTML),
    "quotes in quotes": (b">" * 300_000, MARKDOWN),
    "lists in lists": (b"".join(b" " * (2 * depth) + b"- a\n" for depth in range(2_000)), MARKDOWN),
    "a table's width": (b"|a" * 50_000 + b"\n" + b"|-" * 50_000 + b"\n", MARKDOWN),
    "brackets": (b"[" * 200_000 + b"]" * 200_000, MARKDOWN),
    "front matter that multiplies": (_multiplying_front_matter(), MARKDOWN),
    "one long line": (b"word " * 2_000_000, TEXT),
    "eleven million letters": (b"a" * 11_000_000, TEXT),
    "only marks": (b"\xff\xfe\x00\x00" * 1000, TEXT),
}  # fmt: skip


@pytest.mark.feature("B1", "B7", "H2")
@pytest.mark.parametrize("case", HOSTILE)
async def test_a_hostile_file_is_a_document_or_a_document_error(case: str, tmp_path: Path) -> None:
    data, media_type = HOSTILE[case]
    path = tmp_path / "file"
    path.write_bytes(data)
    try:
        document = await PARSER.parse(path, name="file", media_type=media_type)
    except DocumentError as failure:
        assert failure.code in {"corrupt", "too_long", "too_deep", "too_complex", "timeout", "parser_crashed"}
        assert failure.advice
    else:
        assert isinstance(document, ParsedDocument)
        assert document.blocks or document.warnings


@pytest.mark.feature("B1")
async def test_more_letters_than_the_limit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(HOSTILE["eleven million letters"][0])
    with pytest.raises(DocumentError) as failure:
        await PARSER.parse(path, name="file", media_type=TEXT)
    assert failure.value.code == "too_long"
