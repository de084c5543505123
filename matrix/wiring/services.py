"""What an API process holds: the stores, and the services over them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import httpx2

from matrix.agents.chat import AgentChat
from matrix.agents.memory import AgentMemory
from matrix.agents.running import RunningTurns
from matrix.agents.tool_surface import BuiltinToolRegistry
from matrix.agents.tools.recall import Recall
from matrix.agents.tools.remember import Remember
from matrix.agents.tools.search_knowledge import SearchKnowledge
from matrix.domain.entities import EntityType
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.stores import access_stores
from matrix.graph.conversation.agents import Neo4jAgents
from matrix.graph.conversation.memories import Neo4jMemories
from matrix.graph.conversation.sessions import Neo4jSessions
from matrix.graph.database import FOR_PEOPLE, Database
from matrix.graph.documents.documents import Documents
from matrix.graph.documents.jobs import Jobs
from matrix.graph.entities.custom_types import Neo4jEntityTypes
from matrix.graph.entities.entities import Neo4jEntities
from matrix.graph.entities.type_files import read_entity_types
from matrix.graph.search.keyword_index import Keywords
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.ingest.reconciling import reconcile
from matrix.ingest.service import KnowledgeIngestService
from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.plugins.models.chosen import ChosenModels
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from matrix.plugins.passwords.argon2 import Argon2Passwords
from matrix.plugins.secrets.aes_gcm import AesGcmSecretBox
from matrix.plugins.vendors.guarded_client import guarded_client
from matrix.ports import AccessStores, BlobStore, Embedder, LanguageModel, SecretBox
from matrix.retrieval.search import KnowledgeSearch
from matrix.settings import Settings
from matrix.wiring.choices import default_model, make_blob_store, make_embedder, secret_value, upload_limits
from matrix.wiring.databases import database_of, pinned, prepare_schema


@dataclass(frozen=True, slots=True)
class Stores:
    """The graph's repositories, one a topic."""

    types: Neo4jEntityTypes
    entities: Neo4jEntities
    documents: Documents
    agents: Neo4jAgents
    sessions: Neo4jSessions
    access: AccessStores


@dataclass(frozen=True, slots=True)
class Services:
    """All that an API process works with."""

    settings: Settings
    database: Database
    platform_types: Mapping[str, EntityType]
    stores: Stores
    secrets: SecretBox
    passwords: Argon2Passwords
    search: KnowledgeSearch
    memory: AgentMemory
    models: ChosenModels
    turns: RunningTurns
    ingest: KnowledgeIngestService
    blobs: BlobStore

    async def check_database(self) -> None:
        """Errors: DatabaseUnavailable."""
        await self.database.check_once()


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Everything an API process needs, on a database whose schema is up to date.

    Errors: DatabaseUnavailable, SchemaMismatch, EmbedderMismatch, InvalidSettings.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(database_of(settings, patience=FOR_PEOPLE))
        vendor = await stack.enter_async_context(guarded_client(settings.allowed_private_hosts))
        embedder = make_embedder(await pinned(settings, database))
        await prepare_schema(database, embedder)
        services = assemble_services(settings, database, embedder, vendor)
        stack.push_async_callback(services.turns.close)
        reconciling = asyncio.create_task(reconcile(Jobs(database)))
        stack.callback(reconciling.cancel)
        yield services


def assemble_services(
    settings: Settings,
    database: Database,
    embedder: Embedder,
    vendor: httpx2.AsyncClient,
    *,
    model: LanguageModel | None = None,
    passwords: Argon2Passwords | None = None,
) -> Services:
    """The services over these parts. `model` and `passwords` take the place of what the settings choose."""
    platform, blobs = read_entity_types(), make_blob_store(settings)
    stores = _stores(database, platform)
    secrets = AesGcmSecretBox(secret_value(settings.security.encryption_key, "MATRIX_SECURITY__ENCRYPTION_KEY"))
    local = ExtractiveAnswerer(embedder if isinstance(embedder, MiniLmEmbedder) else None)
    models = ChosenModels(
        stores.entities,
        platform["model-providers"],
        secrets,
        default=model or default_model(settings, local),
        local=local,
        guarded=vendor,
    )
    search = KnowledgeSearch(embedder, KnowledgeVectors(database), Keywords(database))
    memory = AgentMemory(embedder, Neo4jMemories(database))
    registry = BuiltinToolRegistry.of((SearchKnowledge(search), Remember(memory), Recall(memory)))
    return Services(
        settings=settings,
        database=database,
        platform_types=platform,
        stores=stores,
        secrets=secrets,
        passwords=passwords or Argon2Passwords(),
        search=search,
        memory=memory,
        models=models,
        turns=RunningTurns(AgentChat(models, registry, stores.sessions, stores.agents)),
        ingest=KnowledgeIngestService(stores.documents, blobs, upload_limits(settings)),
        blobs=blobs,
    )


def _stores(database: Database, platform: Mapping[str, EntityType]) -> Stores:
    types, cache = Neo4jEntityTypes(database, platform), AccessCache()
    return Stores(
        types=types,
        entities=Neo4jEntities(database, types, cache),
        documents=Documents(database, cache),
        agents=Neo4jAgents(database, platform, cache),
        sessions=Neo4jSessions(database),
        access=access_stores(database, cache),
    )
