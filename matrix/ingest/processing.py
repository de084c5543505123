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
    DocumentError,
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
from matrix.ports import BlobStore, DeletionStore, Embedder, JobQueue, Parser, VersionStore

EMBEDDED_AT_ONCE = 64  # what a crash can lose, and the unit of progress
MOST_CHUNKS = 20_000
_LONGEST_WAIT = 60.0
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WorkerPorts:
    """All that a worker works with."""

    jobs: JobQueue
    versions: VersionStore
    deletions: DeletionStore
    blobs: BlobStore
    parser: Parser
    embedder: Embedder


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
    await ports.versions.tidy(lease, version.document_id)
    return await ports.jobs.finish(lease)


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
        await work.ports.blobs.download(version.blob_key, path)
        return await work.ports.parser.parse(
            path, name=version.name, media_type=version.media_type, progress=progress.read_pages
        )
    finally:
        await asyncio.to_thread(folder.cleanup)


def _chunks(version: VersionToProcess, parsed: ParsedDocument) -> tuple[PlacedChunk, ...]:
    placed = place(version.document_id, chunk_document(parsed, version.chunking))
    if len(placed) > MOST_CHUNKS:
        raise DocumentError(
            f"The document gives {len(placed)} passages; {MOST_CHUNKS} are the most.",
            code="too_many_passages",
            advice="Split the file, or raise the corpus's chunkSize, and process it again.",
        )
    return placed


async def _embed(work: _Work, parsed: ParsedDocument, new: Sequence[PlacedChunk], progress: ProgressStamp) -> None:
    embedder = work.ports.embedder
    for start in range(0, len(new), EMBEDDED_AT_ONCE):
        batch = new[start : start + EMBEDDED_AT_ONCE]
        vectors = await embedder.embed_documents([one.chunk.embedded_text for one in batch])
        if any(len(vector) != embedder.dimensions for vector in vectors):  # it would stay out of the index in silence
            raise EmbedderMismatch(f"The embedder {embedder.name} gave a vector of another length than it says.")
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
    versions = work.ports.versions
    await versions.fail(work.lease, work.version, refusal.code, refusal.message, refusal.advice)
    await versions.tidy(work.lease, work.version.document_id)
    await work.ports.jobs.fail(work.lease, refusal.message)


def _internal(fault: Exception) -> MatrixError:
    return MatrixError(
        f"Matrix failed while processing the document ({type(fault).__name__}).",
        code="internal_error",
        advice="Try again once; if it fails again, report it with the worker's log.",
    )
