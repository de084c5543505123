"""The cache alone: age, forgetting, and reads that a write overtakes."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import pytest

from matrix.graph.access.cache import AccessCache

T = TypeVar("T")


async def test_nothing_is_kept_longer_than_five_seconds_whatever_is_asked_for() -> None:
    now = [0.0]
    cache = AccessCache(seconds=3600, clock=lambda: now[0])
    assert await cache.get("k", lambda: answer(1)) == 1
    now[0] = 4.9
    assert await cache.get("k", lambda: answer(2)) == 1
    now[0] = 5.1
    assert await cache.get("k", lambda: answer(3)) == 3


async def test_a_read_that_a_write_overtakes_is_not_kept() -> None:
    cache = AccessCache(clock=lambda: 0.0)
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        started.set()
        await go_on.wait()
        return "old"

    reading = asyncio.create_task(cache.get("k", slow))
    await started.wait()
    cache.forget()
    go_on.set()
    assert await reading == "old"
    assert await cache.get("k", lambda: answer("new")) == "new"


async def test_a_failure_is_not_kept() -> None:
    cache = AccessCache(clock=lambda: 0.0)

    async def fail() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        await cache.get("k", fail)
    assert await cache.get("k", lambda: answer(2)) == 2


async def answer(value: T) -> T:
    return value
