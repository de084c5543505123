"""Where sentences begin, in any script that marks their ends. In doubt two sentences stay together: a long sentence
does less harm than half of one.

A rule of thumb by design: the boundaries of UAX 29 cut after "Dr." and "z. B.".
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from matrix.domain.graphemes import is_boundary

APART = 8  # code points; what is shorter stays with the sentence after it

# Full stops that need white space after them; those that do not; blank lines. Possessive and anchored: a text of
# nothing but dots takes linear time.
_END = regex.compile(
    r"""(?<![.!?…‽؟۔։।॥።])[.!?…‽؟۔։।॥።]++["'”’»›)\]}*_]*+(?:\[[\d,–-]+\])*+(?P<space>\s++)"""
    r"""|[。！？｡．︒]++["”’」』）》〉】]*+\s*+"""
    r"""|(?P<blank>\n[^\S\n]*+\n\s*+)"""
)
_CITATION_MARKS = regex.compile(r"(?:\s*\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\])+")
_LAST_WORD = regex.compile(r"[\p{L}\p{N}.\-]+\Z")
_LONGEST_WORD = 24
_ABBREVIATIONS = frozenset(
    word
    for line in (
        "dr mr mrs ms mx prof st jr sr rev hon gen col maj capt lt sgt mt ft vs cf al ca approx dept est i.e e.g viz",
        "resp u.s u.k ph.d b.sc m.sc inc ltd co corp jan feb apr jun jul aug sep sept oct nov dec ed eds vols",
        "bzw d.h dipl evtl ggf hrsg i.d.r ing inkl m.e mio mrd o.ä s.o s.u sog str u.a u.ä v.a vgl z.b z.t zzgl bspw",
        "mm mme mlle mgr éd env p.ex boul n° sra srta dra ud uds avda dott sig.ra sig.na dhr mevr bijv",
    )
    for word in line.split()
)
_BEFORE_NUMBERS = frozenset(
    "no nos fig figs vol sec par art ch pp eq eqs tab ref refs abb abs anm aufl bd kap nr lit pág núm pag mar".split()  # noqa: SIM905
)


def sentence_starts(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """For each sentence after the first: the end of the one before, its own start, and whether a blank line parts
    them. All are offsets in `text`, within `start` and `end`."""
    last = start
    for match in _END.finditer(text, start, end):
        after = match.end()
        blank = _holds_blank_line(match)
        if after >= end or (after - last < APART and not blank) or not is_boundary(text, after):
            continue
        if blank or match["space"] is None or _ends_sentence(text, start, match.start(), after):
            yield _trimmed_end(text, match.start(), after), after, blank
            last = after


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the white space around it. A line break ends one too, and marks like
    [3] behind a full stop belong to the sentence before them."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        spans += _spans_of_line(text, start, start + len(line))
        start += len(line)
    return spans


def _spans_of_line(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for cut in [*(after for _, after, _ in sentence_starts(text, start, end)), end]:
        marks = _CITATION_MARKS.match(text, start) if spans else None
        if marks is not None:
            spans[-1] = (spans[-1][0], marks.end())
            start = marks.end()
        piece = text[start:cut]
        if piece.strip():
            spans.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
        start = max(start, cut)
    return spans


def _holds_blank_line(match: regex.Match[str]) -> bool:
    return match["blank"] is not None or (match["space"] or "").count("\n") > 1


def _trimmed_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _ends_sentence(text: str, start: int, stop: int, after: int) -> bool:
    if text[after].islower():
        return False
    return text[stop] != "." or not _is_abbreviation(text[max(start, stop - _LONGEST_WORD) : stop], text[after])


def _is_abbreviation(before: str, following: str) -> bool:
    """Whether the full stop after `before` belongs to an abbreviation, an initial, an ordinal or a list's number."""
    match = _LAST_WORD.search(before)
    if match is None:
        return False
    word = match[0].lower()
    if word.isdigit():
        return len(word) <= 2
    return len(word) == 1 or word in _ABBREVIATIONS or (following.isdigit() and word in _BEFORE_NUMBERS)
