"""What the doctor says, and the folder's lock."""

import os

import pytest

from matrix.errors import LocalServerError
from matrix.local_neo4j import JavaPlaces, check_local_neo4j
from matrix.local_neo4j.file_lock import FileLock
from matrix.local_neo4j.folder import take_folder
from matrix.local_neo4j.home import home_of

NO_JAVA = JavaPlaces(None, None, (), None)


async def checks(data_dir, tmp_path, java=None):
    found = await check_local_neo4j(data_dir, cache_dir=tmp_path / "cache", java=java)
    return {check.name: check for check in found}


async def test_names_what_is_missing(tmp_path):
    found = await checks(tmp_path / "data", tmp_path, NO_JAVA)
    assert list(found) == ["java", "jars", "disk", "memory", "folder", "lock"]
    assert not found["java"].ok
    assert not found["jars"].ok
    assert "0 of 238" in found["jars"].detail
    assert all(check.advice for check in found.values() if not check.ok)
    assert found["folder"].ok
    assert not (tmp_path / "data").exists()


async def test_names_who_works_in_the_folder(tmp_path):
    home = home_of(tmp_path)
    lock = FileLock(home.lock_file)
    take_folder(home, lock)
    assert f"process {os.getpid()}" in (await checks(tmp_path, tmp_path))["lock"].detail
    with pytest.raises(LocalServerError) as caught:
        take_folder(home, FileLock(home.lock_file))
    assert caught.value.code == "folder_in_use"
    assert str(os.getpid()) in caught.value.message
    lock.release()
    assert (await checks(tmp_path, tmp_path))["lock"].detail == "the data folder is free"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    home = home_of(tmp_path / "file")
    with pytest.raises(LocalServerError) as caught:
        take_folder(home, FileLock(home.lock_file))
    assert caught.value.code == "folder_unusable"


def test_a_release_before_the_take_holds(tmp_path):
    lock = FileLock(tmp_path / "lock")
    lock.release()
    lock.take()
    FileLock(tmp_path / "lock").take()
