from collections.abc import AsyncIterator

import pytest

from matrix.answer.assemble import Draft, Grounds, assemble
from matrix.domain.chat import Answerable, Sentence, TextDelta
from tests.hits import evidence

SOURCES = evidence("The daily allowance is 48 euros within the European Union.", "Hotels cost up to 160 euros.")


async def said(*pieces: str) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


async def assembled(*pieces: str, grounds: Grounds | None = None) -> tuple[list[object], Draft]:
    events: list[object] = [event async for event in assemble(said(*pieces), grounds or Grounds(SOURCES))]
    draft = events.pop()
    assert isinstance(draft, Draft)
    return events, draft


async def test_answerable_comes_before_any_token() -> None:
    events, draft = await assembled("ANSWERABLE: yes\n", "The allowance is 48 euros. [1]")
    assert events[0] == Answerable(True)
    assert any(isinstance(event, TextDelta) for event in events)
    assert draft.answerable
    assert draft.text == "The allowance is 48 euros. [1]"
    assert [c.marker for c in draft.citations] == [1]


@pytest.mark.feature("F4")
async def test_without_a_valid_citation_there_is_no_answer() -> None:
    _, draft = await assembled("ANSWERABLE: yes\nThe capital of France is Paris. [9]")
    assert not draft.answerable
    assert draft.sentences == ()


async def test_an_unfounded_sentence_is_withdrawn_and_the_founded_one_stays() -> None:
    events, draft = await assembled("ANSWERABLE: yes\nThe allowance is 48 euros. [1] Paris has 2 million people.")
    assert draft.text == "The allowance is 48 euros. [1]"
    assert Sentence("", ()) in events


async def test_words_may_rest_on_what_another_tool_returned() -> None:
    grounds = Grounds({}, ("Remembered: my team is called Falcon",))
    _, draft = await assembled("ANSWERABLE: yes\nYour team is called Falcon.", grounds=grounds)
    assert draft.answerable


async def test_no_means_no() -> None:
    events, draft = await assembled("ANSWERABLE: no")
    assert events == [Answerable(False)]
    assert not draft.answerable


async def test_two_sentences_on_one_passage_give_two_quotes() -> None:
    sources = evidence("Kaveri ships by the Deccan Line. Nemunas ships by the Baltic Loop.")
    _, draft = await assembled(
        "ANSWERABLE: yes\nKaveri ships by the Deccan Line. [1] Nemunas ships by the Baltic Loop. [1]",
        grounds=Grounds(sources),
    )
    assert [(c.marker, c.quote) for c in draft.citations] == [
        (1, "Kaveri ships by the Deccan Line."),
        (1, "Nemunas ships by the Baltic Loop."),
    ]
