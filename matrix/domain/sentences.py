"""Running text to its sentences, for quoting and for checking answers as they stream."""

from __future__ import annotations

import re

_END = re.compile(r"[.!?…]+[\"”’')\]]*(?:\s*\[[\d,; ]+\])*(?=\s|$)|[。！？]+[」』”]*|\n+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the white space around it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in [*_END.finditer(text), None]:
        end = match.end() if match else len(text)
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            spans.append((start + lead, start + len(piece.rstrip())))
        start = end
    return spans
