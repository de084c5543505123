"""What is near to an answer and is none: another year, a count that is a date, a sentence that only opens a list."""

from __future__ import annotations

import pytest

from matrix.plugins.models.extractive.answer_kinds import AnswerKind
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from matrix.plugins.models.extractive.shown_kinds import shows_kind
from tests.plugins.models.extractive_requests import NOTHING, passage, say

pytestmark = pytest.mark.feature("F1", "F4")
MINUTES = passage(
    1,
    """# Meeting of 12 September

The co-operative has 347 members. The bank balance at the end of August was 86,312 euros.

The vacation of the employees depends on the office:
""",
)


@pytest.mark.parametrize(
    "asked",
    [
        "How many members did the co-operative have in 2020?",
        "What was the bank balance at the end of June?",
        "What does the vacation of the employees depend on?",
    ],
)
async def test_another_time_and_an_open_sentence_are_refused(asked: str) -> None:
    assert await say(ExtractiveAnswerer(), asked, [MINUTES]) == NOTHING


async def test_the_time_that_is_told_is_answered() -> None:
    assert "347" in await say(ExtractiveAnswerer(), "How many members does the co-operative have?", [MINUTES])
    balance = await say(ExtractiveAnswerer(), "What was the bank balance at the end of August?", [MINUTES])
    assert "86,312" in balance


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("Works began in May 1878 under Gustave Kermarrec.", AnswerKind.NUMBER, False),
        ("In 1878 he trained 12 keepers.", AnswerKind.NUMBER, True),
        ("Date: Thursday 2 October", AnswerKind.PERSON, False),
        ("The chair was Rahul Menon.", AnswerKind.PERSON, True),
    ],
)
def test_what_shows_a_count_or_a_person(text: str, kind: AnswerKind, shown: bool) -> None:
    assert shows_kind(text, kind, frozenset()) is shown
