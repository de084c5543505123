"""Turns that are being answered. A turn goes on when its listener is cut off, and is saved; Stop ends it and saves
nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from matrix.agents.chat import AgentChat, Question
from matrix.domain.access import Scope
from matrix.domain.chat import ChatEvent
from matrix.errors import MatrixError, NotFound, ProviderUnavailable

TURN_SECONDS = 120


@dataclass(eq=False)
class RunningTurn:
    """One turn: its task, and the events so far, for any number of listeners."""

    session_id: str
    events: list[ChatEvent] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    failure: MatrixError | None = None

    def add(self, event: ChatEvent) -> None:
        self.events.append(event)
        self.changed.set()

    async def listen(self) -> AsyncIterator[ChatEvent]:
        """Every event from the beginning; raises what the turn raised. A listener that leaves disturbs nothing."""
        place = 0
        while True:
            while place < len(self.events):
                yield self.events[place]
                place += 1
            if self.task is not None and self.task.done() and place == len(self.events):
                break
            self.changed.clear()
            if place == len(self.events) and not (self.task is not None and self.task.done()):
                await self.changed.wait()
        if self.failure is not None:
            raise self.failure
        if self.task is not None and not self.task.cancelled():
            self.task.result()  # an error that is not ours goes to the listener as it is


class RunningTurns:
    """All turns of this process, by person and session, so that a Stop finds the one that it means."""

    def __init__(self, chat: AgentChat) -> None:
        self._chat = chat
        self._turns: dict[tuple[str, str, str], RunningTurn] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, scope: Scope, question: Question) -> RunningTurn:
        """Begins a turn in the background."""
        turn = RunningTurn(question.session_id)
        turn.task = asyncio.create_task(self._run(turn, scope, question))
        self._tasks.add(turn.task)
        turn.task.add_done_callback(self._tasks.discard)
        turn.task.add_done_callback(lambda _: turn.changed.set())
        key = (scope.org_id, scope.user_id, question.session_id)
        self._turns[key] = turn
        turn.task.add_done_callback(lambda _: self._forget(key, turn))
        return turn

    def stop(self, scope: Scope, session_id: str) -> None:
        """Ends the running turn of a session. Errors: NotFound when none runs (here)."""
        turn = self._turns.get((scope.org_id, scope.user_id, session_id))
        if turn is None or turn.task is None:
            raise NotFound("No answer is being written in this session.")
        turn.failure = NotFound("The answer was stopped.", code="stopped", advice="Ask again when you like.")
        turn.task.cancel()

    def _forget(self, key: tuple[str, str, str], turn: RunningTurn) -> None:
        if self._turns.get(key) is turn:  # a later question of the session may run already
            del self._turns[key]

    async def close(self) -> None:
        """Lets running turns finish for a moment, then ends them."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=5)
            for task in late:
                task.cancel()

    async def _run(self, turn: RunningTurn, scope: Scope, question: Question) -> None:
        try:
            async with asyncio.timeout(TURN_SECONDS):
                async for event in self._chat.answer(scope, question):
                    turn.add(event)
        except TimeoutError:
            turn.failure = ProviderUnavailable(f"The answer took longer than {TURN_SECONDS} seconds.")
        except MatrixError as error:
            turn.failure = error
