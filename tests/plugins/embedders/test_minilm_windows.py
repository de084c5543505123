"""Windows hold every token once, and none is too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from matrix.plugins.embedders.minilm_windows import cut_windows


@given(st.lists(st.integers(0, 30000), max_size=300), st.integers(1, 50))
def test_nothing_is_lost_and_nothing_is_too_long(ids: list[int], size: int) -> None:
    windows = cut_windows(ids, size)
    assert [token for window in windows for token in window] == ids
    assert all(len(window) <= size for window in windows)
    assert max(map(len, windows)) - min(map(len, windows)) <= 1
    assert len(windows) >= 1
