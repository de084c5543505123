"""What holds for any bytes: a document with whole ranges, or a DocumentError. In this process, so that a failure
shows where it happened; the sandbox's own tests show that a death would be caught."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matrix.errors import DocumentError
from matrix.ingest.slices import PageSlice, merge_slices
from matrix.plugins.parsers.pdf.document import parse_pdf
from matrix.plugins.parsers.registry import PARSERS, parse_pages
from tests.plugins.parsers.blocks import assert_whole
from tests.plugins.parsers.pdf_writer import PdfPage, Words, lines, write_pdf

few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)

MARKDOWN_BITS = ["# ", "## a", "- ", "  - ", "1. ", "> ", "```", "~~~", "|a|b|", "|-|-|", "\n", "\n\n", "    ", "---",
                 "text", "*x*", "<div>", "</div>", "[a]: b", "\t", "ä", "🪶", "===", "\u2028", "\r\n"]  # fmt: skip
HTML_BITS = ["<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "<th>", "</table>",
             "<pre>", "</pre>", "<h1>", "</h1>", "<br>", "<b>", "</b>", "<a href=x>", "</a>", "<script>", "</script>",
             "<!--", "-->", "<blockquote>", "<ol start=5>", "words and more words, ", "&amp;", "\n", " ", "ä", "<",
             ">"]  # fmt: skip


@pytest.mark.feature("B1")
@few
@given(st.lists(st.sampled_from(MARKDOWN_BITS), max_size=60))
def test_any_markdown(bits: list[str]) -> None:
    assert_whole(parse_pages("".join(bits).encode(), "text/markdown", 0, 100)[0])


@pytest.mark.feature("B1")
@few
@given(st.lists(st.sampled_from(HTML_BITS), max_size=80))
def test_any_html(bits: list[str]) -> None:
    assert_whole(parse_pages("".join(bits).encode(), "text/html", 0, 100)[0])


@pytest.mark.feature("B1")
@few
@given(st.sampled_from(sorted(PARSERS)), st.binary(max_size=2_000))
def test_any_bytes(media_type: str, data: bytes) -> None:
    try:
        document, _ = parse_pages(data, media_type, 0, 100)
    except DocumentError as refusal:
        assert refusal.advice
    else:
        assert_whole(document)


_WORDS = st.builds(
    Words,
    text=st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1, max_size=40),
    x=st.integers(-20, 600),
    y=st.integers(-20, 800),
    size=st.sampled_from([1, 6, 10, 11, 24]),
    bold=st.booleans(),
)
_PAGES = st.lists(
    st.builds(PdfPage, words=st.lists(_WORDS, max_size=12), rotation=st.sampled_from([0, 90, 180, 270])),
    min_size=1,
    max_size=6,
)


@pytest.mark.feature("B11")
@few
@given(_PAGES, st.integers(1, 3))
def test_any_pages_in_any_slices(pages: list[PdfPage], size: int) -> None:
    data = write_pdf(pages)
    parts = [PageSlice(*parse_pdf(data, first, first + size)) for first in range(0, len(pages), size)]
    merged = merge_slices(parts)
    assert_whole(merged)
    assert [page.number for page in merged.pages] == list(range(1, len(pages) + 1))


@pytest.mark.feature("B1", "B11")
@few
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=30))
def test_any_damage_to_a_pdf(damage: list[tuple[int, int]]) -> None:
    data = bytearray(write_pdf([PdfPage(lines("Some words", "and others")), ["a page"]], outline=[("a page", 2)]))
    for place, value in damage:
        data[place % len(data)] = value
    try:
        assert_whole(parse_pdf(bytes(data))[0])
    except DocumentError as refusal:
        assert refusal.advice
