"""How long is waited between tries, by the rule of LIMITS.md; no time passes here."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable
from matrix.plugins.vendors.patience import FOR_DOCUMENTS, Patience, retry, stream_patiently

AT_ONCE = Patience(tries=3, first=0)


def longest(_: float, most: float) -> float:
    return most


def test_waits_double_up_to_the_cap() -> None:
    waits = [FOR_DOCUMENTS.wait_after(ProviderUnavailable("out"), tried, longest) for tried in range(1, 9)]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


def test_the_jitter_is_full() -> None:
    waits = [FOR_DOCUMENTS.wait_after(ProviderUnavailable("out"), 6) for _ in range(200)]
    assert all(wait is not None and 0 <= wait <= 32 for wait in waits)
    assert min(w for w in waits if w is not None) < 8 < 24 < max(w for w in waits if w is not None)


def test_a_retry_after_is_waited_out_exactly_unless_it_is_too_long() -> None:
    assert FOR_DOCUMENTS.wait_after(ProviderUnavailable("slow", retry_after=17.5), 1) == 17.5
    assert FOR_DOCUMENTS.wait_after(ProviderUnavailable("slow", retry_after=0), 5) == 0
    assert FOR_DOCUMENTS.wait_after(ProviderUnavailable("slow", retry_after=3600), 1) is None


@pytest.mark.parametrize("error", [ProviderRefused("no"), ProviderError("broken"), ValueError("bug")])
async def test_lasting_errors_are_raised_at_once(error: Exception) -> None:
    calls = []

    async def call() -> None:
        calls.append(1)
        raise error

    with pytest.raises(type(error)):
        await retry(call, AT_ONCE)
    assert len(calls) == 1


async def test_the_last_of_the_tries_raises() -> None:
    calls = []

    async def call() -> None:
        calls.append(1)
        raise ProviderUnavailable(f"out {len(calls)}")

    with pytest.raises(ProviderUnavailable, match="out 3"):
        await retry(call, AT_ONCE)


async def test_a_stream_that_is_left_early_is_closed() -> None:
    closed = []

    async def events() -> AsyncGenerator[int, None]:
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    stream = stream_patiently(events, AT_ONCE, 10)
    assert await anext(stream) == 1
    await stream.aclose()
    assert closed == [True]


async def test_an_empty_stream_is_a_broken_reply() -> None:
    async def events() -> AsyncGenerator[int, None]:
        no_events: list[int] = []
        for event in no_events:
            yield event

    with pytest.raises(ProviderError) as caught:
        await anext(stream_patiently(events, AT_ONCE, 10))
    assert caught.value.code == "broken_reply"
