"""The local answerer's side of the protocol that every model follows: search, answer, say so when it cannot."""

from __future__ import annotations

import re

import pytest

from matrix.domain.chat import ChatMessage, ModelRequest, Speaker, TextDelta, ToolCall, ToolResult, Usage
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from tests.plugins.models.extractive_requests import NOTHING, found, passage, say, search_tool, user

LEAVE = passage(3, "Everyone has 28 days of annual leave. Requests go to the team lead.")
ANSWERER = ExtractiveAnswerer()


async def calls_of(request: ModelRequest) -> list[ToolCall]:
    return [event async for event in ANSWERER.stream(request) if isinstance(event, ToolCall)]


@pytest.mark.feature("A10")
async def test_it_searches_every_corpus_with_the_question_first() -> None:
    request = ModelRequest((user("How long is the warranty?"),), (search_tool("manual", "terms"),))
    calls = await calls_of(request)
    assert [(call.name, call.arguments["knowledge_key"]) for call in calls] == [
        ("search_knowledge", "manual"),
        ("search_knowledge", "terms"),
    ]
    assert {call.arguments["query"] for call in calls} == {"How long is the warranty?"}
    assert len({call.id for call in calls}) == 2


@pytest.mark.parametrize("question", ["And for how long does it last?", "What about them?", "Why?"])
async def test_a_question_that_leans_on_the_one_before_is_searched_with_it(question: str) -> None:
    history = (user("Who grants parental leave?"), ChatMessage(Speaker.ASSISTANT, "The people office."))
    calls = await calls_of(ModelRequest((*history, user(question)), (search_tool("handbook"),)))
    assert calls[0].arguments["query"] == f"Who grants parental leave? {question}"


async def test_a_question_that_stands_alone_is_searched_alone() -> None:
    history = (user("Who grants parental leave?"), ChatMessage(Speaker.ASSISTANT, "The people office."))
    calls = await calls_of(ModelRequest((*history, user("What does a taxi cost?")), (search_tool("handbook"),)))
    assert calls[0].arguments["query"] == "What does a taxi cost?"


async def test_results_of_an_earlier_turn_do_not_answer_this_one() -> None:
    messages = (user("Any leave?"), found(LEAVE), ChatMessage(Speaker.ASSISTANT, "28 days."), user("What is a taxi?"))
    assert len(await calls_of(ModelRequest(messages, (search_tool("handbook"),)))) == 1


@pytest.mark.feature("F1")
async def test_it_answers_with_the_passages_own_sentence_and_marker() -> None:
    reply = await say(ANSWERER, "How many days of annual leave do I have?", [LEAVE])
    assert reply == "ANSWERABLE: yes\nEveryone has 28 days of annual leave. [3]"


async def test_the_verdict_comes_first_and_the_usage_last() -> None:
    request = ModelRequest((user("How many days of annual leave do I have?"), found(LEAVE)))
    events = [event async for event in ANSWERER.stream(request)]
    assert events[0] == TextDelta("ANSWERABLE: yes\n")
    assert events[-1] == Usage()
    assert len(events) > 3


@pytest.mark.feature("F4")
@pytest.mark.parametrize(
    "question",
    ["What is the capital of Australia?", "How many days of notice must Zoltan Quux give?", "the of and", "???"],
)
async def test_it_refuses_what_the_passages_do_not_hold(question: str) -> None:
    assert await say(ANSWERER, question, [LEAVE]) == NOTHING


async def test_nothing_found_is_refused() -> None:
    assert await say(ANSWERER, "How long is the warranty?", []) == NOTHING


async def test_a_failed_search_is_refused() -> None:
    failed = ToolResult("search-1", "search_knowledge", "The index is away.", is_error=True)
    request = ModelRequest((user("Why?"), ChatMessage(Speaker.TOOL, tool_result=failed)), (search_tool("a"),))
    assert [event async for event in ANSWERER.stream(request)] == [TextDelta(NOTHING), Usage()]


async def test_where_tools_are_forbidden_it_does_not_call_them() -> None:
    request = ModelRequest((user("How long is the warranty?"),), (search_tool("manual"),), forced_tool="")
    assert await calls_of(request) == []


async def test_of_several_corpora_the_best_passage_answers() -> None:
    taxi = passage(1, "A taxi may cost up to 45 euros.")
    request = ModelRequest((user("How many days of annual leave are there?"), found(taxi), found(LEAVE)))
    reply = "".join([event.text async for event in ANSWERER.stream(request) if isinstance(event, TextDelta)])
    assert reply.endswith("28 days of annual leave. [3]")


async def test_a_follow_up_is_answered_in_the_light_of_the_question_before() -> None:
    costs = passage(1, "The Team plan costs 19 euros a month. The Business plan costs 79 euros a month.")
    messages = (user("What does the Team plan cost?"), ChatMessage(Speaker.ASSISTANT, "19 euros."))
    request = ModelRequest((*messages, user("And the Business one?"), found(costs)))
    reply = "".join([event.text async for event in ANSWERER.stream(request) if isinstance(event, TextDelta)])
    assert "79 euros" in reply


async def test_codes_must_match_exactly() -> None:
    codes = passage(1, "ERR-4711 means that the disk is full. ERR-4712 means that the fan stands still.")
    assert await say(ANSWERER, "What does ERR-4712 mean?", [codes]) == (
        "ANSWERABLE: yes\nERR-4712 means that the fan stands still. [1]"
    )
    assert await say(ANSWERER, "what does err 4712 mean", [codes]) != NOTHING
    assert await say(ANSWERER, "What does ERR-4713 mean?", [codes]) == NOTHING


async def test_a_sentence_that_opens_with_a_pronoun_brings_the_one_before() -> None:
    text = "The Otter is the smallest boat of the fleet. It was launched in Bergen by the widow of its builder."
    reply = await say(ANSWERER, "Who launched it in Bergen?", [passage(2, text)])
    assert reply.index("smallest boat") < reply.index("launched in Bergen")


async def test_a_date_is_not_answered_with_a_sentence_without_one() -> None:
    assert await say(ANSWERER, "When was Henrik born?", [passage(1, "Our ombudsperson is Henrik.")]) == NOTHING


async def test_german_is_answered_too() -> None:
    text = "Die Kündigungsfrist beträgt drei Monate. Der Urlaub umfasst 28 Tage."
    assert "drei Monate" in await say(ANSWERER, "Wie lange ist die Kündigungsfrist?", [passage(1, text)])
    assert await say(ANSWERER, "Wer ist der Bürgermeister von Vellmar?", [passage(1, text)]) == NOTHING


async def test_scripts_without_spaces_are_answered_too() -> None:
    text = "保証期間は二年です。電源は百ボルトです。"
    assert "保証期間は二年です。" in await say(ANSWERER, "保証期間", [passage(1, text)])


@pytest.mark.feature("F2")
async def test_every_sentence_of_an_item_is_cited_by_itself() -> None:
    minutes = passage(2, "1. Garden wall\nThe wall costs 700 pounds. It will be built in June. Nobody objected.")
    reply = await say(ANSWERER, "How much does the garden wall cost?", [minutes])
    assert "700 pounds. [2]" in reply
    assert all(sentence.endswith("[2]") for sentence in re.split(r"(?<=\]) ", reply.partition("\n")[2]))
