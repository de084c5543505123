"""Which lines of a PDF, in reading order, hang together: headings, list items, paragraphs. Pure; how they are written
is in `text`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from matrix.domain.documents import BlockKind
from matrix.plugins.parsers.pdf.headings import HeadingRules
from matrix.plugins.parsers.pdf.lines import Line
from matrix.plugins.parsers.pdf.tables.found import find_tables

_MARKER = re.compile(r"(?:[•‣▪●○◦∙·■□➢✓–—*-]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z][.)]|\([ivx]{1,5}\)|\[[0-9]{1,3}\])(?:\s|$)")
_SENTENCE_END = re.compile(r"[.!?:;…]['\"”’)\]]*$")
_LEADER = re.compile(r"(?: ?\.){4,}")
_GAP = 1.28  # of the usual distance: more parts paragraphs
_INDENT = 0.7  # em
_BOLD_LEVEL = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that are one block; of a table, `lines` are its rows, `rows` has the cells of each, and every row is as
    wide."""

    kind: BlockKind
    lines: list[Line]
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


def group_lines(lines: Sequence[Line], rules: HeadingRules) -> list[Group]:
    """Headings, list items and paragraphs, in order. A paragraph may run on over a column or a page."""
    groups: list[Group] = []
    pitches = _pitches(lines)
    tables = {table.first: table for table in find_tables(lines)}
    position = 0
    while position < len(lines):
        line = lines[position]
        if table := tables.get(position):
            position += table.count
            rows = tuple(row.cells for row in table.rows)
            groups.append(Group(BlockKind.TABLE, [row.line for row in table.rows], rows=rows))
            continue
        position += 1
        level = _heading_level(line, rules)
        pitch = pitches.get(round(line.size), line.size * 1.2)
        if groups and _belongs(groups[-1], line, level, pitch):
            groups[-1].lines.append(line)
        else:
            groups.append(Group(_kind(line, level), [line], level))
    return groups


def is_listing(line: Line) -> bool:
    """A row of a table of contents or of figures: it keeps its line end."""
    return line.widest_gap > 2 * line.size or _LEADER.search(line.text) is not None


def _kind(line: Line, level: int) -> BlockKind:
    if level:
        return BlockKind.HEADING
    return BlockKind.LIST_ITEM if _MARKER.match(line.text) else BlockKind.PARAGRAPH


def _heading_level(line: Line, rules: HeadingRules) -> int:
    level = rules.level(line)
    return 0 if level == _BOLD_LEVEL and _MARKER.match(line.text) else level


def _belongs(group: Group, line: Line, level: int, pitch: float) -> bool:
    """Whether the line goes on with the group."""
    before = group.lines[-1]
    if group.kind is BlockKind.TABLE:
        return False
    if before.hyphen:
        return True
    if level != group.level or (not level and _MARKER.match(line.text)):
        return False
    if level:
        return _same_heading(before, line, pitch)
    if before.page != line.page or line.baseline < before.baseline - pitch / 2:
        return _runs_on(before, line)
    return line.baseline - before.baseline <= _GAP * pitch and not _begins_paragraph(group, line)


def _same_heading(before: Line, line: Line, pitch: float) -> bool:
    together = before.page == line.page and 0 <= line.baseline - before.baseline <= _GAP * pitch
    return together and abs(line.size - before.size) < 0.5 and before.bold == line.bold


def _begins_paragraph(group: Group, line: Line) -> bool:
    """An indented line does, not in a list item nor as a group's second line (a hanging indent, unless the sentence
    ended); and one that stands out to the left does after a hanging indent."""
    before = group.lines[-1]
    indent = (line.x0 - before.x0) / line.size if line.size else 0.0
    if indent < -_INDENT:
        return len(group.lines) > 1 and group.lines[0].x0 < before.x0
    if indent <= _INDENT or group.kind is BlockKind.LIST_ITEM:
        return False
    return len(group.lines) > 1 or _SENTENCE_END.search(before.text) is not None


def _runs_on(before: Line, line: Line) -> bool:
    """Over a column or page break: the sentence was not finished and goes on in small letters."""
    unfinished = len(before.text) > 20 and not _SENTENCE_END.search(before.text)
    return unfinished and line.text[:1].islower() and abs(line.size - before.size) < 0.5


def _pitches(lines: Sequence[Line]) -> dict[int, float]:
    """The usual distance from line to line, by font size: the lower quartile, for paragraphs stand further apart."""
    steps: dict[int, list[float]] = {}
    for before, line in pairwise(lines):
        step = line.baseline - before.baseline
        if before.page == line.page and 0.6 * line.size < step < 3 * line.size and abs(line.size - before.size) < 0.5:
            steps.setdefault(round(line.size), []).append(step)
    return {size: sorted(found)[len(found) // 4] for size, found in steps.items() if len(found) >= 3}
