"""How far a version is, shown on its document at most once a second."""

from __future__ import annotations

import asyncio

from matrix.domain.documents import VersionToProcess
from matrix.domain.jobs import Lease
from matrix.ports import VersionStore

_SECONDS = 1.0
_READING = 0.4  # of the whole; embedding is the rest


class ProgressStamp:
    """The progress of one version under one lease, from 0 to 1."""

    def __init__(self, versions: VersionStore, lease: Lease, version: VersionToProcess) -> None:
        self._versions = versions
        self._lease = lease
        self._version = version
        self._next = 0.0

    async def read_pages(self, done_pages: int, all_pages: int) -> None:
        """A ParseProgress."""
        await self._stamp(_READING * done_pages / max(all_pages, 1), "reading")

    async def embedded(self, done: int, all_new: int) -> None:
        await self._stamp(_READING + (1 - _READING) * done / max(all_new, 1), "embedding")

    async def _stamp(self, progress: float, step: str) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._next:
            self._next = now + _SECONDS
            await self._versions.stamp_progress(self._lease, self._version, progress, step)
