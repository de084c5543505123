"""Sentence boundaries, script by script. `|` marks where the next sentence should begin."""

from __future__ import annotations

from itertools import pairwise

import pytest

from matrix.domain.sentences import sentence_starts


@pytest.mark.parametrize(
    "marked",
    [
        "The gate opens at six. |The yard closes at noon.",
        "Dr. Smith met Mr. J. R. Jones of Acme Inc. Berlin today. |They left together.",
        "It costs 3.50 dollars at most. |That is cheap enough.",
        "See Fig. 3 and No. 12 for the details. |Then go on reading.",
        "He said no. |Twelve crates were lost at sea.",
        'She asked "Why not today?" and left. |"Tomorrow is fine." |He nodded and went away.',
        "Das gilt z. B. für Häfen, d. h. für alle. |Am 31. Dezember ist Schluss damit.",
        "Yahoo! is a company of the past. |What now?! |Nobody knows the answer.",
        "これは最初のペンです。|とても長い文章です。|次の文はここから始まります！|最後の文です。",
        "यह पहला वाक्य है जो लंबा है। |यह दूसरा वाक्य है।",
        "هل هذا هو السؤال الأول هنا؟ |نعم، هذا هو الجواب.",
        "A line of a poem without an end\n\n|Another one after a blank line",
        "Ducks live on all continents.[5] |They fly well.[6][7–9] |Most of them swim.",
        "An ellipsis… and on it goes like this. |Then a new one… |And the last.",
    ],
)
def test_sentences_begin_where_a_reader_says(marked: str) -> None:
    text = marked.replace("|", "")
    starts = [0]
    for before, after, _ in sentence_starts(text, 0, len(text)):
        assert not text[before - 1].isspace()
        assert text[before:after].strip() == ""
        starts.append(after)
    assert [text[first:last] for first, last in pairwise([*starts, len(text)])] == marked.split("|")
