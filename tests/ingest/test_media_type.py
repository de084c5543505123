"""The type of a file is found from its bytes; what no parser reads is refused with the list of what is accepted."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from matrix.errors import InvalidInput, UnsupportedType
from matrix.ingest.media_type import FORMATS, detect


def _zip_with_a_pdf_inside() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.pdf", "%PDF-1.4 stored as it is")
    return buffer.getvalue()


@pytest.mark.feature("B1")
@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"%PDF-1.7\n", "report.pdf", "application/pdf"),
        (b"%PDF-1.7\n", "report.txt", "application/pdf"),
        (b"%PDF-1.7\n", "report", "application/pdf"),
        (b"\xef\xbb\xbf \n%PDF-1.4", "report.doc", "application/pdf"),
        (b"job header \x00\x01\n%PDF-1.4", "printed.pdf", "application/pdf"),
        (b"<!DOCTYPE html><html>", "page.html", "text/html"),
        (b"<!-- saved -->\n<HTML lang=en>", "page.txt", "text/html"),
        (b'<?xml version="1.0"?>\n<html xmlns="x">', "page.xhtml", "text/html"),
        (b"<p>a fragment", "page.htm", "text/html"),
        (b"# Title\n", "NOTES.MD", "text/markdown"),
        (b"<h1 align=center>Readme</h1>", "README.md", "text/markdown"),
        (b"hello", "folder.v2/README", "text/plain"),
        (b"hello", "Dr. Smith, version 1.2", "text/plain"),
        (b"about %PDF-1.4 headers", "notes.txt", "text/plain"),
        ("größer".encode("utf-16"), "notes.txt", "text/plain"),
        ("größer".encode("cp1252"), "notes.txt", "text/plain"),
        ("日本語".encode("shift_jis"), "notes.txt", "text/plain"),
    ],
)
def test_type_comes_from_the_bytes(head: bytes, name: str, expected: str) -> None:
    assert detect(head, name).name == expected


@pytest.mark.feature("B1")
@pytest.mark.parametrize(
    ("head", "name"),
    [
        (_zip_with_a_pdf_inside(), "report.pdf"),
        (_zip_with_a_pdf_inside(), "report.txt"),
        (b"MZ\x90\x00\x03\x00\x00\x00" + bytes(200), "report.pdf"),
        (b"\x7fELF\x02\x01\x01\x00" + bytes(200), "notes.md"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "notes.md"),
        (gzip.compress(b"text", mtime=0), "notes.txt"),
        (bytes(range(256)), "notes.txt"),
        (b"a\x01b\x02c\x03" * 50, "notes.txt"),
        (b"{\\rtf1\\ansi", "notes.txt"),
        (b"just text", "report.pdf"),
        (b'{"a": 1}', "data.json"),
        (b"print(1)", "code.py"),
    ],
)
def test_what_is_not_accepted_is_refused_with_the_list(head: bytes, name: str) -> None:
    with pytest.raises(UnsupportedType) as refusal:
        detect(head, name)
    assert name in refusal.value.message
    for format_ in FORMATS:
        assert format_.title in refusal.value.message


@pytest.mark.feature("B1")
def test_no_bytes_are_refused_with_their_own_code() -> None:
    with pytest.raises(InvalidInput) as refusal:
        detect(b"", "empty.txt")
    assert refusal.value.code == "empty_file"


def test_each_extension_names_one_format() -> None:
    extensions = [extension for format_ in FORMATS for extension in format_.extensions]
    assert len(extensions) == len(set(extensions))
