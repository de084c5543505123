"""Fetching jars: checked, retried, kept, shared by processes, with clear words when it cannot be done."""

import asyncio
import errno
import os

import pytest

from matrix.errors import LocalServerError
from matrix.local_neo4j.fetch import ensure_jars
from matrix.local_neo4j.file_lock import FileLock
from matrix.local_neo4j.jar_cache import JarCache
from matrix.local_neo4j.jars import Jar, JarLock
from matrix.local_neo4j.ports import SilentProgress
from matrix.local_neo4j.registry import MavenSource
from tests.local_neo4j.fakes import CountingProgress, FakeRegistry, jar_of

LOCK = JarLock((jar_of("a", b"alpha"), jar_of("b", b"beta")))


@pytest.fixture
def cache(tmp_path):
    return JarCache(tmp_path / "cache")


async def fetch(cache, registry, progress=None, lock=LOCK):
    return await ensure_jars(lock, cache, registry, progress or SilentProgress(), pauses=(0, 0))


def registry_with(**changes):
    return FakeRegistry(**{"a": [b"alpha"], "b": [b"beta"]} | changes)


async def test_brings_all_and_reports_bytes(cache):
    progress = CountingProgress()
    paths = await fetch(cache, registry_with(), progress)
    assert [path.read_bytes() for path in paths] == [b"alpha", b"beta"]
    await asyncio.sleep(0)
    assert progress.done == progress.total == 9
    assert progress.steps == ["Fetching Neo4j", "finished"]


async def test_asks_nothing_when_all_is_there(cache):
    await fetch(cache, registry_with())
    again = registry_with()
    progress = CountingProgress()
    await fetch(cache, again, progress)
    assert again.asked == []
    assert progress.steps == []


async def test_without_a_marker_right_jars_are_hashed_and_kept(cache):
    await fetch(cache, registry_with())
    cache.marker.unlink()
    again = registry_with()
    await fetch(cache, again)
    assert again.asked == []
    assert cache.marker.exists()


@pytest.mark.parametrize("damage", [b"alp", b"ALPHA", b""], ids=["truncated", "changed", "emptied"])
async def test_a_damaged_jar_is_fetched_again(cache, damage):
    paths = await fetch(cache, registry_with())
    paths[0].write_bytes(damage)
    os.utime(paths[0], ns=(1, 1))
    again = registry_with()
    await fetch(cache, again)
    assert again.asked == ["a"]
    assert paths[0].read_bytes() == b"alpha"


async def test_a_wrong_checksum_is_tried_again(cache):
    registry = registry_with(a=[b"wrong", b"alpha"])
    paths = await fetch(cache, registry)
    assert paths[0].read_bytes() == b"alpha"
    assert registry.asked.count("a") == 2


async def test_a_lasting_wrong_checksum_never_enters_the_cache(cache):
    with pytest.raises(LocalServerError) as caught:
        await fetch(cache, registry_with(a=[b"wrong"]))
    assert caught.value.code == "jar_corrupt"
    assert not cache.path_of(LOCK.jars[0]).exists()
    assert not cache.marker.exists()


@pytest.mark.parametrize(
    ("failure", "code", "attempts"),
    [
        (OSError("no route"), "registry_unreachable", 3),
        (LookupError("a"), "jar_missing", 3),
        (OSError(errno.ENOSPC, "No space left on device"), "disk_full", 1),
        (PermissionError(errno.EACCES, "denied"), "not_writable", 1),
    ],
)
async def test_failures_have_a_code_and_advice(cache, failure, code, attempts):
    registry = registry_with(a=[failure])
    with pytest.raises(LocalServerError) as caught:
        await fetch(cache, registry)
    assert caught.value.code == code
    assert caught.value.advice
    assert registry.asked.count("a") == attempts
    assert not list(cache.folder.glob(".staging-*"))


async def test_too_little_space_is_told_before_fetching(cache):
    huge = JarLock((Jar("g", "huge", "1", "", "jar", "0" * 64, 10**18),))
    registry = FakeRegistry(huge=[b""])
    with pytest.raises(LocalServerError) as caught:
        await fetch(cache, registry, lock=huge)
    assert caught.value.code == "disk_full"
    assert registry.asked == []


async def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LocalServerError) as caught:
        await fetch(JarCache(tmp_path / "file" / "cache"), registry_with())
    assert caught.value.code == "cache_unusable"


async def test_two_at_once_fetch_once(cache):
    registry = registry_with()
    await asyncio.gather(fetch(cache, registry), fetch(cache, registry))
    assert sorted(registry.asked) == ["a", "b"]


async def test_a_second_process_waits_for_the_first(cache):
    cache.folder.mkdir(parents=True)
    first = FileLock(cache.lock_file)
    first.take()
    progress = CountingProgress()
    second = asyncio.create_task(fetch(cache, registry_with(), progress))
    await asyncio.sleep(0.1)
    assert not second.done()
    assert f"process {os.getpid()}" in progress.steps[0]
    first.release()
    await second


async def test_leftovers_of_a_killed_fetch_go(cache):
    (cache.folder / ".staging-old").mkdir(parents=True)
    await fetch(cache, registry_with())
    assert not list(cache.folder.glob(".staging-*"))


async def test_jgo_without_a_reachable_registry(cache):
    nowhere = MavenSource(mirrors={"nowhere": "http://127.0.0.1:9"})
    with pytest.raises(LocalServerError) as caught:
        await fetch(cache, nowhere)
    assert caught.value.code == "registry_unreachable"
