"""What the settings mean: which embedder, which chat model, where originals are kept, which limits."""

from __future__ import annotations

from typing import Literal, assert_never

from pydantic import SecretStr

from matrix.errors import InvalidSettings
from matrix.ingest.confinement.limits import SandboxLimits
from matrix.ingest.sandbox import SandboxParser
from matrix.ingest.service import UploadLimits
from matrix.plugins.blobs.object_store import open_blob_store
from matrix.plugins.embedders.gemini import GeminiEmbeddingBackend
from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.plugins.embedders.openai_compatible import OpenAiCompatibleEmbedder
from matrix.plugins.models.gemini_model import GeminiModel
from matrix.plugins.models.openai_model import OpenAiModel
from matrix.plugins.parsers.language import LanguageDetector
from matrix.plugins.vendors.gemini import GeminiAccess, GeminiKey, VertexProject
from matrix.plugins.vendors.openai import OPENAI_URL, OpenAiEndpoint
from matrix.ports import BlobStore, Embedder, LanguageModel
from matrix.settings import Settings

GEMINI_EMBEDDERS = ("gemini-", "text-embedding-00")
PARSER_CHILD = "matrix.plugins.parsers.child"


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings choose. Errors: InvalidSettings where its key or model is missing."""
    match _embedder_kind(settings):
        case "local":
            return MiniLmEmbedder(settings.data_dir / "models", threads=settings.embedder.threads)
        case "gemini":
            return GeminiEmbeddingBackend(
                _gemini_access(settings),
                model=settings.embedder.model or settings.gemini.embedding_model,
                dimensions=settings.embedder.dimensions or settings.gemini.dimensions,
            )
        case "openai":
            return _openai_embedder(settings)
        case other:
            assert_never(other)


def as_pinned(settings: Settings, name: str, dimensions: int) -> Settings:
    """Settings that choose the embedder to which the database is pinned, unless they name one themselves: a key that is
    set later changes chat models, never the embedder."""
    if settings.embedder.provider != "auto":
        return settings
    if name == MiniLmEmbedder.name:
        chosen: dict[str, object] = {"provider": "local"}
    else:
        provider = "gemini" if name.startswith(GEMINI_EMBEDDERS) else "openai"
        chosen = {"provider": provider, "model": name, "dimensions": dimensions}
    return settings.model_copy(update={"embedder": settings.embedder.model_copy(update=chosen)})


def _embedder_kind(settings: Settings) -> Literal["local", "gemini", "openai"]:
    chosen = settings.embedder.provider
    if chosen != "auto":
        return chosen
    if settings.gemini.api_key or settings.gemini.vertex_project:
        return "gemini"
    return "openai" if settings.openai.api_key and settings.openai.embedding_model else "local"


def _openai_embedder(settings: Settings) -> Embedder:
    model, dimensions = settings.embedder.model or settings.openai.embedding_model, settings.embedder.dimensions
    if not model or not dimensions:
        raise InvalidSettings(
            "An OpenAI-compatible embedder needs a model and its dimensions.",
            field="MATRIX_EMBEDDER__MODEL",
            advice="Set MATRIX_EMBEDDER__MODEL and MATRIX_EMBEDDER__DIMENSIONS.",
        )
    return OpenAiCompatibleEmbedder(_openai_endpoint(settings), model=model, dimensions=dimensions)


def default_model(settings: Settings, local: LanguageModel) -> LanguageModel:
    """The deployment's chat model: Gemini or OpenAI-compatible where there is a key, else the local answerer."""
    if settings.gemini.api_key or settings.gemini.vertex_project:
        return GeminiModel(_gemini_access(settings), model=settings.gemini.chat_model)
    if settings.openai.api_key:
        return OpenAiModel(_openai_endpoint(settings), model=settings.openai.chat_model)
    return local


def _gemini_access(settings: Settings) -> GeminiAccess:
    gemini = settings.gemini
    if gemini.vertex_project:
        return VertexProject(gemini.vertex_project, gemini.vertex_location, gemini.base_url)
    return GeminiKey(secret_value(gemini.api_key, "GEMINI_API_KEY"), gemini.base_url)


def _openai_endpoint(settings: Settings) -> OpenAiEndpoint:
    key = settings.openai.api_key.get_secret_value() if settings.openai.api_key else ""
    return OpenAiEndpoint(settings.openai.base_url or OPENAI_URL, key)


def make_blob_store(settings: Settings) -> BlobStore:
    """Originals in a folder of the data folder, or in the object store that the settings name."""
    return open_blob_store(settings.blob_url, settings.data_dir / "blobs")


def upload_limits(settings: Settings) -> UploadLimits:
    limits = settings.limits
    return UploadLimits(limits.upload_file_bytes, limits.text_characters, limits.pending_jobs_per_org)


def make_parser(settings: Settings) -> SandboxParser:
    """Files are parsed in confined child processes, within the settings' limits."""
    worker = settings.worker
    limits = SandboxLimits(
        address_space=worker.parse_memory_bytes,
        cpu_seconds=worker.parse_cpu_seconds,
        wall_seconds=worker.parse_wall_seconds,
        slice_pages=worker.parse_slice_pages,
    )
    return SandboxParser(PARSER_CHILD, detect_language=LanguageDetector().detect, limits=limits)


def secret_value(value: SecretStr | None, setting: str) -> str:
    if value is None or not value.get_secret_value():
        raise InvalidSettings(f"{setting} is not set.", field=setting)
    return value.get_secret_value()
