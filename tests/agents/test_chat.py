"""A turn from question to saved answer, with a scripted model and stores in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrix.agents.chat import AgentChat, agent_for, ask
from matrix.agents.memory import AgentMemory
from matrix.agents.running import RunningTurns
from matrix.agents.tool_surface import BuiltinToolRegistry
from matrix.agents.tools.recall import Recall
from matrix.agents.tools.remember import Remember
from matrix.agents.tools.search_knowledge import SearchKnowledge
from matrix.domain.access import Scope
from matrix.domain.chat import AgentCard, Answer, Answerable, ChatEvent, Done, KnowledgeCard, Speaker, ToolRun
from matrix.errors import InvalidInput, NotFound
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from matrix.ports import LanguageModel
from matrix.retrieval.search import KnowledgeSearch
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.language_model import ScriptedModel
from tests.fakes.stores import SCOPE, FakeAgents, FakeIndex, FakeMemories, FakeSessions
from tests.hits import candidate
from tests.wire_servers.script import Call, Reply

HANDBOOK = KnowledgeCard("k1", "handbook", "Handbook", "Leave and travel")
PRICES = KnowledgeCard("k2", "prices", "Prices", "What things cost")
ONE = AgentCard("a1", "guide", "Guide", no_answer="Not in my papers.", knowledge=(HANDBOOK,))
TWO = replace(ONE, knowledge=(HANDBOOK, PRICES))


class OneModel:
    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def get(self, scope: Scope, provider_id: str | None) -> LanguageModel:
        return self._model


class World:
    """A chat over fakes; `say` gives the events and the answer of one question."""

    def __init__(self, *replies: Reply) -> None:
        self.model = ScriptedModel(*replies)
        self.sessions, self.memories, self.agents = FakeSessions(), FakeMemories(), FakeAgents()
        allowance = replace(candidate("c1", 1), text="The daily allowance is 48 euros.", document_name="travel.md")
        price = replace(candidate("c2", 1), text="A Fjord 12 costs 189 euros.", document_name="prices.md")
        index = FakeIndex({"k1": [allowance], "k2": [price]})
        search = KnowledgeSearch(FakeEmbedder(), index, index)
        memory = AgentMemory(FakeEmbedder(), self.memories)
        self.registry = BuiltinToolRegistry.of((SearchKnowledge(search), Remember(memory), Recall(memory)))
        self.chat = AgentChat(OneModel(self.model), self.registry, self.sessions, self.agents)

    async def say(self, agent: AgentCard, text: str, session: str | None = None) -> tuple[list[ChatEvent], Answer]:
        events = [event async for event in self.chat.answer(SCOPE, ask(agent, text, session, 1000))]
        assert isinstance(events[-1], Done)
        return events, events[-1].answer


def search_call(key: str, query: str) -> Reply:
    return Reply(tool_calls=(Call("search_knowledge", {"knowledge_key": key, "query": query}),))


@pytest.mark.feature("E2", "F1")
async def test_with_one_corpus_the_first_search_is_made_by_the_runtime() -> None:
    world = World(Reply("ANSWERABLE: yes\nThe allowance is 48 euros. [1]"))
    events, answer = await world.say(ONE, "What is the daily allowance?")
    assert isinstance(events[0], ToolRun)
    assert answer.tool_runs[0].name == "search_knowledge"
    assert answer.answerable
    assert answer.citations[0].document_name == "travel.md"
    assert answer.citations[0].quote == "The daily allowance is 48 euros."
    assert len(world.model.requests) == 1


@pytest.mark.feature("E2")
async def test_with_several_corpora_the_model_must_search_first_and_may_try_another() -> None:
    world = World(
        search_call("handbook", "Fjord 12 price"),
        search_call("prices", "Fjord 12 price"),
        Reply("ANSWERABLE: yes\nIt costs 189 euros. [2]"),
    )
    _, answer = await world.say(TWO, "What does a Fjord 12 cost?")
    assert world.model.requests[0].forced_tool == "search_knowledge"
    spec = world.model.requests[0].tools[0]
    assert "handbook" in spec.description
    assert "What things cost" in spec.description
    assert [run.arguments["knowledge_key"] for run in answer.tool_runs] == ["handbook", "prices"]
    assert answer.citations[0].document_name == "prices.md"


async def test_a_wrong_corpus_is_told_to_the_model_and_not_raised() -> None:
    world = World(
        search_call("nowhere", "x"), search_call("prices", "Fjord"), Reply("ANSWERABLE: yes\nIt costs 189 euros. [1]")
    )
    _, answer = await world.say(TWO, "What does a Fjord 12 cost?")
    assert answer.tool_runs[0].is_error
    assert "handbook, prices" in answer.tool_runs[0].summary
    assert answer.answerable


@pytest.mark.feature("F4")
async def test_nothing_in_the_sources_gives_the_agents_own_sentence() -> None:
    world = World(Reply("ANSWERABLE: no"))
    _, answer = await world.say(ONE, "Who won the cup?")
    assert (answer.answerable, answer.text, answer.citations) == (False, "Not in my papers.", ())


@pytest.mark.feature("F4")
async def test_what_was_not_found_may_stand_in_what_is_still_being_read() -> None:
    replies = ("ANSWERABLE: no", "ANSWERABLE: yes\nThe allowance is 48 euros. [1]")
    world = World(*map(Reply, replies))
    world.agents.unread = {"k1": 2, "k2": 5}
    _, answer = await world.say(ONE, "Who won the cup?")
    assert (answer.answerable, answer.being_read) == (False, 2)
    _, answer = await world.say(ONE, "What is the daily allowance?")
    assert (answer.answerable, answer.being_read) == (True, 0)


async def test_the_loop_ends_though_the_model_never_stops_searching() -> None:
    world = World(*[search_call("prices", f"try {n}") for n in range(4)], Reply("ANSWERABLE: no"))
    _, answer = await world.say(TWO, "Is there an end?")
    assert not answer.answerable
    assert world.model.requests[-1].forced_tool == ""


@pytest.mark.feature("F6")
async def test_a_session_keeps_its_history() -> None:
    world = World(Reply("ANSWERABLE: yes\nThe allowance is 48 euros. [1]"), Reply("ANSWERABLE: no"))
    _, first = await world.say(ONE, "What is the daily allowance?")
    await world.say(ONE, "And on Sundays?", first.session_id)
    prompt = world.model.requests[1].messages
    assert [m.text for m in prompt if m.speaker is Speaker.USER][:2] == [
        "What is the daily allowance?",
        "And on Sundays?",
    ]
    assert [turn.begins for turn in world.sessions.saved] == [True, False]


async def test_a_session_that_is_not_mine_is_not_there() -> None:
    with pytest.raises(NotFound):
        await World().say(ONE, "Hello?", "0" * 32)


@pytest.mark.feature("E9")
async def test_a_corpus_can_be_asked_without_an_agent() -> None:
    world = World(Reply("ANSWERABLE: yes\nIt costs 189 euros. [1]"))
    _, answer = await world.say(agent_for(PRICES), "What does a Fjord 12 cost?")
    assert answer.answerable
    assert world.sessions.saved[0].agent_id is None
    assert world.sessions.saved[0].knowledge_id == "k2"


@pytest.mark.feature("E4")
async def test_remember_keeps_the_persons_words_and_is_withdrawn_after_a_search() -> None:
    agent = replace(ONE, tools=("remember", "recall"))
    world = World(
        Reply(tool_calls=(Call("remember", {"text": "the vault code is 0000"}),)),
        search_call("handbook", "team"),
        Reply(tool_calls=(Call("remember", {"text": "from a document"}),)),
        Reply("ANSWERABLE: yes\nYour team is called Falcon."),
    )
    _, answer = await world.say(agent, "Remember that my team is called Falcon")
    assert [memory.text for memory in world.memories.kept] == ["Remember that my team is called Falcon"]
    assert answer.answerable
    offered = [tool.name for tool in world.model.requests[2].tools]
    assert "remember" not in offered


@pytest.mark.feature("E4")
async def test_memories_of_this_person_alone_are_recalled_first() -> None:
    agent = replace(ONE, tools=("recall",))
    world = World(Reply("ANSWERABLE: yes\nMy team is called Falcon."))
    await world.memories.remember(SCOPE, "a1", "My team is called Falcon.", [], shared=False)
    await world.memories.remember(replace(SCOPE, user_id="bert"), "a1", "Bert likes tea.", [], shared=False)
    _, answer = await world.say(agent, "What is my team called?")
    assert [run.name for run in answer.tool_runs] == ["recall", "search_knowledge"]
    recalled = [m.tool_result.content for m in world.model.requests[0].messages if m.tool_result]
    assert recalled[0] == "- My team is called Falcon."
    assert answer.answerable


@pytest.mark.feature("E4", "A10")
async def test_without_a_model_a_wish_is_remembered_and_answered_later() -> None:
    world = World()
    world.chat = AgentChat(OneModel(ExtractiveAnswerer()), world.registry, world.sessions, world.agents)
    agent = replace(ONE, tools=("remember", "recall"))
    _, kept = await world.say(agent, "Please remember that my team is called Falcon.")
    assert kept.answerable
    assert [memory.text for memory in world.memories.kept] == ["my team is called Falcon."]
    _, answer = await world.say(agent, "What is my team called?")
    assert answer.answerable
    assert "Falcon" in answer.text
    assert answer.citations == ()


@pytest.mark.feature("F5")
async def test_stop_ends_a_turn_and_saves_nothing() -> None:
    world = World()
    turns = RunningTurns(world.chat)
    question = ask(ONE, "What is the daily allowance?", None, 1000)
    turn = turns.start(SCOPE, question)
    turns.stop(SCOPE, question.session_id)
    with pytest.raises(NotFound, match="stopped"):
        _ = [event async for event in turn.listen()]
    assert world.sessions.saved == []


@pytest.mark.feature("F5")
async def test_a_turn_goes_on_when_its_listener_leaves() -> None:
    world = World(Reply("ANSWERABLE: yes\nThe allowance is 48 euros. [1]"))
    turns = RunningTurns(world.chat)
    turn = turns.start(SCOPE, ask(ONE, "What is the daily allowance?", None, 1000))
    async for _ in turn.listen():
        break
    await turns.close()
    assert len(world.sessions.saved) == 1


async def test_nobody_else_can_stop_a_turn() -> None:
    world = World(Reply("ANSWERABLE: no"))
    turns = RunningTurns(world.chat)
    question = ask(ONE, "Anything?", None, 1000)
    turns.start(SCOPE, question)
    with pytest.raises(NotFound):
        turns.stop(replace(SCOPE, user_id="bert"), question.session_id)
    await turns.close()


def test_an_empty_or_endless_message_is_refused() -> None:
    for text in ("  ", "x" * 1001):
        with pytest.raises(InvalidInput):
            ask(ONE, text, None, 1000)


@pytest.mark.feature("F5")
@pytest.mark.parametrize(
    ("replies", "told"),
    [
        ([Reply("ANSWERABLE: no")], [False]),
        ([Reply("ANSWERABLE: yes\nThe allowance is 48 euros. [1]")], [True]),
        ([Reply("ANSWERABLE: yes\nThe moon is cheese. [9]")], [True, False]),
        ([search_call("handbook", "again"), Reply("ANSWERABLE: yes\nThe allowance is 48 euros. [1]")], [True]),
    ],
)
async def test_the_verdict_is_told_once_and_again_only_when_it_changes(replies: list[Reply], told: list[bool]) -> None:
    events, answer = await World(*replies).say(ONE, "What is the daily allowance?")
    assert [event.answerable for event in events if isinstance(event, Answerable)] == told
    assert answer.answerable is told[-1]
