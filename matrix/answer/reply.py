"""A model's reply as it streams: its first line says whether the sources answer, then come sentences.

The first line keeps the verdict ahead of the words, so that a reader never sees an answer that is taken back whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from matrix.domain.sentences import sentence_spans

VERDICT = re.compile(r"\s*\W{0,3}ANSWERABLE\W{0,3}\s*:\s*\W{0,3}(yes|no)\b[^\S\n]*\W{0,3}?(?:\n|$)", re.IGNORECASE)
LONGEST_VERDICT = 40  # characters; a reply whose beginning is no verdict by then has none


@dataclass(frozen=True, slots=True)
class Reply:
    """What has come so far. `verdict` is None until it is known; `pending` is text that no sentence holds yet."""

    verdict: bool | None = None
    stated: bool = False
    pending: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """The reply after a piece of text: words that may be shown now, and sentences that are whole now."""

    reply: Reply
    shown: str = ""
    sentences: tuple[str, ...] = ()


def take(reply: Reply, text: str) -> Step:
    """The reply with the next piece of text."""
    if reply.verdict is None:
        return _take_verdict(replace(reply, pending=reply.pending + text))
    return _take_words(reply, text)


def finish(reply: Reply) -> Step:
    """The reply at its end: what is pending is the last sentence. A reply without a verdict counts as an answer."""
    if reply.verdict is None:
        opened = _open(reply, final=True)
        rest = opened.pending.rstrip()
        return Step(replace(opened, pending=""), rest, _split(rest) if opened.verdict else ())
    rest = reply.pending.rstrip()
    return Step(replace(reply, pending=""), "", _split(rest) if reply.verdict else ())


def _take_verdict(reply: Reply) -> Step:
    opened = _open(reply, final=False)
    if opened.verdict is None:
        return Step(opened)
    return _take_words(replace(opened, pending=""), opened.pending)


def _open(reply: Reply, final: bool) -> Reply:
    text = reply.pending
    match = VERDICT.match(text)
    if match and (final or "\n" in match[0]):
        return Reply(match[1].lower() == "yes", True, text[match.end() :].lstrip())
    if final or len(text) > LONGEST_VERDICT or ("\n" in text.strip() and match is None):
        return Reply(True, False, text.lstrip())
    return reply


def _take_words(reply: Reply, text: str) -> Step:
    if not reply.verdict:
        return Step(replace(reply, pending=""))
    pending = reply.pending + text
    spans = sentence_spans(pending)
    whole = spans[:-1]
    if len(spans) > 1 and _may_go_on(pending, spans[-1]):
        whole = whole[:-1]  # «[3]» after a full stop still belongs to the sentence before it
    if not whole:
        return Step(replace(reply, pending=pending), text)
    cut = whole[-1][1]
    return Step(replace(reply, pending=pending[cut:]), text, _split(pending[:cut]))


def _may_go_on(pending: str, last: tuple[int, int]) -> bool:
    return pending[last[0] : last[0] + 1] == "[" and "]" not in pending[last[0] : last[1]]


def _split(text: str) -> tuple[str, ...]:
    """The sentences of a text, each with the white space before it, so that they can be joined again."""
    ends = [0, *(end for _, end in sentence_spans(text))]
    return tuple(text[start:end] for start, end in pairwise(ends))
