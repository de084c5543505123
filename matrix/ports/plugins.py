"""Ports that plug-ins fill: embedders, models, parsers, stores of files, passwords and secrets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Protocol

from matrix.domain.access import Scope
from matrix.domain.chat import ModelEvent, ModelRequest
from matrix.domain.documents import ParsedDocument


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


class Passwords(Protocol):
    """Slow hashes of passwords, worked out off the event loop."""

    async def hash(self, password: str) -> str: ...
    async def verify(self, password: str, password_hash: str | None) -> bool: ...
    def outdated(self, password_hash: str) -> bool: ...


class SecretBox(Protocol):
    """Secrets at rest, such as keys of model providers. Errors: InvalidSettings, the encryption key is another one."""

    def encrypt(self, secret: str) -> str: ...
    def decrypt(self, sealed: str) -> str: ...
