"""What a resolver has at hand: the services, the caller, and loaders that live as long as one operation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import strawberry
from strawberry.dataloader import DataLoader

from matrix.api.auth.services import AccessServices
from matrix.api.entities import Entities
from matrix.api.graphql.operations.progress import ProgressFeed
from matrix.api.services import Services
from matrix.api.signed_links import LinkSigner
from matrix.api.stored_messages import messages_by_id
from matrix.domain.access import Principal, Scope
from matrix.domain.chat import StoredMessage
from matrix.domain.entities import Entity
from matrix.domain.versions import ListedVersion
from matrix.errors import MatrixError


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all operations share."""

    services: Services
    entities: Entities
    access: AccessServices
    signer: LinkSigner
    progress: ProgressFeed


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, in which organization; `no_scope` says why in none."""

    principal: Principal
    slug: str | None = None
    scope: Scope | None = None
    no_scope: MatrixError | None = None


@dataclass(eq=False)
class GraphContext:
    """One per operation. `address` is where links lead to; `again` finds the caller anew, and fails once they may no
    longer ask; `clock` ends the operation, where something does."""

    around: Surroundings
    caller: Caller
    address: str
    again: Callable[[], Awaitable[Caller]]
    clock: asyncio.Timeout | None = None
    over_socket: bool = False
    _loaders: dict[str, DataLoader[str, Entity | None]] = field(default_factory=dict)
    _versions: dict[tuple[int, int | None], DataLoader[str, Sequence[ListedVersion]]] = field(default_factory=dict)
    _messages: DataLoader[str, Mapping[str, StoredMessage]] | None = None

    @property
    def services(self) -> Services:
        return self.around.services

    @property
    def entities(self) -> Entities:
        return self.around.entities

    @property
    def scope(self) -> Scope:
        """Errors: why there is no organization."""
        if self.caller.scope is None:
            raise self.caller.no_scope or MatrixError("There is no organization.")
        return self.caller.scope

    @property
    def slug(self) -> str:
        return self.caller.slug or ""

    def allow(self, seconds: float) -> None:
        """More time for an operation that waits for a model."""
        if self.clock is not None:
            self.clock.reschedule(asyncio.get_running_loop().time() + seconds)

    def loader(self, collection: str) -> DataLoader[str, Entity | None]:
        """Entities that are asked for one by one are read together."""
        if collection not in self._loaders:
            self._loaders[collection] = DataLoader(load_fn=self._load(collection))
        return self._loaders[collection]

    def messages(self) -> DataLoader[str, Mapping[str, StoredMessage]]:
        """The stored messages of a session by id, with their citations."""
        if self._messages is None:
            self._messages = DataLoader(load_fn=self._load_messages)
        return self._messages

    def versions(self, limit: int, before: int | None) -> DataLoader[str, Sequence[ListedVersion]]:
        """The newest versions of documents, below a number."""
        if (limit, before) not in self._versions:
            self._versions[limit, before] = DataLoader(load_fn=self._load_versions(limit, before))
        return self._versions[limit, before]

    def _load(self, collection: str) -> Callable[[list[str]], Awaitable[Sequence[Entity | None]]]:
        async def load(ids: list[str]) -> list[Entity | None]:
            found = await self.entities.get_many(self.scope, collection, ids)
            return [found.get(entity_id) for entity_id in ids]

        return load

    def _load_versions(
        self, limit: int, before: int | None
    ) -> Callable[[list[str]], Awaitable[Sequence[Sequence[ListedVersion]]]]:
        async def load(ids: list[str]) -> list[Sequence[ListedVersion]]:
            found = await self.services.stores.documents.versions(self.scope, ids, limit, before)
            return [found.get(document_id, ()) for document_id in ids]

        return load

    async def _load_messages(self, sessions: list[str]) -> list[Mapping[str, StoredMessage]]:
        store = self.services.stores.sessions
        return [await messages_by_id(store, self.scope, session) for session in sessions]


Info = strawberry.Info[GraphContext, None]
