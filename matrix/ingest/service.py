"""KnowledgeIngestService: what people do with documents. A file is received, stored, and becomes a version with its
job; what a worker then makes of it is in `processing`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Awaitable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from matrix.domain.access import Scope
from matrix.domain.documents import (
    Deletion,
    DeletionReceipt,
    NewVersion,
    ParsedDocument,
    Receipt,
    SourceKind,
    UploadRules,
)
from matrix.domain.ids import new_id
from matrix.errors import (
    Conflict,
    DatabaseUnavailable,
    DocumentChanged,
    InvalidInput,
    MatrixError,
    NotFound,
    TooLarge,
    TooManyRequests,
    UnsupportedType,
)
from matrix.ingest.blob_keys import original_key, parsed_key, prefix_of
from matrix.ingest.deletion_log import log_deletion
from matrix.ingest.media_type import MediaType, detect
from matrix.ingest.missing_text import without_text
from matrix.ingest.names import document_name, text_name
from matrix.ingest.parsed_text import read_parsed
from matrix.ingest.receiving import ReceivedFile, received
from matrix.ports import BlobStore, DocumentStore

_REFUSALS = (InvalidInput, TooLarge, UnsupportedType, Conflict, TooManyRequests)
_TRIES = 3  # a name can change hands only as often as others delete and upload it


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """See LIMITS. `pending_jobs` are those of one organization."""

    file_bytes: int = 50 * 1024 * 1024
    text_characters: int = 2_000_000
    pending_jobs: int = 10_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where bytes come from."""

    kind: SourceKind = SourceKind.FILE
    url: str | None = None


UPLOADED = Source()


class KnowledgeIngestService:
    """Documents in, again, and out. All methods: NotFound for what is absent or not for the caller."""

    def __init__(self, documents: DocumentStore, blobs: BlobStore, limits: UploadLimits | None = None) -> None:
        self._documents = documents
        self._blobs = blobs
        self._limits = limits or UploadLimits()

    async def receive(
        self, scope: Scope, knowledge_id: str, name: str, content: AsyncIterable[bytes], *, source: Source = UPLOADED
    ) -> Receipt:
        """One file. Where it is refused the receipt says why, so that the rest of a batch goes on.

        Errors: NotFound (no such corpus), DatabaseUnavailable, StorageUnavailable.
        """
        try:
            clean = document_name(name)
            rules = await self._rules(scope, knowledge_id, clean)
            async with received(content, self._limits.file_bytes, clean) as file:
                media_type = _accepted(rules, clean, detect(file.head, clean))
                new = _new_version(scope, rules, clean, file, media_type)
                new = replace(new, source_kind=source.kind, source_url=source.url)
                return await self._add(scope, knowledge_id, new, file)
        except _REFUSALS as refusal:
            return Receipt(name, error=refusal.message, code=refusal.code, advice=refusal.advice)

    async def receive_text(self, scope: Scope, knowledge_id: str, title: str, text: str) -> Receipt:
        """A pasted text or Markdown, as a document named after its title. Errors and refusals as in `receive`."""
        try:
            name = text_name(title)
            content = _checked_text(text, self._limits.text_characters)
        except _REFUSALS as refusal:
            return Receipt(title, error=refusal.message, code=refusal.code, advice=refusal.advice)
        return await self.receive(scope, knowledge_id, name, _one(content), source=Source(SourceKind.TEXT))

    async def again(self, scope: Scope, document_id: str) -> Receipt:
        """Processes the stored original anew, with the corpus's settings of now: for a retry, or after they changed.
        What is served goes on being served. Errors: Conflict (at work already, or the original is gone)."""
        original = await self._documents.original(scope, document_id)
        first = NewVersion(
            document_id=document_id,
            version_id=original.version_id,
            name=original.name,
            sha256=original.sha256,
            size=original.size,
            media_type=original.media_type,
            blob_key=original.blob_key,
            source_kind=original.source_kind,
            source_url=original.source_url,
        )
        new = _moved(first, scope, document_id)
        await self._copy(original.blob_key, new.blob_key)
        return await self._committed(new, self._documents.again(scope, new))

    async def parsed(self, scope: Scope, document_id: str, version_id: str | None = None) -> ParsedDocument:
        """The text of a version as it was parsed, by default of the one that serves, with its pages and lines. Errors:
        NotFound (also while it is not read yet, or where it could not be)."""
        original = await self._documents.original(scope, document_id, version_id, serving=True)
        try:
            return await read_parsed(self._blobs, parsed_key(scope.org_id, document_id, original.version_id))
        except NotFound as error:
            raise without_text(original) from error

    async def delete_document(self, scope: Scope, document_id: str) -> DeletionReceipt:
        """Hidden when this returns; purged by a job, whose proof is in the receipt."""
        return await self._logged(scope, await self._documents.delete_document(scope, document_id))

    async def delete_knowledge(self, scope: Scope, knowledge_id: str) -> DeletionReceipt:
        """The same for a corpus with all that is in it."""
        return await self._logged(scope, await self._documents.delete_knowledge(scope, knowledge_id))

    async def _rules(self, scope: Scope, knowledge_id: str, name: str) -> UploadRules:
        rules = await self._documents.upload_rules(scope, knowledge_id, name)
        if rules.pending_jobs >= self._limits.pending_jobs:
            raise TooManyRequests(
                f"{rules.pending_jobs} documents of this organization wait to be processed already.",
                retry_after=60,
                advice="Wait until some are done, then send the rest.",
            )
        return rules

    async def _add(self, scope: Scope, knowledge_id: str, new: NewVersion, file: ReceivedFile) -> Receipt:
        for _ in range(_TRIES):
            await self._blobs.put_file(new.blob_key, file.path)
            with suppress(DocumentChanged):
                return await self._committed(new, self._documents.add_version(scope, knowledge_id, new))
            rules = await self._documents.upload_rules(scope, knowledge_id, new.name)
            new = _moved(new, scope, rules.document_id or new_id())
        raise Conflict(f"{new.name} is being changed by others just now.", advice="Send the file again in a moment.")

    async def _committed(self, new: NewVersion, adding: Awaitable[Receipt]) -> Receipt:
        """The version that belongs to a stored blob; without one the blob goes again."""
        try:
            receipt = await adding
        except DatabaseUnavailable:
            raise  # it may have been committed: whether the blob belongs to a version is the reaper's to find out
        except MatrixError:
            await self._blobs.delete_prefix(prefix_of(new))
            raise
        if receipt.unchanged:
            await self._blobs.delete_prefix(prefix_of(new))
        return receipt

    async def _copy(self, source_key: str, key: str) -> None:
        folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="matrix-again-")
        try:
            path = Path(folder.name) / "file"
            await self._blobs.download(source_key, path)
            await self._blobs.put_file(key, path)
        except NotFound as error:
            raise Conflict("The stored original is gone.", advice="Upload the file again.") from error
        finally:
            await asyncio.to_thread(folder.cleanup)

    async def _logged(self, scope: Scope, receipt: DeletionReceipt) -> DeletionReceipt:
        deletion = Deletion(receipt.id, scope.org_id, receipt.subject, receipt.subject_id, receipt.requested_at)
        await log_deletion(self._blobs, deletion)
        return receipt


def _new_version(scope: Scope, rules: UploadRules, name: str, file: ReceivedFile, media_type: MediaType) -> NewVersion:
    new = NewVersion(
        document_id="",
        version_id="",
        name=name,
        sha256=file.sha256,
        size=file.size,
        media_type=media_type.name,
        blob_key="",
    )
    return _moved(new, scope, rules.document_id or new_id())


def _moved(new: NewVersion, scope: Scope, document_id: str) -> NewVersion:
    """The same bytes as another version, of this document, under a key of its own."""
    version_id = new_id()
    key = original_key(scope.org_id, document_id, version_id, new.sha256)
    return replace(new, document_id=document_id, version_id=version_id, blob_key=key)


def _accepted(rules: UploadRules, name: str, media_type: MediaType) -> MediaType:
    wanted = {ending.lower().lstrip(".") for ending in rules.accepted_types}
    endings = {ending.lstrip(".") for ending in media_type.extensions}
    endings.add(PurePosixPath(name).suffix.lower().lstrip("."))
    if wanted and not wanted & endings:
        listed = ", ".join(f".{ending}" for ending in sorted(wanted))
        raise UnsupportedType(f"{name} is of a type that this corpus does not take. It takes: {listed}.")
    return media_type


def _checked_text(text: str, most_characters: int) -> bytes:
    if len(text) > most_characters:
        raise TooLarge(f"The text is longer than {most_characters} characters.")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidInput("The text holds half a character (a lone surrogate).", field="text") from None


async def _one(content: bytes) -> AsyncIterator[bytes]:
    yield content
