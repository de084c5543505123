"""Memory for the local answerer: the wish to have something remembered, and what was remembered as an answer."""

from __future__ import annotations

import re

from matrix.domain.chat import ToolCall
from matrix.plugins.models.extractive.question import read_question
from matrix.plugins.models.extractive.turns import OpenTurn
from matrix.plugins.models.extractive.words import tokenize

REMEMBER_TOOL = "remember"
_WISH = re.compile(
    r"^\s*(?:please\s+|bitte\s+)?(?:remember|note|keep in mind|don't forget|do not forget|merke? dir|vergiss nicht)"
    r"(?:\s+that|\s*,?\s*dass)?[\s:,]+(?P<what>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NEEDED_SHARE = 0.5  # of the question's words


def wish_of(turn: OpenTurn, offered: frozenset[str]) -> ToolCall | None:
    """The call that keeps what the person asks to have remembered."""
    match = _WISH.match(turn.question) if REMEMBER_TOOL in offered and not turn.remembered else None
    return ToolCall("remember-1", REMEMBER_TOOL, {"text": match["what"].strip()}) if match else None


def remembered_answer(turn: OpenTurn) -> str | None:
    """The memory that holds most of the question's words, if it holds enough of them."""
    question = read_question(turn.question, turn.earlier)
    wanted = {term.stem for term in question.terms}
    best, share = None, 0.0
    for line in (turn.recalled or "").splitlines():
        memory = line.removeprefix("- ").strip()
        held = {question.stem(form) for token in tokenize(memory) for form in token.forms}
        found = len(wanted & held) / len(wanted) if wanted else 0.0
        if found > share:
            best, share = memory, found
    return best if share >= _NEEDED_SHARE else None
