"""What every BlobStore must do, fake or real. A test class inherits it and gives the fixture `blobs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix.errors import InvalidInput, NotFound
from matrix.ports import BlobStore

BIG = bytes(range(256)) * 50_000  # more than one part of a multipart upload


class BlobStoreContract:
    async def test_what_was_put_comes_back(self, blobs: BlobStore) -> None:
        await blobs.put("org/doc/v1/hash", b"\x00bytes\xff")
        assert await blobs.get("org/doc/v1/hash") == b"\x00bytes\xff"
        assert await blobs.exists("org/doc/v1/hash")

    async def test_a_file_goes_in_and_out(self, blobs: BlobStore, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(BIG)
        await blobs.put_file("org/doc/v2/hash", tmp_path / "in")
        await blobs.download("org/doc/v2/hash", tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == BIG
        assert b"".join([piece async for piece in blobs.stream("org/doc/v2/hash")]) == BIG

    async def test_a_later_put_replaces(self, blobs: BlobStore) -> None:
        await blobs.put("org/again", b"one")
        await blobs.put("org/again", b"two")
        assert await blobs.get("org/again") == b"two"

    async def test_a_prefix_is_listed_and_deleted_and_nothing_else(self, blobs: BlobStore) -> None:
        for key in ("a/1/x", "a/1/y", "a/10/x", "b/1/x"):
            await blobs.put(key, b"")
        assert await blobs.list_prefix("a/1/") == ["a/1/x", "a/1/y"]
        assert await blobs.delete_prefix("a/1/") == 2
        assert await blobs.list_prefix("a/") == ["a/10/x"]
        assert await blobs.exists("b/1/x")
        assert await blobs.delete_prefix("a/1/") == 0

    async def test_what_is_missing_is_not_found(self, blobs: BlobStore, tmp_path: Path) -> None:
        assert not await blobs.exists("org/none")
        with pytest.raises(NotFound):
            await blobs.get("org/none")
        with pytest.raises(NotFound):
            await blobs.download("org/none", tmp_path / "none")

    @pytest.mark.parametrize(
        "key", ["", "/etc/passwd", "../up", "a/../../b", "a//b", "a/", "a/.b", "ä", "a b", "a\\b", "a\x00", "a\n"]
    )
    async def test_a_key_cannot_leave_the_store(self, blobs: BlobStore, key: str) -> None:
        with pytest.raises(InvalidInput):
            await blobs.put(key, b"x")
        with pytest.raises(InvalidInput):
            await blobs.get(key)

    @pytest.mark.parametrize("prefix", ["", "a", "../", "/"])
    async def test_a_prefix_cannot_either(self, blobs: BlobStore, prefix: str) -> None:
        with pytest.raises(InvalidInput):
            await blobs.delete_prefix(prefix)
