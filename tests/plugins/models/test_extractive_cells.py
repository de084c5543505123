"""The row that is meant, and no row of something else."""

from __future__ import annotations

import pytest

from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from tests.plugins.models.extractive_requests import NOTHING, passage, say

pytestmark = pytest.mark.feature("F1", "F4")
MENU = passage(
    1,
    """# Menu of the inn

| Dish | Price | Served with |
| --- | --- | --- |
| Fish soup | 12 euros | bread |
| Crab cakes | 18 euros | lemon |
| Onion soup | 9 euros | cheese |
| Apple cake | 7 euros | cream |
""",
)
GRADES = passage(
    1,
    """# Travel

| Grade | Daily allowance | Hotel limit |
| --- | --- | --- |
| Junior | 40 euros | 90 euros |
| Senior | 55 euros | 140 euros |

Office phone: 555-0100
""",
)


@pytest.mark.parametrize(
    ("asked", "said", "unsaid"),
    [
        ("What does the fish soup cost?", "12 euros", "9 euros"),
        ("How much is the apple cake?", "7 euros", "18 euros"),
        ("Which soup costs 9 euros?", "Onion soup", "Fish soup"),
        ("What are crab cakes served with?", "lemon", "cream"),
    ],
)
async def test_the_row_that_holds_more_of_the_question_is_said_alone(asked: str, said: str, unsaid: str) -> None:
    answer = await say(ExtractiveAnswerer(), asked, [MENU])
    assert said in answer and unsaid not in answer


async def test_a_row_is_told_by_its_values() -> None:
    answer = await say(ExtractiveAnswerer(), "What is the hotel limit for seniors?", [GRADES])
    assert "140 euros" in answer and "90 euros" not in answer


@pytest.mark.parametrize(
    "asked",
    ["What is the price of the crab soup?", "How much is the cheese cake?", "What does the chocolate cake cost?"],
)
async def test_parts_of_two_names_are_no_third(asked: str) -> None:
    assert await say(ExtractiveAnswerer(), asked, [MENU]) == NOTHING


async def test_a_column_of_another_name_is_not_taken_for_it() -> None:
    assert await say(ExtractiveAnswerer(), "What is the meal limit for juniors?", [GRADES]) == NOTHING
    assert await say(ExtractiveAnswerer(), "What is the kitchen phone?", [GRADES]) == NOTHING
    assert "555-0100" in await say(ExtractiveAnswerer(), "What is the office phone?", [GRADES])


async def test_each_sentence_of_a_cell_is_cited() -> None:
    rights = passage(
        3,
        """| Column | Meaning |
| --- | --- |
| USAGE | ALLOWED: The profile may use it. DENIED: The profile may not use it. |
| LEVEL | A number |
""",
    )
    answer = await say(ExtractiveAnswerer(), "What does USAGE ALLOWED mean?", [rights])
    said = "Column: USAGE; Meaning: ALLOWED: The profile may use it. [3] DENIED: The profile may not use it. [3]"
    assert answer.removeprefix("ANSWERABLE: yes\n") == said


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("What is the guarantee on the apple cake?", None),
        ("How much does the apple cake weigh?", None),
        ("What did the apple cake cost in 2019?", None),
        ("What is the price of the apple cake?", "7 euros"),
    ],
)
async def test_a_row_without_what_is_asked_for_is_no_answer(asked: str, said: str | None) -> None:
    answer = await say(ExtractiveAnswerer(), asked, [MENU])
    assert (answer == NOTHING) if said is None else (said in answer)
