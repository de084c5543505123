"""How long a call to a provider may take, and how often it is tried. The only place where provider calls are repeated:
the SDKs' own retries are off."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

import stamina

from matrix.errors import ProviderError, ProviderUnavailable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: until connected, between two pieces of an answer, and for a whole call with all its tries."""

    connect: float = 5.0
    read: float = 60.0
    total: float = 120.0


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits of `first` seconds, doubled each time, at most `cap`, with full jitter; `tries` calls in all.

    A Retry-After is waited out exactly; one longer than `cap` is the caller's to wait for (an ingestion lays its job
    aside), so it ends the tries.
    """

    tries: int = 8
    first: float = 1.0
    cap: float = 60.0

    def wait_after(
        self, error: Exception, tried: int, jitter: Callable[[float, float], float] = random.uniform
    ) -> float | None:
        """Seconds until the next try after `tried` of them, None if there is to be none."""
        if not isinstance(error, ProviderUnavailable):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.cap else None
        return jitter(0.0, min(self.cap, self.first * 2.0 ** (tried - 1)))


TIMEOUTS = Timeouts()
FOR_DOCUMENTS = Patience()
FOR_PEOPLE = Patience(tries=4)  # somebody looks at the screen: 7 s of waiting at most, but for a Retry-After


async def retry(call: Callable[[], Awaitable[T]], patience: Patience) -> T:
    """The result of `call`, tried again while ProviderUnavailable allows it. Errors: those of `call`."""
    tried = count(1)

    def wait_before_next(error: Exception) -> float | bool:
        seconds = patience.wait_after(error, next(tried))
        return False if seconds is None else seconds

    async for attempt in stamina.retry_context(on=wait_before_next, attempts=patience.tries, timeout=None):
        with attempt:
            return await call()
    raise AssertionError("stamina ends with a result or an error")


async def stream_patiently(
    open_stream: Callable[[], AsyncGenerator[T, None]], patience: Patience, total: float
) -> AsyncGenerator[T, None]:
    """The events of a stream, which is opened again only while it has given none.

    Errors: those of the stream; ProviderUnavailable once `total` seconds are over.
    """
    deadline = asyncio.get_running_loop().time() + total

    async def begin() -> tuple[AsyncGenerator[T, None], T]:
        events = open_stream()
        try:
            return events, await anext(events)
        except StopAsyncIteration:
            raise ProviderError("The model's answer was empty.", code="broken_reply") from None
        except BaseException:
            await events.aclose()
            raise

    events, event = await _before(deadline, total, retry(begin, patience))
    try:
        while True:
            yield event
            event = await _before(deadline, total, anext(events))
    except StopAsyncIteration:
        return
    finally:
        await events.aclose()


async def _before(deadline: float, total: float, step: Awaitable[T]) -> T:
    # a timeout around each step, never across a `yield`: there it would cancel whoever reads the stream
    try:
        async with asyncio.timeout_at(deadline):
            return await step
    except TimeoutError:
        raise ProviderUnavailable(f"The provider did not finish within {total:g} seconds.") from None
