"""What a worker does with an INGEST job: a stored original becomes passages in the graph. Every step may be cut off
and run again by another worker; a write after the lease is lost fails."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from matrix.domain.document_failures import FailureCode, document_failure
from matrix.domain.documents import (
    DocumentStatus,
    EmbeddedChunk,
    ParsedDocument,
    PlacedChunk,
    VersionToProcess,
)
from matrix.domain.jobs import Lease
from matrix.errors import (
    DatabaseUnavailable,
    EmbedderMismatch,
    LeaseLost,
    MatrixError,
    NotFound,
    ProviderUnavailable,
    StorageUnavailable,
)
from matrix.ingest.blob_keys import parsed_key_of
from matrix.ingest.chunking import chunk_document, place
from matrix.ingest.diff import split_new
from matrix.ingest.parsed_text import read_parsed, store_parsed
from matrix.ingest.progress import ProgressStamp
from matrix.ingest.superseding import tidy_document
from matrix.ports import BlobStore, DeletionStore, Embedder, JobQueue, Parser, VersionStore

EMBEDDED_AT_ONCE = 64  # what a crash can lose, and the unit of progress
MOST_CHUNKS = 20_000
_LONGEST_WAIT = 60.0
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WorkerPorts:
    """All that a worker works with; `kept_versions` is how many of a document's newest keep their blobs."""

    jobs: JobQueue
    versions: VersionStore
    deletions: DeletionStore
    blobs: BlobStore
    parser: Parser
    embedder: Embedder
    kept_versions: int = 3


@dataclass(frozen=True, slots=True)
class _Work:
    ports: WorkerPorts
    lease: Lease
    version: VersionToProcess


async def ingest(ports: WorkerPorts, lease: Lease) -> None:
    """An INGEST job to its end: COMPLETED and served, FAILED with its reason, or put off while something is out.

    Errors: LeaseLost, DatabaseUnavailable.
    """
    version = await ports.versions.to_process(lease)
    work = _Work(ports, lease, version)
    try:
        if version.status is DocumentStatus.PROCESSING:
            await _serve(work)
    except (LeaseLost, DatabaseUnavailable):
        raise
    except (ProviderUnavailable, StorageUnavailable) as outage:
        return await _put_off(work, outage)
    except MatrixError as refusal:
        return await _fail(work, refusal)
    except Exception as fault:
        _log.exception("ingest failed", document=version.document_id, version=version.version_id)
        return await _fail(work, _internal(fault))
    await tidy(ports, lease, version.document_id)
    return await ports.jobs.finish(lease)


async def tidy(ports: WorkerPorts, lease: Lease, document_id: str) -> None:
    """Drops what the document needs no more. Errors: LeaseLost, DatabaseUnavailable."""
    await tidy_document(ports.versions, ports.blobs, lease, document_id, ports.kept_versions)


async def _serve(work: _Work) -> None:
    """The flow: read, cut, keep what is there already, embed what is new, serve."""
    versions, lease, version = work.ports.versions, work.lease, work.version
    progress = ProgressStamp(versions, lease, version)
    parsed = await _parsed(work, progress)
    placed = await asyncio.to_thread(_chunks, version, parsed)
    known = await versions.place_chunks(lease, version, placed)
    new, _ = split_new(placed, known)
    await _embed(work, parsed, new, progress)
    await versions.go_live(lease, version, _with_warnings(parsed, placed, work.ports.embedder), len(placed))


async def _parsed(work: _Work, progress: ProgressStamp) -> ParsedDocument:
    blobs, key = work.ports.blobs, parsed_key_of(work.version)
    try:
        return await read_parsed(blobs, key)
    except NotFound:
        parsed = await _parse(work, progress)
    await store_parsed(blobs, key, parsed)
    return parsed


async def _parse(work: _Work, progress: ProgressStamp) -> ParsedDocument:
    version = work.version
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="matrix-parse-")
    try:
        path = Path(folder.name) / "original"
        await _download(work, path)
        return await work.ports.parser.parse(
            path, name=version.name, media_type=version.media_type, progress=progress.read_pages
        )
    finally:
        await asyncio.to_thread(folder.cleanup)


async def _download(work: _Work, path: Path) -> None:
    try:
        await work.ports.blobs.download(work.version.blob_key, path)
    except NotFound as error:
        raise document_failure(FailureCode.ORIGINAL_GONE) from error


def _chunks(version: VersionToProcess, parsed: ParsedDocument) -> tuple[PlacedChunk, ...]:
    placed = place(version.document_id, chunk_document(parsed, version.chunking))
    if len(placed) > MOST_CHUNKS:
        cause = f"The document gives {len(placed)} passages; {MOST_CHUNKS} are the most."
        raise document_failure(FailureCode.TOO_MANY_PASSAGES, cause)
    return placed


async def _embed(work: _Work, parsed: ParsedDocument, new: Sequence[PlacedChunk], progress: ProgressStamp) -> None:
    embedder = work.ports.embedder
    for start in range(0, len(new), EMBEDDED_AT_ONCE):
        batch = new[start : start + EMBEDDED_AT_ONCE]
        vectors = await embedder.embed_documents([one.chunk.embedded_text for one in batch])
        if any(len(vector) != embedder.dimensions for vector in vectors):  # it would stay out of the index in silence
            raise EmbedderMismatch(
                f"The embedder {embedder.name} gave a vector of another length than the settings say.",
                advice="Check the embedder's model and dimensions in the settings, then process the document again.",
            )
        embedded = [EmbeddedChunk(one, vector) for one, vector in zip(batch, vectors, strict=True)]
        await work.ports.versions.write_chunks(work.lease, work.version, parsed, embedded, embedder.name)
        await progress.embedded(start + len(batch), len(new))


def _with_warnings(parsed: ParsedDocument, placed: Sequence[PlacedChunk], embedder: Embedder) -> ParsedDocument:
    warnings = list(parsed.warnings)
    if not placed and not warnings:
        warnings.append("No text was found in this document, so no search can find anything of it.")
    if placed and parsed.language and embedder.languages is not None and parsed.language not in embedder.languages:
        warnings.append(
            f"The document seems to be in «{parsed.language}», which the embedder {embedder.name} was not made for: "
            "searches by meaning may miss it, searches by its words find it."
        )
    return replace(parsed, warnings=tuple(warnings))


async def _put_off(work: _Work, outage: MatrixError) -> None:
    """An outage is no failure: what is done stays, and the job waits for longer and longer, up to a minute."""
    asked = outage.retry_after if isinstance(outage, ProviderUnavailable) else None
    longest = min(_LONGEST_WAIT, 2.0**work.lease.retries)
    seconds = asked if asked is not None else random.uniform(longest / 2, longest)  # noqa: S311  # spreads the load
    await work.ports.versions.stamp_progress(work.lease, work.version, None, f"waiting: {outage.message}")
    await work.ports.jobs.retry_later(work.lease, max(seconds, 0.05), outage.message)


async def _fail(work: _Work, refusal: MatrixError) -> None:
    """What people read is in the refusal; what it came of is for the log alone."""
    if refusal.__cause__ is not None:
        _log.warning(
            "document failed", version=work.version.version_id, code=refusal.code, cause=str(refusal.__cause__)
        )
    versions = work.ports.versions
    await versions.fail(work.lease, work.version, refusal.code, refusal.message, refusal.advice)
    await tidy(work.ports, work.lease, work.version.document_id)
    await work.ports.jobs.fail(work.lease, refusal.message)


def _internal(fault: Exception) -> MatrixError:
    cause = f"Matrix itself failed while it processed the document ({type(fault).__name__})."
    return document_failure(FailureCode.INTERNAL_ERROR, cause)
