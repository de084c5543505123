from __future__ import annotations

import pytest

from matrix.domain.documents import BlockKind, ChunkingSettings
from matrix.errors import DocumentError
from matrix.ingest.chunking import chunk_document
from matrix.plugins.parsers.markdown import parse_markdown
from tests.plugins.parsers.blocks import assert_whole, of_kind, words

SOURCE = """---
title: The heron's year
lang: en-GB
tags: [birds]
---
# Where *herons* live ##

They live near water,
in reeds.

- First
  - nested with `code`
- Second

> A quote
> over two lines

| Month | Nests |
|-------|-------|
| May   | 12    |

```python
# no heading
x = 1
```

Underlined
==========

[note]: not a link but words
"""


@pytest.mark.feature("B1")
def test_blocks_are_ranges_of_the_source() -> None:
    document = parse_markdown(SOURCE.encode())
    assert document.text == SOURCE
    assert words(document) == [
        (BlockKind.HEADING, "Where *herons* live"),
        (BlockKind.PARAGRAPH, "They live near water,\nin reeds."),
        (BlockKind.LIST_ITEM, "- First"),
        (BlockKind.LIST_ITEM, "- nested with `code`"),
        (BlockKind.LIST_ITEM, "- Second"),
        (BlockKind.QUOTE, "> A quote\n> over two lines"),
        (BlockKind.TABLE, "| Month | Nests |\n|-------|-------|\n| May   | 12    |"),
        (BlockKind.CODE, "```python\n# no heading\nx = 1\n```"),
        (BlockKind.HEADING, "Underlined"),
        (BlockKind.PARAGRAPH, "[note]: not a link but words"),
    ]
    assert_whole(document)


@pytest.mark.feature("B1")
def test_title_and_language_come_from_the_front_matter() -> None:
    document = parse_markdown(SOURCE.encode())
    assert (document.title, document.language) == ("The heron's year", "en")


@pytest.mark.feature("B1")
def test_without_front_matter_the_first_heading_is_the_title() -> None:
    assert parse_markdown(b"## Later\n\n# The **main** [thing](x)\n").title == "The main thing"


@pytest.mark.parametrize("front", ["{a: [", "a: &x [*x]\nb: *nobody", "- " * 3000 + "a"])
def test_broken_front_matter_is_a_warning(front: str) -> None:
    document = parse_markdown(f"---\n{front}\n---\nText\n".encode())
    assert document.warnings
    assert of_kind(document, BlockKind.PARAGRAPH) == ["Text"]


def test_rules_around_words_are_no_front_matter() -> None:
    assert "words" in parse_markdown(b"---\nwords\n---\n\nmore\n").text
    assert len(parse_markdown(b"---\nwords\n---\n\nmore\n").blocks) == 2


def test_a_file_over_the_limit_is_refused() -> None:
    with pytest.raises(DocumentError) as refusal:
        parse_markdown(b"a\n" * (5 << 20) + b"a")
    assert refusal.value.code == "too_long"


@pytest.mark.feature("B1", "H2")
@pytest.mark.parametrize("text", [">" * 300 + " deep", "- " * 300 + "deep", ">" * 5000 + " deep"])
def test_what_is_nested_too_deep_is_plain_text_and_said(text: str) -> None:
    document = parse_markdown(f"{text}\n\nlast words\n".encode())
    assert len(document.warnings) == 1
    assert "nested too deep (more than 256 elements)" in document.warnings[0]
    chunks = chunk_document(document, ChunkingSettings(size=32_000))
    assert "deep" in chunks[0].text
    assert "last words" in chunks[-1].text


@pytest.mark.feature("B1")
def test_deep_but_readable_nesting_is_no_warning() -> None:
    assert parse_markdown((">" * 255 + " deep\n\nlast words\n").encode()).warnings == ()
