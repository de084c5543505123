"""What was last read about callers and the corpora that they name, kept for a few seconds so that not every request
asks the database who it is and where it goes: that took a third of a search's time. A write of this process forgets all
of it at once; writes of other processes show after at most `seconds`."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
MOST = 20_000  # entries


class AccessCache:
    """Made once by the composition root and shared by the stores. Failures are never kept."""

    def __init__(self, seconds: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = min(seconds, 5.0)
        self._clock = clock
        self._entries: dict[Hashable, tuple[float, Any]] = {}  # Any: each key has its own type of value
        self._changes = 0

    async def get(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """The value under `key`, read anew when it is too old. `key` names organization and person wherever the value
        depends on them."""
        found = self._entries.get(key)
        if found is not None and found[0] > self._clock():
            value: T = found[1]
            return value
        asked, changes = self._clock(), self._changes
        value = await read()
        if changes == self._changes:
            self._keep(key, asked + self._seconds, value)
        return value

    def forget(self) -> None:
        """After every write that touches people, roles, credentials or corpora."""
        self._changes += 1
        self._entries.clear()

    def _keep(self, key: Hashable, until: float, value: object) -> None:
        if len(self._entries) >= MOST:
            self._entries.clear()
        self._entries[key] = (until, value)
