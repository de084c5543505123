"""A parsed document survives its JSON, and nothing but a parsed document is read from one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from matrix.domain.documents import Block, BlockKind, LineBox, PageSpan, ParsedDocument
from matrix.domain.parsed_json import decode_parsed, encode_parsed

DOCUMENT = ParsedDocument(
    text="Größe 🪶 \ud800 end",
    blocks=(Block(BlockKind.HEADING, 0, 5, level=2, page=1), Block(BlockKind.TABLE, 6, 11)),
    media_type="application/pdf",
    title="T",
    language="de",
    encoding=None,
    canonical_url="https://x.example",
    pages=(PageSpan(1, 0, 13, 612.0, 791.5),),
    lines=(LineBox(1, 0, 5, 1.25, 2.5, 3.0, 4.0),),
    warnings=("one",),
)


def test_a_document_comes_back_as_it_was() -> None:
    assert decode_parsed(encode_parsed(DOCUMENT)) == DOCUMENT


@pytest.mark.parametrize(
    "spoil",
    [
        lambda fields: fields.update(text=5),
        lambda fields: fields.update(title=["x"]),
        lambda fields: fields.pop("warnings"),
        lambda fields: fields.update(kinds=["NO_SUCH"]),
        lambda fields: fields["blocks"][0].__setitem__(0, 99),
        lambda fields: fields["blocks"][0].__setitem__(1, -1),
        lambda fields: fields["blocks"][0].__setitem__(2, 10_000),
        lambda fields: fields["blocks"][0].__setitem__(2, True),
        lambda fields: fields["blocks"].reverse(),
        lambda fields: fields["blocks"][0].pop(),
        lambda fields: fields["lines"][0].__setitem__(3, "1"),
        lambda fields: fields["lines"][0].__setitem__(3, float("nan")),
        lambda fields: fields["pages"].append("x"),
    ],
)
def test_anything_else_is_a_value_error(spoil: Callable[[dict[str, Any]], object]) -> None:
    fields = json.loads(encode_parsed(DOCUMENT).decode("utf-8", "surrogatepass"))
    spoil(fields)
    with pytest.raises(ValueError):
        decode_parsed(json.dumps(fields).encode())


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{", b"\xff", b"[" * 100_000, b"1" * 5_000])
def test_no_json_at_all_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        decode_parsed(data)
