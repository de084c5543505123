"""BlobStore through obstore: a folder, or a bucket of S3, Google Cloud Storage or Azure, behind one interface. A blob
appears whole or not at all. Keys are checked here, so that none can leave the store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, ObjectStore, from_url

from matrix.errors import InvalidInput, InvalidSettings, NotFound, StorageUnavailable

_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
_PREFIX = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*/)*")
_DELETED_AT_ONCE = 500
_FULL = ("No space left", "StorageFull", "Disk quota exceeded")


class ObjectBlobStore:
    """BlobStore on any store that obstore knows.

    Errors: InvalidInput (a key that is none), NotFound, StorageUnavailable (no answer, no space, no permission).
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    async def put_file(self, key: str, path: Path) -> None:
        _checked(key)
        with translated_errors():
            await obstore.put_async(self._store, key, path)

    async def put(self, key: str, data: bytes) -> None:
        _checked(key)
        with translated_errors():
            await obstore.put_async(self._store, key, data)

    async def get(self, key: str) -> bytes:
        _checked(key)
        with translated_errors():
            return bytes(await (await obstore.get_async(self._store, key)).bytes_async())

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        _checked(key)
        with translated_errors():
            async for piece in (await obstore.get_async(self._store, key)).stream():
                yield bytes(piece)

    async def download(self, key: str, path: Path) -> None:
        """Into a new file at `path`."""
        file = await asyncio.to_thread(path.open, "wb")
        try:
            async for piece in self.stream(key):
                with translated_errors():
                    await asyncio.to_thread(file.write, piece)
        finally:
            await asyncio.to_thread(file.close)

    async def exists(self, key: str) -> bool:
        try:
            _checked(key)
            with translated_errors():
                await obstore.head_async(self._store, key)
        except NotFound:
            return False
        return True

    async def delete_prefix(self, prefix: str) -> int:
        """Deletes all blobs under a prefix that ends in `/`; returns how many there were."""
        if not prefix:
            raise InvalidInput("The whole store is never deleted at once.", field="prefix")
        keys = await self.list_prefix(prefix)
        for start in range(0, len(keys), _DELETED_AT_ONCE):
            await self._delete(keys[start : start + _DELETED_AT_ONCE])
        return len(keys)

    async def list_prefix(self, prefix: str) -> list[str]:
        """The keys under a prefix that ends in `/`, sorted; all keys with an empty one."""
        if not _PREFIX.fullmatch(prefix):
            raise InvalidInput("This is not a prefix of blobs: it must end in «/».", field="prefix")
        with translated_errors():
            batches = [batch async for batch in obstore.list(self._store, prefix or None)]
        return sorted(str(blob["path"]) for batch in batches for blob in batch)

    async def _delete(self, keys: list[str]) -> None:
        for key in keys:
            try:
                with translated_errors():
                    await obstore.delete_async(self._store, key)
            except NotFound:
                continue  # another worker was quicker


def open_blob_store(url: str | None, folder: Path) -> ObjectBlobStore:
    """The store at `url` (`s3://`, `gs://`, `az://`, `file://`), else in `folder`, which is made. Errors:
    InvalidSettings."""
    try:
        if url is None:
            folder.mkdir(parents=True, exist_ok=True)
            return ObjectBlobStore(LocalStore(folder, automatic_cleanup=True))
        return ObjectBlobStore(from_url(url))
    except (BaseError, OSError, ValueError) as error:
        where = url.split("?", 1)[0] if url else str(folder)
        raise InvalidSettings(
            f"The store of files at {where} cannot be opened: {_first_line(error)}", field="MATRIX_BLOB_URL"
        ) from error


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise InvalidInput("This is not the key of a blob.", field="key")
    return key


@contextmanager
def translated_errors() -> Iterator[None]:
    """Messages name no key and no place of the store: people read them who know of neither."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFound("A stored file is gone.", advice="Upload the document again.") from error
    except (BaseError, OSError) as error:
        raise _unavailable(error) from error


def _unavailable(error: Exception) -> StorageUnavailable:
    said = str(error)
    if any(words in said for words in _FULL):
        return StorageUnavailable("The disk that holds the files is full.", advice="Free some space, then try again.")
    if isinstance(error, PermissionDeniedError | UnauthenticatedError) or "Permission denied" in said:
        return StorageUnavailable(
            "The store of files refuses access.",
            advice="Give Matrix the right to write to its data folder, or correct the store's credentials.",
        )
    return StorageUnavailable("The store of files does not answer, or cannot be written.")


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
