"""A ParsedDocument as compact JSON (columns instead of objects) and back: how a parser child hands over its result, and
how the parsed text of a version is stored. Reading checks every type and range, for a parser may have been taken over
by the file that it read."""

from __future__ import annotations

import json
import math
from typing import TypeVar

from matrix.domain.documents import Block, BlockKind, LineBox, PageSpan, ParsedDocument

_TEXTS = ("media_type", "text")
_OPTIONAL_TEXTS = ("title", "language", "encoding", "canonical_url")
_KINDS = tuple(BlockKind)
_Span = TypeVar("_Span", Block, PageSpan, LineBox)


def encode_parsed(document: ParsedDocument) -> bytes:
    """The document as UTF-8 JSON. Coordinates are rounded to a hundredth of a point."""
    kinds = {kind: number for number, kind in enumerate(_KINDS)}
    fields: dict[str, object] = {name: getattr(document, name) for name in (*_TEXTS, *_OPTIONAL_TEXTS)}
    fields["warnings"] = document.warnings
    fields["kinds"] = _KINDS
    fields["blocks"] = [[kinds[b.kind], b.start, b.end, b.level, b.page or 0] for b in document.blocks]
    fields["pages"] = [[p.number, p.start, p.end, round(p.width, 2), round(p.height, 2)] for p in document.pages]
    fields["lines"] = [
        [n.page, n.start, n.end, round(n.x0, 2), round(n.top, 2), round(n.x1, 2), round(n.bottom, 2)]
        for n in document.lines
    ]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode_parsed(data: bytes) -> ParsedDocument:
    """The document that `encode_parsed` wrote. Raises ValueError for anything else, whatever it is."""
    try:
        return _document(json.loads(data.decode("utf-8", "surrogatepass")))
    except (KeyError, TypeError, IndexError, RecursionError) as cause:
        raise ValueError(f"not a parsed document: {cause!r}") from cause


def _document(fields: dict[str, object]) -> ParsedDocument:
    text, media_type = (_text(fields[name]) for name in ("text", "media_type"))
    length = len(text)
    kinds = [BlockKind(_text(kind)) for kind in _rows(fields["kinds"])]
    title, language, encoding, canonical = (_optional_text(fields[name]) for name in _OPTIONAL_TEXTS)
    return ParsedDocument(
        text=text,
        blocks=_in_order(tuple(_block(row, kinds) for row in _rows(fields["blocks"])), length),
        media_type=media_type,
        title=title,
        language=language,
        encoding=encoding,
        canonical_url=canonical,
        pages=_in_order(tuple(_page(row) for row in _rows(fields["pages"])), length),
        lines=_in_order(tuple(_line(row) for row in _rows(fields["lines"])), length),
        warnings=tuple(_text(warning) for warning in _rows(fields["warnings"])),
    )


def _block(row: object, kinds: list[BlockKind]) -> Block:
    kind, start, end, level, page = (_count(cell) for cell in _rows(row))
    return Block(kinds[kind], start, end, level, page or None)


def _page(row: object) -> PageSpan:
    number, start, end, width, height = _rows(row)
    return PageSpan(_count(number), _count(start), _count(end), _number(width), _number(height))


def _line(row: object) -> LineBox:
    page, start, end, x0, top, x1, bottom = _rows(row)
    return LineBox(_count(page), _count(start), _count(end), _number(x0), _number(top), _number(x1), _number(bottom))


def _in_order(spans: tuple[_Span, ...], length: int) -> tuple[_Span, ...]:
    before = 0
    for span in spans:
        if not before <= span.start <= span.end <= length:
            raise ValueError(f"spans out of order or outside the text: {span}")
        before = span.end
    return spans


def _rows(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"a list was expected, not {type(value).__name__}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"a text was expected, not {type(value).__name__}")
    return value


def _optional_text(value: object) -> str | None:
    return None if value is None else _text(value)


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"a count was expected, not {value!r:.40}")
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"a number was expected, not {value!r:.40}")
    return float(value)
