"""Bytes of a client into a temporary file: counted and hashed while they come, so that too much is noticed early."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import tempfile
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from matrix.errors import StorageUnavailable, TooLarge
from matrix.ingest.media_type import HEAD_BYTES

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A whole file on this machine's disk. `head` are its first bytes, for finding its type."""

    path: Path
    size: int
    sha256: str
    head: bytes


@asynccontextmanager
async def received(content: AsyncIterable[bytes], most_bytes: int, name: str) -> AsyncIterator[ReceivedFile]:
    """The file for as long as the context lasts. Errors: TooLarge, StorageUnavailable (the disk is full)."""
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="matrix-upload-")
    try:
        yield await _write(content, Path(folder.name) / "file", most_bytes, name)
    finally:
        await asyncio.to_thread(folder.cleanup)


async def _write(content: AsyncIterable[bytes], path: Path, most_bytes: int, name: str) -> ReceivedFile:
    digest, head, size = hashlib.sha256(), b"", 0
    file = await asyncio.to_thread(path.open, "wb")
    try:
        async for piece in content:
            size += len(piece)
            if size > most_bytes:
                raise TooLarge(f"{name} is larger than {_readable(most_bytes)}, which is the most for one file.")
            head += piece[: HEAD_BYTES - len(head)]
            digest.update(piece)
            await asyncio.to_thread(file.write, piece)
    except OSError as error:
        raise _no_space(error) from error
    finally:
        await asyncio.to_thread(file.close)
    return ReceivedFile(path, size, digest.hexdigest(), head)


def _readable(count: int) -> str:
    return f"{count / _MIB:.0f} MiB" if count >= _MIB else f"{count} bytes"


def _no_space(error: OSError) -> StorageUnavailable:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    message = "The disk for uploads is full." if full else f"The upload cannot be stored: {error.strerror}."
    return StorageUnavailable(message)
