"""The lines of a passage to its blocks: paragraphs, list items, table rows, key lines, code and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class LineKind(StrEnum):
    PROSE = "PROSE"
    ITEM = "ITEM"
    ROW = "ROW"
    KEY = "KEY"
    CODE = "CODE"
    HEADING = "HEADING"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring text of one kind: a paragraph, one list item, one table row, one code block, one heading."""

    kind: LineKind
    text: str


_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_ITEM = re.compile(r"^\s*(?:[-*•+‣◦–·]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_ROW = re.compile(r"^\s*\|.*\||^[^|]+(\s\|\s[^|]*){2,}$")
_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*$")
_KEY = re.compile(r"^[^\W_][^:.!?|]{0,48}:\s+\S.*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_ENDS = (".", "!", "?", ":", ";", ",", "。", "！", "？")


def read_stretches(text: str) -> list[Stretch]:
    """A passage's text as stretches, in order. Wrapped lines of a paragraph or item are joined."""
    return [stretch for block in _blocks(text) for stretch in _read_block(block)]


def _blocks(text: str) -> Iterator[list[str]]:
    """Lines between blank lines; a fenced block is one block, blank lines included."""
    block: list[str] = []
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            if not fenced and block:
                yield block
                block = []
            block.append(line)
            fenced = not fenced
            if not fenced:
                yield block
                block = []
        elif fenced or line.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _read_block(block: list[str]) -> Iterator[Stretch]:
    if _FENCE.match(block[0]):
        code = "\n".join(line for line in block if not _FENCE.match(line))
        if code.strip():
            yield Stretch(LineKind.CODE, code)
        return
    if len(block) == 1 and _looks_like_title(block[0]):
        yield Stretch(LineKind.HEADING, block[0].strip())
        return
    yield from _read_lines(block)


def _looks_like_title(line: str) -> bool:
    plain = line.strip()
    return (
        len(plain) <= 80
        and not plain.endswith(_ENDS)
        and not _ITEM.match(line)
        and "|" not in plain
        and not any(character.isdigit() for character in plain.split(" ", 1)[-1])
        and not _HEADING.match(plain)
    )


def _read_lines(block: list[str]) -> Iterator[Stretch]:
    width = max(len(line) for line in block)
    pending: list[str] = []
    kind = LineKind.PROSE
    for line in block:
        found = _kind_of(line, block)
        starts = found is not LineKind.PROSE or (kind is LineKind.PROSE and _breaks(pending, line, width))
        if pending and (starts or kind in (LineKind.ROW, LineKind.HEADING)):
            yield Stretch(kind, "\n".join(pending))
            pending, kind = [], LineKind.PROSE
        if not pending:
            kind = found
        pending.append(_HEADING.sub(r"\1", line.strip()))
    if pending:
        yield Stretch(kind, "\n".join(pending))


def _kind_of(line: str, block: list[str]) -> LineKind:
    if _HEADING.match(line.strip()):
        return LineKind.HEADING
    if _ROW.match(line) or (_RULE.match(line) and "|" in line):
        return LineKind.ROW
    if _ITEM.match(line):
        return LineKind.ITEM
    keys = [bool(_KEY.match(other)) for other in block]
    if _KEY.match(line) and len(line) <= 160 and (len(block) == 1 or sum(keys) >= 2):
        return LineKind.KEY
    return LineKind.PROSE


def _breaks(pending: list[str], line: str, width: int) -> bool:
    """A line much shorter than the paragraph that ends without a stop, before a capital, stands for itself."""
    if not pending:
        return False
    last = pending[-1]
    return len(last) < 0.6 * width and not last.endswith((",", ";")) and line.strip()[:1].isupper()


def is_rule(row: str) -> bool:
    """Whether a table row is only the rule below a header."""
    return _RULE.match(row) is not None


def cells_of(row: str) -> list[str]:
    """The cells of a Markdown table row; an escaped pipe stays in its cell."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [" ".join(cell.replace("\\|", "|").split()) for cell in re.split(r"(?<!\\)\|", inner)]
