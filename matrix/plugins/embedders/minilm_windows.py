"""Token ids of texts, cut into windows that the local model can read. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def cut_windows(ids: Sequence[int], size: int) -> list[Sequence[int]]:
    """Windows of at most `size` tokens that together hold every token once, about equally long; one at least."""
    count = max(1, -(-len(ids) // size))
    edges = [round(len(ids) * n / count) for n in range(count + 1)]
    return [ids[edges[n] : edges[n + 1]] for n in range(count)]
