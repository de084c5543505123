"""What holds for every text, however odd."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from matrix.domain.documents import Block, BlockKind, ChunkingSettings, ParsedDocument
from matrix.ingest.chunking import chunk_document

ODD_WORDS = (
    "e\u0301\u0302",
    "👨‍👩‍👧",
    "🇩🇪🇫🇷",
    "क्षत्रिय",
    "한국어",
    "\u0600\u0661",
    "\u0308b",
    "👍🏽" * 40,
    "e\u0301" * 90,
    "\ufeff",
)
WORDS = st.sampled_from(
    (
        "a",
        "the",
        "Dr.",
        "noon.",
        "Why?",
        "z.B.",
        "3.14",
        "«oui.»",
        "|",
        "x" * 130,
        "これはペンです。",
        "中文没有空格" * 30,
        *ODD_WORDS,
    )
)
SPACES = st.sampled_from([" ", " ", " ", "\n", "\n\n", "\r\n", "\t", "\u00a0", " " * 150, "\u3000", "\u2028", ""])
TEXTS = st.lists(st.tuples(WORDS, SPACES), max_size=60).map(lambda pairs: "".join(a + b for a, b in pairs))


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    """Blocks of any kind, at the ends of grapheme clusters as a parser makes them, with holes between some of them."""
    texts = draw(st.lists(TEXTS | st.text(max_size=300), min_size=1, max_size=5))
    kinds = draw(st.lists(st.sampled_from([*BlockKind, None]), min_size=len(texts), max_size=len(texts)))
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    blocks = [
        Block(kind, start, start + len(text), level=draw(st.integers(1, 6)) if kind is BlockKind.HEADING else 0)
        for kind, start, text in zip(kinds, starts, texts, strict=False)
        if kind is not None
    ]
    return ParsedDocument("\n".join(texts), tuple(blocks), "text/plain")


SIZES = st.sampled_from([(100, 0), (100, 50), (100, 99), (160, 20), (400, 60), (2000, 200)]).map(
    lambda pair: ChunkingSettings(size=pair[0], overlap=pair[1])
)


@pytest.mark.feature("B15", "B16")
@given(documents(), SIZES)
@settings(max_examples=150, deadline=None)
@example(ParsedDocument("x" + " " * 3000 + "y", (), "text/plain"), ChunkingSettings(size=100, overlap=0))
@example(ParsedDocument("a " * 40 + "\x1c " * 20 + "b" * 300, (), "text/plain"), ChunkingSettings(size=100, overlap=0))
@example(ParsedDocument("e" + "\u0301" * 500, (), "text/plain"), ChunkingSettings(size=100, overlap=50))
def test_every_rule_holds(document: ParsedDocument, sizes: ChunkingSettings) -> None:
    made = chunk_document(document, sizes)
    text = document.text
    assert made == chunk_document(document, sizes)
    for number, chunk in enumerate(made):
        assert chunk.position == number
        assert chunk.text == text[chunk.start : chunk.end]
        assert 0 < len(chunk.text) <= sizes.size
        assert chunk.text.strip()
    for before, after in pairwise(made):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end - after.start <= sizes.overlap
    covered = bytearray(len(text))
    for chunk in made:
        covered[chunk.start : chunk.end] = b"\x01" * len(chunk.text)
    assert all(covered[place] or character.isspace() for place, character in enumerate(text))


@given(documents(), SIZES)
@settings(max_examples=150, deadline=None)
def test_no_cluster_is_cut_and_no_white_space_kept_at_the_ends(
    document: ParsedDocument, sizes: ChunkingSettings
) -> None:
    clusters = [match.span() for match in regex.finditer(r"\X", document.text)]
    ends = {0, *(end for _, end in clusters)}
    longest = max((end - start for start, end in clusters), default=0)
    for chunk in chunk_document(document, sizes):
        if longest <= sizes.size // 4:
            assert {chunk.start, chunk.end} <= ends
        assert not chunk.text[0].isspace() or chunk.start + 1 not in ends
        assert not chunk.text[-1].isspace() or chunk.end - 1 not in ends
