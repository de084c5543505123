"""What the API needs of the composition root, as a protocol: `matrix.wiring` makes one that fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from matrix.agents.memory import AgentMemory
from matrix.agents.running import RunningTurns
from matrix.domain.entities import EntityType
from matrix.ingest.service import KnowledgeIngestService
from matrix.ports import (
    AccessStores,
    AgentStore,
    BlobStore,
    DocumentStore,
    EntityStore,
    EntityTypeStore,
    LanguageModels,
    Passwords,
    SecretBox,
    SessionStore,
)
from matrix.retrieval.search import KnowledgeSearch
from matrix.settings import Settings


class Stores(Protocol):
    @property
    def types(self) -> EntityTypeStore: ...
    @property
    def entities(self) -> EntityStore: ...
    @property
    def documents(self) -> DocumentStore: ...
    @property
    def agents(self) -> AgentStore: ...
    @property
    def sessions(self) -> SessionStore: ...
    @property
    def access(self) -> AccessStores: ...


class Services(Protocol):
    @property
    def settings(self) -> Settings: ...
    @property
    def platform_types(self) -> Mapping[str, EntityType]: ...
    @property
    def stores(self) -> Stores: ...
    @property
    def secrets(self) -> SecretBox: ...
    @property
    def passwords(self) -> Passwords: ...
    @property
    def blobs(self) -> BlobStore: ...
    @property
    def search(self) -> KnowledgeSearch: ...
    @property
    def memory(self) -> AgentMemory: ...
    @property
    def models(self) -> LanguageModels: ...
    @property
    def turns(self) -> RunningTurns: ...
    @property
    def ingest(self) -> KnowledgeIngestService: ...

    async def check_database(self) -> None: ...
