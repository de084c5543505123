"""A retrieved passage to its candidates: the sentences, rows, items and lines that an answer can be made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from matrix.domain.chat import Evidence
from matrix.plugins.models.extractive.lines import LineKind, Stretch, cells_of, is_rule, read_stretches
from matrix.plugins.models.extractive.sentences import split_sentences

LONGEST_GROUP = 450
_BULLET = re.compile(r"^\s*(?:[-*•+‣◦–·])\s+")
_EMPHASIS = re.compile(r"(\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w.!?])[*_](?!\w))")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that can be said, with what surrounds it.

    `text` is what an answer says; `cells` are its parts with their names, where it is the row of a table or a line with
    a name before it; `before` the sentence before it in its paragraph; `heading` the titles above it
    (the passage's own and its section path); `rank` the passage's place from 0; `group` marks a whole list, or code
    with the sentence that opens it.
    """

    text: str
    kind: LineKind
    marker: int
    rank: int
    place: int
    heading: str = ""
    before: str = ""
    group: bool = False
    cells: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """The nearest heading."""
        return self.heading.rsplit(" / ", 1)[-1]


def read_candidates(evidence: Iterable[Evidence]) -> list[Candidate]:
    """All candidates of the passages, best passage first; what two passages share is kept once."""
    seen: set[str] = set()
    candidates: list[Candidate] = []
    for rank, item in enumerate(evidence):
        for candidate in _read_passage(item, rank):
            key = candidate.text.casefold()
            if key not in seen:
                seen.add(key)
                candidates.append(candidate)
    return candidates


def _read_passage(item: Evidence, rank: int) -> list[Candidate]:
    above = " / ".join([*dict.fromkeys([*item.hit.source.section_path, *_context_titles(item.hit.context)])])
    header = _context_header(item.hit.context)
    reader = _PassageReader(item.marker, rank, above, header)
    for stretch in read_stretches(item.hit.text):
        reader.read(stretch)
    return reader.finish()


def _context_titles(context: str) -> list[str]:
    return [line.strip("# ").strip() for line in context.splitlines() if line.strip() and "|" not in line]


def _context_header(context: str) -> tuple[str, ...]:
    rows = [line for line in context.splitlines() if line.strip().startswith("|") and not is_rule(line)]
    return tuple(cells_of(rows[0])) if rows else ()


class _PassageReader:
    """Walks one passage's stretches, carrying the heading, the table header and the list that are open."""

    def __init__(self, marker: int, rank: int, above: str, header: tuple[str, ...]) -> None:
        self._marker, self._rank, self._above, self._header = marker, rank, above, header
        self._own_heading = ""
        self._intro = ""
        self._items: list[str] = []
        self._found: list[Candidate] = []
        self._count = 0
        self._last_row: tuple[str, ...] | None = None

    def read(self, stretch: Stretch) -> None:
        if stretch.kind is not LineKind.ITEM and stretch.kind is not LineKind.CODE:
            self._close_list()
        if stretch.kind is not LineKind.ROW:
            self._close_table()
        match stretch.kind:
            case LineKind.HEADING:
                self._own_heading, self._intro = stretch.text, ""
            case LineKind.ROW:
                self._read_row(stretch.text)
            case LineKind.ITEM:
                self._read_item(stretch.text)
            case LineKind.CODE:
                self._read_code(stretch.text)
            case LineKind.KEY:
                name, _, value = stretch.text.partition(":")
                cells = ((" ".join(name.split()), " ".join(value.split())),)
                self._add(" ".join(stretch.text.split()), LineKind.KEY, cells=cells)
            case LineKind.PROSE:
                self._read_prose(stretch.text)

    def finish(self) -> list[Candidate]:
        self._close_list()
        self._close_table()
        if not self._found and self._own_heading:
            self._add(self._own_heading, LineKind.HEADING)
        return self._found

    def _add(
        self,
        text: str,
        kind: LineKind,
        *,
        before: str = "",
        group: bool = False,
        cells: tuple[tuple[str, str], ...] = (),
    ) -> None:
        heading = " / ".join(part for part in (self._above, self._own_heading) if part)
        plain = _EMPHASIS.sub("", text) if kind is not LineKind.CODE else text
        self._count += 1
        self._found.append(Candidate(plain, kind, self._marker, self._rank, self._count, heading, before, group, cells))

    def _drop(self, intro: str) -> None:
        """Takes back the sentence that opens a list: it says nothing without the list."""
        self._found = [candidate for candidate in self._found if not intro or candidate.text != intro]

    def _read_prose(self, text: str) -> None:
        sentences = split_sentences(text)
        for before, sentence in zip(["", *sentences], sentences, strict=False):
            self._add(sentence, LineKind.PROSE, before=before)
        self._intro = sentences[-1] if sentences and sentences[-1].endswith(":") else ""

    def _read_row(self, row: str) -> None:
        if is_rule(row):
            if self._last_row is not None:
                self._header, self._last_row = self._last_row, None
            return
        self._close_table()
        self._last_row = tuple(cells_of(row))

    def _close_table(self) -> None:
        """Adds the row that is open: only the next line can show whether it was a header."""
        row, self._last_row = self._last_row, None
        if not row or row == self._header:
            return
        header = self._header if len(self._header) == len(row) else ("",) * len(row)
        cells = tuple((name, value) for name, value in zip(header, row, strict=True) if value)
        self._add(say_cells(cells), LineKind.ROW, before=self._intro, cells=cells)

    def _read_item(self, text: str) -> None:
        item = " ".join(text.split())
        self._items.append(item)
        self._add(_BULLET.sub("", item), LineKind.ITEM, before=self._intro)

    def _read_code(self, text: str) -> None:
        intro, code = self._intro, text.strip("\n")
        if len(code) <= LONGEST_GROUP:
            self._drop(intro)
            self._add(f"{intro} {code}" if intro else code, LineKind.CODE, group=bool(intro))
            return
        for line in code.splitlines():
            if line.strip():
                self._add(line.strip(), LineKind.CODE, before=intro)

    def _close_list(self) -> None:
        """Adds the list as one candidate, with the sentence that opens it, as far as its length allows."""
        items, self._items = self._items, []
        if len(items) < 2 or not (self._intro or self._own_heading or self._above):
            self._intro = "" if items else self._intro
            return
        said = [self._intro] if self._intro else []
        for item in items:
            if sum(len(part) + 1 for part in said) + len(item) > LONGEST_GROUP:
                break
            said.append(item)
        if len(said) > 1:
            self._drop(self._intro)
            self._add(" ".join(said), LineKind.ITEM, group=True)
        self._intro = ""


def say_cells(cells: Iterable[tuple[str, str]]) -> str:
    """A table row as `Column: value` pairs."""
    return "; ".join(f"{name}: {value}" if name else value for name, value in cells)
