"""How much memory the embedded server may take: modest, since it shares the machine with the API and the workers."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

MIB = 2**20


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Sizes in MiB."""

    heap: int
    page_cache: int


def plan_memory(total_bytes: int) -> MemoryPlan:
    """512 MiB of heap on machines under 8 GB, 1 GiB under 32 GB, else 2 GiB; half of that for the page cache.

    Lucene's vector and text files live in neither, but in the operating system's cache: the rest of the machine serves
    them.
    """
    gigabytes = total_bytes / 1e9
    heap = 512 if gigabytes < 8 else 1024 if gigabytes < 32 else 2048
    return MemoryPlan(heap=heap, page_cache=heap // 2)


def machine_memory() -> int:
    """Bytes of memory of this machine."""
    return int(psutil.virtual_memory().total)


def free_memory() -> int:
    """Bytes that programs could still get without swapping."""
    return int(psutil.virtual_memory().available)
