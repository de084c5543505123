from __future__ import annotations

from pathlib import Path

import pytest
from obstore.exceptions import BaseError, PermissionDeniedError
from obstore.store import MemoryStore

from matrix.errors import InvalidSettings, NotFound, StorageUnavailable
from matrix.plugins.blobs.object_store import ObjectBlobStore, open_blob_store, translated_errors
from matrix.ports import BlobStore
from tests.contracts.blob_store import BlobStoreContract


@pytest.mark.feature("B14")
class TestFolder(BlobStoreContract):
    @pytest.fixture
    def blobs(self, tmp_path: Path) -> BlobStore:
        return open_blob_store(None, tmp_path / "blobs")

    async def test_a_deleted_prefix_leaves_no_folder(self, blobs: BlobStore, tmp_path: Path) -> None:
        await blobs.put("a/1/x", b"")
        await blobs.delete_prefix("a/")
        assert list((tmp_path / "blobs").iterdir()) == []


class TestMemory(BlobStoreContract):
    @pytest.fixture
    def blobs(self) -> BlobStore:
        return ObjectBlobStore(MemoryStore())


def test_a_bucket_is_opened_by_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    for url in ("s3://bucket/prefix", "gs://bucket", "az://container"):
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
        assert isinstance(open_blob_store(url, Path("unused")), ObjectBlobStore)


def test_an_url_of_no_store_names_the_setting() -> None:
    with pytest.raises(InvalidSettings) as caught:
        open_blob_store("nonsense://x", Path("unused"))
    assert caught.value.field == "MATRIX_BLOB_URL"


async def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    blobs = open_blob_store(None, tmp_path / "blobs")
    (tmp_path / "blobs" / "taken").write_bytes(b"a file where a folder is wanted")
    with pytest.raises(StorageUnavailable):
        await blobs.put("taken/x", b"")


@pytest.mark.feature("B14")
async def test_what_fails_names_no_key_and_no_folder(tmp_path: Path) -> None:
    blobs = open_blob_store(None, tmp_path / "blobs")
    with pytest.raises(NotFound) as gone:
        await blobs.get("organization/document/version/hash")
    (tmp_path / "blobs" / "taken").write_bytes(b"a file where a folder is wanted")
    with pytest.raises(StorageUnavailable) as failed:
        await blobs.put("taken/x", b"")
    for error in (gone.value, failed.value):
        said = f"{error.message} {error.advice}"
        assert not [word for word in ("organization", "hash", "taken", str(tmp_path), "Generic") if word in said]


@pytest.mark.feature("B14")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "full"),
        (PermissionDeniedError("bucket: AccessDenied"), "refuses access"),
        (OSError(13, "Permission denied"), "refuses access"),
        (BaseError("Generic S3 error: secret/key"), "does not answer"),
    ],
)
def test_an_outage_says_what_to_do(error: Exception, said: str) -> None:
    with pytest.raises(StorageUnavailable) as failed, translated_errors():
        raise error
    assert said in failed.value.message
    assert failed.value.advice
    assert "secret" not in failed.value.message
