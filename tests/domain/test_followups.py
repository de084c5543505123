import pytest

from matrix.domain.followups import leans_on_earlier, standalone_query


@pytest.mark.parametrize(
    "question", ["And for the second one?", "What about hotels?", "How long does it take?", "Why?"]
)
def test_questions_that_lean(question: str) -> None:
    assert leans_on_earlier(question)


@pytest.mark.parametrize(
    "question",
    ["How many days of parental leave does the handbook grant?", "What does E-417 mean?", "Who is Ingrid Solvang?"],
)
def test_questions_that_stand(question: str) -> None:
    assert not leans_on_earlier(question)


def test_a_leaning_question_takes_the_one_before_with_it() -> None:
    earlier = ["What does a Fjord 12 cost?", "Is it in stock?"]
    assert standalone_query("And how heavy?", earlier) == "What does a Fjord 12 cost? Is it in stock? And how heavy?"
    assert standalone_query("What does a Glacier freezer cost?", earlier) == "What does a Glacier freezer cost?"
