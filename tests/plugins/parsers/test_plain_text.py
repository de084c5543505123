from __future__ import annotations

import pytest

from matrix.plugins.parsers.plain_text import parse_plain_text
from tests.plugins.parsers.blocks import assert_whole, words


@pytest.mark.feature("B1")
def test_paragraphs_are_parted_by_blank_lines() -> None:
    document = parse_plain_text(b"  First line\r\nsecond line  \r\n \t \r\n\r\nNext paragraph\n")
    assert [text for _, text in words(document)] == ["First line\nsecond line", "Next paragraph"]
    assert document.encoding == "utf-8"
    assert_whole(document)


@pytest.mark.feature("B1")
@pytest.mark.parametrize("data", [b" ", b"\n\n\t\n", b"\x00\x01"])
def test_a_blank_file_has_no_blocks(data: bytes) -> None:
    assert parse_plain_text(data).blocks == ()
