"""How documents of a corpus are getting on, for any number of listeners: one poller a process, which asks what changed
in each corpus that somebody watches, once for all who may see the same of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from matrix.api.entities import Entities
from matrix.domain.access import Scope
from matrix.domain.entities import Entity
from matrix.errors import MatrixError
from matrix.ports import DocumentStore

POLL_SECONDS = 0.7
MOST_AT_FIRST = 500  # documents that a new listener hears of; later changes reach it all
# A change is seen once it is committed, which may be as long after its time stamp as a transaction lasts.
OVERLAP = timedelta(seconds=20)


@dataclass(eq=False)
class Listener:
    """The newest states that a listener has not heard of, by document: one that is slow misses steps, never the end."""

    waiting: dict[str, Entity] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    failure: MatrixError | None = None

    def tell(self, document: Entity) -> None:
        self.waiting[document.id] = document
        self.changed.set()

    def fail(self, error: MatrixError) -> None:
        self.failure = error
        self.changed.set()

    async def heard(self) -> AsyncIterator[Entity]:
        """Errors: what the poller met."""
        while True:
            await self.changed.wait()
            self.changed.clear()
            while self.waiting:
                yield self.waiting.pop(next(iter(self.waiting)))
            if self.failure is not None:
                raise self.failure


@dataclass(eq=False)
class Watch:
    """A corpus as people with the same audiences see it."""

    scope: Scope
    knowledge_id: str
    listeners: set[Listener] = field(default_factory=set)
    seen: dict[str, datetime] = field(default_factory=dict)
    documents: dict[str, Entity] = field(default_factory=dict)
    since: datetime | None = None


WatchKey = tuple[str, str, frozenset[str]]


class ProgressFeed:
    """The poller. It runs while somebody listens."""

    def __init__(self, documents: DocumentStore, entities: Entities, poll_seconds: float = POLL_SECONDS) -> None:
        self._documents = documents
        self._entities = entities
        self._poll_seconds = poll_seconds
        self._watches: dict[WatchKey, Watch] = {}
        self._poller: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def listen(self, scope: Scope, knowledge_id: str) -> AsyncIterator[AsyncIterator[Entity]]:
        """Documents of the corpus: as they are, newest changes last, then each time that one changes."""
        key = (scope.org_id, knowledge_id, frozenset(scope.audiences))
        watch = self._watches.setdefault(key, Watch(scope, knowledge_id))
        listener = Listener()
        for document in watch.documents.values():
            listener.tell(document)
        watch.listeners.add(listener)
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll())
        try:
            yield listener.heard()
        finally:
            watch.listeners.discard(listener)
            if not watch.listeners and self._watches.get(key) is watch:
                del self._watches[key]

    async def _poll(self) -> None:
        while self._watches:
            for key, watch in list(self._watches.items()):
                try:
                    await self._look(watch)
                except MatrixError as error:
                    for listener in watch.listeners:
                        listener.fail(error)
                    self._watches.pop(key, None)
            await asyncio.sleep(self._poll_seconds)

    async def _look(self, watch: Watch) -> None:
        changed = await self._documents.changed_since(watch.scope, watch.knowledge_id, watch.since, MOST_AT_FIRST)
        new = [one for one, moment in reversed(list(changed.items())) if watch.seen.get(one) != moment]
        if not new:  # of a corpus that was deleted nothing is to come
            await self._entities.get(watch.scope, "knowledge", watch.knowledge_id)
            return
        found = await self._entities.get_many(watch.scope, "documents", new)
        watch.seen.update(changed)
        watch.since = max(changed.values()) - OVERLAP
        for document_id in new:
            if document_id in found:
                _tell(watch, found[document_id])


def _tell(watch: Watch, document: Entity) -> None:
    watch.documents[document.id] = document
    for listener in watch.listeners:
        listener.tell(document)
