"""Where a sentence ends, and where a stop belongs to a word."""

from __future__ import annotations

import pytest

from matrix.plugins.models.extractive.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is open from 8 a.m. to 5 p.m. on weekdays. Closed on Sundays.", 2),
        ("See Fig. 4 and No. 12 on p. 7. Then go on.", 2),
        ("J. R. Smith of Acme Inc. signed it.", 1),
        ("Version 2.5.1 is out! Is it good? Yes.", 3),
        ("He said “Stop.” Then he left.", 2),
        ("That costs 3.5 million, e.g. in Oslo.", 1),
        ("開館は九時です。休館は月曜です。", 2),
        ("No stop at all", 1),
        ("   ", 0),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, count: int) -> None:
    sentences = split_sentences(text)
    assert len(sentences) == count
    assert "".join("".join(sentences).split()) == "".join(text.split())


def test_a_sentence_too_long_to_be_an_answer_is_cut_at_its_semicolons() -> None:
    long = "; ".join(["this part goes on and on " * 5] * 4) + "."
    assert len(split_sentences(long)) == 4
