"""What `matrix doctor` asks about the embedded database. Nothing is changed, fetched or started."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from matrix.errors import LocalServerError
from matrix.local_neo4j.fetch import missing_jars
from matrix.local_neo4j.file_lock import holder_of
from matrix.local_neo4j.folder import LEAST_SPACE
from matrix.local_neo4j.home import Home, home_of
from matrix.local_neo4j.jar_cache import JarCache, default_cache_dir
from matrix.local_neo4j.jars import NEO4J_VERSION, load_lock
from matrix.local_neo4j.java import JavaPlaces, find_java
from matrix.local_neo4j.memory import MIB, free_memory, machine_memory, plan_memory

_BESIDE_HEAP = 400 * MIB
"""What the JVM takes beside heap and page cache."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `advice` is empty where nothing is to be done."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


async def check_local_neo4j(
    data_dir: Path, *, cache_dir: Path | None = None, java: JavaPlaces | None = None
) -> tuple[Check, ...]:
    """Java, jars, disk, memory, folder, lock, in this order. Takes about a second when jars must be hashed."""
    cache = JarCache(cache_dir or default_cache_dir())
    return await asyncio.to_thread(_all, data_dir, cache, java)


def _all(data_dir: Path, cache: JarCache, places: JavaPlaces | None) -> tuple[Check, ...]:
    home = home_of(data_dir)
    return (
        _java(places),
        _jars(cache),
        _disk(home),
        _memory(running=holder_of(home.lock_file) is not None),
        _writable(home),
        _lock(home),
    )


def _java(places: JavaPlaces | None) -> Check:
    try:
        java = find_java(places)
    except LocalServerError as error:
        return Check("java", False, error.message, error.advice)
    simd = "with" if java.has_vector else "without"
    return Check("java", True, f"Java {java.version} from {java.origin} ({java.program}), {simd} the vector module")


def _jars(cache: JarCache) -> Check:
    lock = load_lock()
    missing = missing_jars(lock, cache)
    have = f"{len(lock.jars) - len(missing)} of {len(lock.jars)} jars of Neo4j {NEO4J_VERSION} in {cache.folder}"
    if not missing:
        return Check("jars", True, have)
    size = sum(jar.size for jar in missing) / 1e6
    return Check("jars", False, have, f"`matrix up` fetches the missing {size:.0f} MB; the first time needs a network.")


def _disk(home: Home) -> Check:
    free = shutil.disk_usage(_existing(home.folder)).free
    ok = free >= LEAST_SPACE
    advice = "" if ok else f"Free at least {LEAST_SPACE / 1e9:.0f} GB, or choose another --data-dir."
    return Check("disk", ok, f"{free / 1e9:.1f} GB free for {home.folder}", advice)


def _memory(*, running: bool) -> Check:
    plan, free = plan_memory(machine_memory()), free_memory()
    needed = (plan.heap + plan.page_cache) * MIB + _BESIDE_HEAP
    ok = running or free >= needed  # a running server has its share already
    detail = f"{free / 1e9:.1f} GB free; heap {plan.heap} MiB and page cache {plan.page_cache} MiB are planned"
    return Check("memory", ok, detail, "" if ok else f"Close other programs: {needed / 1e9:.1f} GB are wanted.")


def _writable(home: Home) -> Check:
    folder = _existing(home.folder)
    ok = folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
    advice = "" if ok else "Make it writable for your account, or choose another --data-dir."
    return Check("folder", ok, f"{home.folder} can{'' if ok else 'not'} be written", advice)


def _lock(home: Home) -> Check:
    try:
        holder = holder_of(home.lock_file)
    except OSError as error:
        return Check("lock", False, f"{home.lock_file}: {error}", "Make the data folder readable for your account.")
    if holder is None:
        return Check("lock", True, "the data folder is free")
    return Check("lock", True, f"process {holder or 'unknown'} works in it", "`matrix down` before a second `up`.")


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that exists."""
    return next(folder for folder in (path, *path.parents) if folder.exists())
