"""The parsed text of a version, stored beside its original: a resumed job need not parse again, and a citation can be
shown in its place."""

from __future__ import annotations

import asyncio
import gzip

from matrix.domain.documents import ParsedDocument
from matrix.domain.parsed_json import decode_parsed, encode_parsed
from matrix.errors import NotFound
from matrix.ports import BlobStore


async def store_parsed(blobs: BlobStore, key: str, parsed: ParsedDocument) -> None:
    """Errors: StorageUnavailable."""
    await blobs.put(key, await asyncio.to_thread(_pack, parsed))


async def read_parsed(blobs: BlobStore, key: str) -> ParsedDocument:
    """Errors: NotFound (also where what is stored is damaged), StorageUnavailable."""
    data = await blobs.get(key)
    try:
        return await asyncio.to_thread(_unpack, data)
    except (ValueError, OSError, EOFError) as error:
        raise NotFound("The stored text is damaged.") from error


def _pack(parsed: ParsedDocument) -> bytes:
    return gzip.compress(encode_parsed(parsed), compresslevel=3, mtime=0)


def _unpack(data: bytes) -> ParsedDocument:
    return decode_parsed(gzip.decompress(data))
