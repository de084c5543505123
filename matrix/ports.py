"""Every port on one screen: what the services need from the outside, as protocols. Implementations: `matrix.graph` for
the stores, `matrix.plugins` for the rest; fakes pass the same contract tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from matrix.domain.access import Membership, Principal, Scope
from matrix.domain.chat import AgentCard, KnowledgeCard, Memory, ModelEvent, ModelRequest, StoredMessage, Turn
from matrix.domain.documents import (
    DeletionPreview,
    DeletionReceipt,
    DocumentStatus,
    EmbeddedChunk,
    NewVersion,
    ParsedDocument,
    PlacedChunk,
    Receipt,
    VersionToProcess,
)
from matrix.domain.entities import Entity, EntityFilter, EntityType, Page, Value
from matrix.domain.jobs import Lease
from matrix.domain.retrieval import Candidate, SearchFilters

# ------------------------------------------------------------------------------------------------ plug-ins


class Embedder(Protocol):
    """Texts to unit vectors. `name` and `dimensions` are pinned in the database; `languages` None means any."""

    name: str
    dimensions: int
    languages: tuple[str, ...] | None

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]: ...
    async def embed_query(self, text: str) -> list[float]: ...


class LanguageModel(Protocol):
    """A chat model: streams text and tool calls, and its Usage last. Errors: ProviderUnavailable, ProviderRefused."""

    name: str

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]: ...


class LanguageModels(Protocol):
    """The chat models of the deployment and of its organizations. `provider_id` None gives the default one."""

    async def get(self, scope: Scope, provider_id: str | None) -> LanguageModel: ...


class ParseProgress(Protocol):
    async def __call__(self, done_pages: int, all_pages: int) -> None: ...


class Parser(Protocol):
    """A file to a ParsedDocument, in a limited child process. Errors: DocumentError, UnsupportedType."""

    async def parse(
        self, path: Path, *, name: str, media_type: str, progress: ParseProgress | None = None
    ) -> ParsedDocument: ...


class BlobStore(Protocol):
    """Bytes by key (`organization/document/version/hash`); keys are never shared between versions."""

    async def put_file(self, key: str, path: Path) -> None: ...
    async def put(self, key: str, data: bytes) -> None: ...
    async def get(self, key: str) -> bytes: ...
    def stream(self, key: str) -> AsyncIterator[bytes]: ...
    async def download(self, key: str, path: Path) -> None: ...
    async def exists(self, key: str) -> bool: ...
    async def delete_prefix(self, prefix: str) -> int: ...
    async def list_prefix(self, prefix: str) -> list[str]: ...


# ------------------------------------------------------------------------------------------------ stores


class EntityStore(Protocol):
    """Any entity of any type, by the rules of its type. Absent and invisible are both NotFound."""

    async def create(
        self, scope: Scope, entity_type: EntityType, key: str | None, values: Mapping[str, Value]
    ) -> Entity: ...
    async def get(self, scope: Scope, entity_type: EntityType, id_or_key: str) -> Entity: ...
    async def get_many(self, scope: Scope, entity_type: EntityType, ids: Sequence[str]) -> Mapping[str, Entity]: ...
    async def list(
        self, scope: Scope, entity_type: EntityType, where: EntityFilter, limit: int, cursor: str | None
    ) -> Page: ...
    async def update(
        self, scope: Scope, entity_type: EntityType, id_or_key: str, values: Mapping[str, Value]
    ) -> Entity: ...
    async def delete(self, scope: Scope, entity_type: EntityType, id_or_key: str) -> None: ...


class EntityTypeStore(Protocol):
    """The platform's entity types, together with an organization's own types and fields."""

    async def for_org(self, scope: Scope) -> Mapping[str, EntityType]: ...
    async def save_type(self, scope: Scope, entity_type: EntityType) -> EntityType: ...


class DocumentStore(Protocol):
    """Documents and their versions. Writes of a worker carry its lease and fail with LeaseLost once it is fenced."""

    async def add_version(self, scope: Scope, knowledge_id: str, new: NewVersion) -> Receipt: ...
    async def again(self, scope: Scope, document_id: str) -> Receipt: ...
    async def cancel(self, scope: Scope, document_id: str) -> DocumentStatus: ...
    async def to_process(self, lease: Lease) -> VersionToProcess: ...
    async def known_chunks(self, lease: Lease, document_id: str) -> frozenset[str]: ...
    async def write_chunks(
        self, lease: Lease, version: VersionToProcess, new: Sequence[EmbeddedChunk], embedder: str
    ) -> None: ...
    async def place_chunks(self, lease: Lease, version: VersionToProcess, placed: Sequence[PlacedChunk]) -> None: ...
    async def stamp_progress(self, lease: Lease, version_id: str, done: int, total: int, step: str) -> None: ...
    async def go_live(
        self, lease: Lease, version: VersionToProcess, parsed: ParsedDocument, embedded: int, reused: int
    ) -> None: ...
    async def fail(self, lease: Lease, version_id: str, code: str, reason: str, advice: str) -> None: ...
    async def purge_stale(self, lease: Lease, document_id: str) -> int: ...
    async def preview_deletion(
        self, scope: Scope, knowledge_id: str | None, document_id: str | None
    ) -> DeletionPreview: ...
    async def delete_document(self, scope: Scope, document_id: str) -> DeletionReceipt: ...
    async def delete_knowledge(self, scope: Scope, knowledge_id: str) -> DeletionReceipt: ...
    async def receipt(self, scope: Scope, receipt_id: str) -> DeletionReceipt: ...


class JobQueue(Protocol):
    """Durable work, claimed by lease on the database's clock, fairly between organizations."""

    async def claim(self, worker: str, lease_seconds: float) -> Lease | None: ...
    async def heartbeat(self, lease: Lease, lease_seconds: float) -> None: ...
    async def finish(self, lease: Lease) -> None: ...
    async def retry_later(self, lease: Lease, seconds: float, reason: str) -> None: ...
    async def fail(self, lease: Lease, reason: str) -> None: ...


class KnowledgeVectorStore(Protocol):
    """The vector leg: `wide` candidates inside the index, each checked by the graph, best `limit` of them."""

    async def search(
        self, scope: Scope, knowledge_ids: Sequence[str], vector: list[float], filters: SearchFilters, limit: int
    ) -> list[Candidate]: ...


class KeywordIndex(Protocol):
    """The keyword leg, with the same scope and the same check."""

    async def search(
        self, scope: Scope, knowledge_ids: Sequence[str], query: str, filters: SearchFilters, limit: int
    ) -> list[Candidate]: ...
    async def live_versions(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, str]: ...


class AgentStore(Protocol):
    """Agents with the corpora attached to them, as a turn needs them."""

    async def agent(self, scope: Scope, id_or_key: str) -> AgentCard: ...
    async def knowledge(self, scope: Scope, id_or_key: str) -> KnowledgeCard: ...
    async def attach(self, scope: Scope, agent: str, knowledge: str) -> None: ...
    async def detach(self, scope: Scope, agent: str, knowledge: str) -> None: ...


class SessionStore(Protocol):
    """Conversations; each is private to its user."""

    async def history(self, scope: Scope, session_id: str, limit: int) -> tuple[StoredMessage, ...]: ...
    async def save(self, scope: Scope, turn: Turn) -> None: ...


class MemoryStore(Protocol):
    """What agents remember, on the same index and embedder as knowledge."""

    async def remember(
        self, scope: Scope, agent_id: str, text: str, embedding: list[float], shared: bool
    ) -> Memory: ...
    async def recall(self, scope: Scope, agent_id: str, vector: list[float], limit: int) -> list[Memory]: ...
    async def forget(self, scope: Scope, memory_id: str) -> None: ...


class AccessStore(Protocol):
    """Who belongs where: the one store that is read without a scope, because it makes scopes."""

    async def scope_for(self, principal: Principal, org_slug: str) -> Scope: ...
    async def memberships(self, principal: Principal) -> tuple[Membership, ...]: ...
