"""A question to an agent: the flow of a turn, in one function."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from matrix.agents.loop import Finished, run_loop
from matrix.agents.tool import TurnContext
from matrix.agents.tool_surface import AgentToolSurface, BuiltinToolRegistry
from matrix.answer.prompt import opening_messages
from matrix.domain.access import Scope
from matrix.domain.chat import (
    AgentCard,
    Answer,
    Answerable,
    ChatEvent,
    Done,
    KnowledgeCard,
    Sentence,
    StoredMessage,
    Turn,
)
from matrix.domain.followups import standalone_query
from matrix.domain.ids import new_id
from matrix.errors import InvalidInput
from matrix.ports import AgentStore, LanguageModels, SessionStore

NO_ANSWER = "I could not find this in the documents I have."
TITLE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of whom, in which session; `begins` says that the session is a new one."""

    agent: AgentCard
    text: str
    session_id: str
    begins: bool = False


class AgentChat:
    """Answers questions as an agent. Holds ports and services only; each turn is values."""

    def __init__(
        self, models: LanguageModels, registry: BuiltinToolRegistry, sessions: SessionStore, agents: AgentStore
    ) -> None:
        self._models = models
        self._agents = agents
        self._registry = registry
        self._sessions = sessions

    async def answer(self, scope: Scope, question: Question) -> AsyncIterator[ChatEvent]:
        """The events of one turn, Done last. The turn is saved just before Done; a cancelled one is not saved."""
        agent = question.agent
        model = await self._models.get(scope, agent.model_provider_id)
        history = await self._history(scope, question)
        surface = AgentToolSurface.compose(self._registry, TurnContext(scope, agent, question.text))
        opening = opening_messages(agent, history, question.text)
        query = standalone_query(question.text, [m.text for m in history if m.speaker == "USER"])
        verdict: bool | None = None  # as last told
        async for event in run_loop(model, surface, opening, query):
            if isinstance(event, Finished):
                answer = _answer(question, event, await self._being_read(scope, event, agent))
                for last in _last_words(answer, verdict):
                    yield last
                await self._sessions.save(scope, _turn(question, answer))
                yield Done(answer)
            elif not isinstance(event, Answerable):
                yield event
            elif event.answerable is not verdict:
                verdict = event.answerable
                yield event

    async def _being_read(self, scope: Scope, finished: Finished, agent: AgentCard) -> int:
        """Documents that might hold what was not found."""
        if finished.draft.answerable or not agent.knowledge:
            return 0
        return await self._agents.being_read(scope, [knowledge.id for knowledge in agent.knowledge])

    async def _history(self, scope: Scope, question: Question) -> Sequence[StoredMessage]:
        if question.begins:
            return ()
        return await self._sessions.history(scope, question.session_id, question.agent.history_messages)


def ask(agent: AgentCard, text: str, session_id: str | None, longest: int) -> Question:
    """A question with its session, a new one where none is named. Errors: InvalidInput when empty or too long."""
    return Question(agent, _checked(text, longest), session_id or new_id(), begins=session_id is None)


def agent_for(knowledge: KnowledgeCard) -> AgentCard:
    """The agent that speaks for one corpus, without having been made first."""
    return AgentCard(id="", key="", name=knowledge.name, no_answer=NO_ANSWER, knowledge=(knowledge,))


def _checked(text: str, longest: int) -> str:
    """The question, trimmed. Errors: InvalidInput when it is empty or too long."""
    asked = text.strip()
    if not asked:
        raise InvalidInput("The message is empty.", field="message")
    if len(asked) > longest:
        raise InvalidInput(f"The message is longer than {longest} characters.", field="message")
    return asked


def _answer(question: Question, finished: Finished, being_read: int) -> Answer:
    draft, progress = finished.draft, finished.progress
    return Answer(
        session_id=question.session_id,
        message_id=new_id(),
        text=draft.text if draft.answerable else question.agent.no_answer or NO_ANSWER,
        answerable=draft.answerable,
        citations=draft.citations,
        tool_runs=progress.runs,
        usage=progress.usage,
        being_read=being_read,
    )


def _last_words(answer: Answer, told: bool | None) -> list[ChatEvent]:
    """The verdict where it was not told, or told otherwise, and the no-answer sentence in place of all words."""
    verdict: list[ChatEvent] = [] if told is answer.answerable else [Answerable(answer.answerable)]
    return verdict if answer.answerable else [*verdict, Sentence(answer.text, ())]


def _turn(question: Question, answer: Answer) -> Turn:
    agent = question.agent
    corpus = agent.knowledge[0].id if not agent.id and agent.knowledge else None
    title = " ".join(question.text.split())[:TITLE_LENGTH]
    return Turn(answer.session_id, agent.id or None, corpus, question.text, answer, title, question.begins)
