"""Groups of PDF lines to the parsed text: how line ends are joined, and where in the text each line came to stand.
Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from matrix.domain.documents import Block, BlockKind, LineBox
from matrix.plugins.parsers.pdf.blocks import Group, is_listing
from matrix.plugins.parsers.pdf.lines import Line

_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]")  # Chinese and Japanese: no space between words
_AROUND = 6  # lines before and after
_LEADER = re.compile(r" ?(?: ?\.){4,} ?")


def compounds_of(lines: Sequence[Line]) -> frozenset[str]:
    """Words that are written with a hyphen inside a line."""
    return frozenset(word.casefold() for line in lines if "-" in line.text for word in _COMPOUND.findall(line.text))


@dataclass(slots=True)
class TextBuilder:
    """Collects the text with its blocks and line boxes; `page_ranges` notes where each page's lines stand."""

    compounds: frozenset[str] = frozenset()
    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    boxes: list[LineBox] = field(default_factory=list)
    page_ranges: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, group: Group) -> None:
        if self.length:
            self._write("\n\n")
        start = self.length
        if group.rows:
            self._add_rows(group)
        else:
            for index in range(len(group.lines)):
                self._add_line(group, index)
        self.blocks.append(Block(group.kind, start, self.length, group.level, group.lines[0].page))

    def _add_rows(self, group: Group) -> None:
        """As a Markdown pipe table, whose first row is the header."""
        for index, (line, row) in enumerate(zip(group.lines, group.rows, strict=True)):
            if index:
                self._write("\n")
            if index == 1:
                self._write("|" + " --- |" * len(row) + "\n")
            start = self.length
            self._write(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |")
            self._place(line, start)

    def _place(self, line: Line, start: int) -> None:
        """Notes where the line came to stand."""
        self.page_ranges[line.page] = self.page_ranges.get(line.page, (start, start))[0], self.length
        self.boxes.append(LineBox(line.page, start, self.length, line.x0, line.top, line.x1, line.bottom))

    def _add_line(self, group: Group, index: int) -> None:
        line = group.lines[index]
        following = group.lines[index + 1] if index + 1 < len(group.lines) else None
        start = self.length
        self._write(_LEADER.sub(" … ", line.text))
        if line.hyphen and (following is None or _keeps_hyphen(line.text, following.text, self.compounds)):
            self._write("-")
        self._place(line, start)
        if following is not None:
            self._write(_joint(group, index))

    def _write(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.length += len(text)


def _joint(group: Group, index: int) -> str:
    """Nothing after a hyphen, a space where the line was full, a line end where it was broken off on purpose."""
    line, following = group.lines[index], group.lines[index + 1]
    if line.hyphen or (_UNSPACED.match(line.text[-1:]) and _UNSPACED.match(following.text[:1])):
        return ""
    if group.kind is BlockKind.HEADING:
        return " "
    if is_listing(line) or is_listing(following):
        return "\n"
    same_column = line.page == following.page and line.top <= following.top
    return "\n" if same_column and _broken_off(group, index) else " "


def _broken_off(group: Group, index: int) -> bool:
    """Whether the line ends well before the right edge that the lines around it keep."""
    line = group.lines[index]
    around = group.lines[max(0, index - _AROUND) : index + _AROUND + 1]
    edge = max(other.x1 for other in around if other.x0 <= line.x1 and line.x0 <= other.x1 and other.page == line.page)
    return edge - line.x1 > 0.2 * (edge - line.x0) + 2 * line.size


def _keeps_hyphen(before: str, after: str, compounds: frozenset[str]) -> bool:
    """`well-` + `known` keeps its hyphen where `well-known` also stands inside a line; `exam-` + `ple` does not."""
    first, second = _WORD.findall(before.rsplit(None, 1)[-1]), _WORD.match(after)
    if not first or second is None or not after[:1].islower():
        return True
    return f"{first[-1]}-{second.group()}".casefold() in compounds
