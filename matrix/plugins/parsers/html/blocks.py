"""A tree of HTML elements to text and blocks: headings, paragraphs, list items, quotes, code, and tables as Markdown
pipe tables. What of the page is worth reading was decided before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from matrix.domain.documents import Block, BlockKind
from matrix.plugins.parsers.html.tree import Element

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr picture q ruby "  # noqa: SIM905  # shorter to read
    "rb rt rp s samp small source span strike strong sub sup time tt u var wbr".split()
)
_SPACES = re.compile(r"[ \t\n\r\f\u00a0\u200b]+")
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|brush:?)[-\s:]*([\w+#-]+)")
_LONGEST_CELL = 600


@dataclass(slots=True)
class BlockWriter:
    """Collects text and blocks; inline text gathers until a block-level element begins or ends."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    kind: BlockKind = BlockKind.PARAGRAPH
    marker: str = ""

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def write(self, element: Element, depth: int = 0) -> None:
        for child in element.children:
            if isinstance(child, str):
                self.inline.append(child)
            else:
                self._write_element(child, depth)

    def _write_element(self, element: Element, depth: int) -> None:
        tag = element.tag
        if tag == "br":
            self.inline.append("\v")
        elif tag in _INLINE:
            self.write(element, depth)
        else:
            self.flush()
            self._write_block(element, depth)
            self.flush()

    def _write_block(self, element: Element, depth: int) -> None:
        match element.tag:
            case tag if tag in _HEADINGS:
                self.add(BlockKind.HEADING, clean(plain_words(element)).replace("\n", " "), _HEADINGS[tag])
            case "pre":
                self._add_code(element)
            case "table" if (rows := data_rows(element)) is not None:
                self.add(BlockKind.TABLE, pipe_table(rows))
            case "blockquote":
                self._within(element, BlockKind.QUOTE, depth)
            case "ul" | "ol" | "menu":
                self._write_list(element, depth)
            case _:
                self.write(element, depth)

    def _write_list(self, element: Element, depth: int) -> None:
        number = _start(element) if element.tag == "ol" else None
        for child in element.elements:
            if child.tag != "li":
                self._write_element(child, depth)
                continue
            self.flush()
            self.marker = "  " * depth + (f"{number}. " if number is not None else "- ")
            self._within(child, BlockKind.LIST_ITEM, depth + 1)
            self.marker = ""
            number = number + 1 if number is not None else None

    def _within(self, element: Element, kind: BlockKind, depth: int) -> None:
        before, self.kind = self.kind, kind
        self.write(element, depth)
        self.flush()
        self.kind = before

    def _add_code(self, element: Element) -> None:
        code = "".join(_raw(element)).replace("\v", "\n").strip("\n")
        found = next((m for e in (element, *element.elements) if (m := _LANGUAGE.search(e.names))), None)
        fence = "```" if "```" not in code else "`" * 8
        if code.strip():
            self.add(BlockKind.CODE, f"{fence}{found.group(1) if found else ''}\n{code}\n{fence}")

    def flush(self) -> None:
        words = clean("".join(self.inline))
        self.inline.clear()
        for paragraph in words.split("\n\n"):
            if paragraph.strip():
                self.add(self.kind, self.marker + paragraph.strip())
                self.marker = " " * len(self.marker)

    def add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if not text.strip():
            return
        lead = len(text) - len(text.lstrip())
        together = self.blocks and kind is BlockKind.LIST_ITEM and self.blocks[-1].kind is kind
        between = "" if not self.length else "\n" if together else "\n\n"
        start = self.length + len(between) + lead
        self.parts += [between, text]
        self.length += len(between) + len(text)
        self.blocks.append(Block(kind, start, self.length, level))


def clean(text: str) -> str:
    """White space as a browser shows it; `\\v` stands for a line break, two of them part paragraphs."""
    lines = [_SPACES.sub(" ", line).strip() for line in text.split("\v")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def plain_words(element: Element) -> str:
    return "".join(_raw(element))


def _raw(element: Element) -> Iterator[str]:
    for child in element.children:
        if isinstance(child, str):
            yield child
        elif child.tag == "br":
            yield "\v"
        else:
            spaced = child.tag not in _INLINE
            if spaced:
                yield " "
            yield from _raw(child)
            if spaced:
                yield " "


def data_rows(table: Element) -> list[list[str]] | None:
    """The cells of a table of data, row by row; None for one that only lays out a page (nested, one column, prose)."""
    rows = []
    for row in _rows(table):
        cells = [cell for cell in row.elements if cell.tag in ("td", "th")]
        if any(_holds_blocks(cell) for cell in cells):
            return None
        words = [clean(plain_words(cell)).replace("\n", " ").replace("|", "\\|") for cell in cells]
        rows.append([word for cell, word in zip(cells, words, strict=True) for word in _spanned(cell, word)])
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    if len(rows) < 2 or width < 2 or max(len(cell) for row in rows for cell in row) > _LONGEST_CELL:
        return None
    return [row + [""] * (width - len(row)) for row in rows]


def pipe_table(rows: list[list[str]]) -> str:
    header, *body = rows
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *body))


def _rows(table: Element) -> Iterator[Element]:
    for child in table.elements:
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in child.elements if row.tag == "tr")


def _holds_blocks(cell: Element) -> bool:
    return any(child.tag in ("table", "pre", "blockquote") or _holds_blocks(child) for child in cell.elements)


def _spanned(cell: Element, word: str) -> list[str]:
    span = cell.attributes.get("colspan", "1")
    return [word] + [""] * (min(int(span), 64) - 1 if span.isdecimal() else 0)


def _start(element: Element) -> int:
    start = element.attributes.get("start", "1")
    return int(start) if re.fullmatch(r"\d{1,6}", start) else 1
