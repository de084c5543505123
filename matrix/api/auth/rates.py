"""How often one caller may ask: reads, writes and chats a minute, and sign-ins. Counted in this process's memory, so
several API processes allow that many times as much."""

from __future__ import annotations

import math
import time
from enum import StrEnum

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter, SlidingWindowCounterRateLimiter

from matrix.domain.access import CredentialKind, Principal
from matrix.errors import TooManyRequests
from matrix.settings import LimitSettings

LOGIN_MINUTES = 15
# Failed sign-ins of all accounts together from one address, as a multiple of what one account may.
ADDRESS_FACTOR = 10


class Use(StrEnum):
    READ = "reads"
    WRITE = "writes"
    CHAT = "chats"


class Rates:
    """Requests of signed-in callers. A person counts once however often they are signed in; each API key by itself."""

    def __init__(self, limits: LimitSettings) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        person = (limits.reads_per_minute, limits.writes_per_minute, limits.chats_per_minute)
        key = (limits.key_reads_per_minute, limits.key_writes_per_minute, limits.key_chats_per_minute)
        self._items: dict[tuple[CredentialKind, Use], RateLimitItem] = {
            (kind, use): RateLimitItemPerMinute(amount)
            for kind, amounts in ((CredentialKind.PERSON, person), (CredentialKind.API_KEY, key))
            for use, amount in zip(Use, amounts, strict=True)
        }

    async def spend(self, principal: Principal, use: Use) -> None:
        """Counts one request. Errors: TooManyRequests."""
        item = self._items[principal.kind, use]
        who = principal.session_id if principal.kind is CredentialKind.API_KEY else principal.user_id
        if not await self._limiter.hit(item, use, who):
            reset = (await self._limiter.get_window_stats(item, use, who)).reset_time
            raise TooManyRequests(f"More than {item.amount} {use} a minute.", retry_after=_seconds_until(reset))


class LoginRates:
    """Attempts to sign in: a few for each account and address, and not many failures from one address."""

    def __init__(self, attempts: int) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._account = RateLimitItemPerMinute(attempts, LOGIN_MINUTES, namespace="account")
        self._address = RateLimitItemPerMinute(attempts * ADDRESS_FACTOR, LOGIN_MINUTES, namespace="address")

    async def attempt(self, email: str, address: str) -> None:
        """Counts an attempt before its password is looked at. Errors: TooManyRequests."""
        if not await self._limiter.test(self._address, address):
            raise await self._refused(self._address, address)
        if not await self._limiter.hit(self._account, email, address):
            raise await self._refused(self._account, email, address)

    async def failed(self, address: str) -> None:
        await self._limiter.hit(self._address, address)

    async def succeeded(self, email: str, address: str) -> None:
        """Who knows the password may sign in as often as they like."""
        await self._limiter.clear(self._account, email, address)

    async def _refused(self, item: RateLimitItem, *who: str) -> TooManyRequests:
        wait = _seconds_until((await self._limiter.get_window_stats(item, *who)).reset_time)
        minutes = math.ceil(wait / 60)
        return TooManyRequests(
            "Too many attempts to sign in.",
            retry_after=wait,
            advice=f"Wait {minutes} minutes, or ask an administrator to reset the password.",
        )


def _seconds_until(moment: float) -> int:
    return max(1, math.ceil(moment - time.time()))
