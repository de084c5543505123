"""HTML: the article of a page as text and blocks. The steps are modules of their own: nesting, tree, content,
blocks."""

from __future__ import annotations

import re

from matrix.domain.document_failures import FailureCode, document_failure
from matrix.domain.documents import ParsedDocument
from matrix.plugins.parsers.decoding import decode
from matrix.plugins.parsers.html.blocks import BlockWriter
from matrix.plugins.parsers.html.content import main_content
from matrix.plugins.parsers.html.nesting import too_deeply_nested
from matrix.plugins.parsers.html.prolog import declares_document_type
from matrix.plugins.parsers.html.tree import read_tree
from matrix.plugins.parsers.limits import MAX_MARKUP_BYTES, MAX_NESTING, too_deep, too_long

MEDIA_TYPE = "text/html"
_DECLARED = re.compile(rb"""<meta[^>]{0,256}?charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]{2,40})""", re.IGNORECASE)
# Labels that pages use, as Python names; what is not listed is guessed. As in browsers, Latin-1 is cp1252.
_ENCODINGS = {
    "utf-8": "utf-8", "utf8": "utf-8", "iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252",
    "windows-1252": "cp1252", "iso-8859-15": "iso8859-15", "iso-8859-2": "iso8859-2", "windows-1250": "cp1250",
    "windows-1251": "cp1251", "iso-8859-5": "iso8859-5", "koi8-r": "koi8-r", "koi8-u": "koi8-u",
    "windows-1253": "cp1253", "iso-8859-7": "iso8859-7", "windows-1254": "cp1254", "iso-8859-9": "cp1254",
    "windows-1255": "cp1255", "iso-8859-8": "iso8859-8", "windows-1256": "cp1256", "windows-1257": "cp1257",
    "windows-1258": "cp1258", "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "big5": "big5hkscs",
    "shift_jis": "cp932", "shift-jis": "cp932", "x-sjis": "cp932", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "windows-874": "cp874", "tis-620": "cp874",
}  # fmt: skip


def parse_html(data: bytes) -> ParsedDocument:
    """Raises DocumentError `too_long` over 10 MiB, `too_deep` over 256 nested elements, `document_type` for a DTD."""
    if len(data) > MAX_MARKUP_BYTES:
        raise too_long(f"The HTML file is larger than {MAX_MARKUP_BYTES >> 20} MiB.")
    declared = _DECLARED.search(data[:4096])
    decoded = decode(data, _ENCODINGS.get(declared.group(1).decode("ascii").lower()) if declared else None)
    if declares_document_type(decoded.text):
        raise document_failure(FailureCode.DOCUMENT_TYPE)
    if too_deeply_nested(decoded.text, MAX_NESTING):
        raise too_deep()
    page = read_tree(decoded.text)
    writer = BlockWriter()
    writer.write(main_content(page.body))
    writer.flush()
    return ParsedDocument(
        text=writer.text,
        blocks=tuple(writer.blocks),
        media_type=MEDIA_TYPE,
        title=page.title,
        language=page.language,
        encoding=decoded.encoding,
        canonical_url=page.canonical_url,
        warnings=decoded.warnings,
    )
