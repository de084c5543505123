"""The fact of another one is no answer."""

from __future__ import annotations

import pytest

from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from matrix.plugins.models.extractive.question import read_question
from matrix.plugins.models.extractive.rivals import names_of
from tests.plugins.models.extractive_requests import NOTHING, passage, say

pytestmark = pytest.mark.feature("F1", "F4")
FLEET = passage(
    1,
    """MS Orca was built in 2011 in Gdansk. She carries 907 passengers, and her top speed is 21 knots.

MS Teal, the smallest ship, was launched in 1998. She sails without emissions in port.

| Ship | Home port | Master |
| --- | --- | --- |
| MS Orca | Bergen | Ragnhild Moe |
| MS Teal | Rost | Odd Kvam |
""",
)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("What is the top speed of MS Teal?", [("ms", "teal")]),
        ("Did Ada visit South Africa's Lake Kivu in 2010?", [("south", "africa"), ("lake", "kivu")]),
        ("How heavy is Pump 12?", [("pump", "12")]),
        ("At which pressure does valve 57 open?", [("valve", "57")]),
        ("Wie schwer ist die Pumpe 12?", [("pumpe", "12")]),
        ("What happened to 57 valves in 2010?", []),
        ("Who sings?", []),
        ("Wie schnell ist das Schiff Große Möwe?", []),
    ],
)
def test_names_of_several_words(asked: str, names: list[tuple[str, ...]]) -> None:
    assert names_of(read_question(asked)) == names


async def test_another_ones_fact_is_refused() -> None:
    assert await say(ExtractiveAnswerer(), "What is the top speed of MS Teal?", [FLEET]) == NOTHING
    assert await say(ExtractiveAnswerer(), "How many passengers does MS Teal carry?", [FLEET]) == NOTHING


async def test_its_own_fact_is_said_alone() -> None:
    assert "21 knots" in await say(ExtractiveAnswerer(), "What is the top speed of MS Orca?", [FLEET])
    master = await say(ExtractiveAnswerer(), "Who is the master of MS Teal?", [FLEET])
    assert "Odd Kvam" in master and "Ragnhild" not in master


async def test_an_inflected_name_is_no_rival() -> None:
    told = passage(1, "The South African court has eleven judges. South Africa has nine provinces.")
    assert "eleven" in await say(ExtractiveAnswerer(), "How many judges has the court of South Africa?", [told])


async def test_a_number_behind_a_word_is_part_of_its_name() -> None:
    told = passage(1, "Valve 54 opens at 57 bar. Valve 57 opens at 60 bar. Valve 60 opens at 63 bar.")
    answer = await say(ExtractiveAnswerer(), "At which pressure does valve 57 open?", [told])
    assert "60 bar" in answer and "54" not in answer and "63" not in answer
    assert await say(ExtractiveAnswerer(), "At which pressure does valve 57 open?", [passage(1, "Valve 57 is red.")])
