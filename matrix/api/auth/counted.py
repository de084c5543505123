"""Dependencies that count a request against its caller's rates. Uploads are limited by bytes and pending jobs."""

from __future__ import annotations

from fastapi import Request

from matrix.api.auth.cookies import SAFE_METHODS
from matrix.api.auth.principal import Access, Caller
from matrix.api.auth.rates import Use


async def count_by_method(request: Request, access: Access, caller: Caller) -> None:
    """A read or a write, as the method says."""
    await access.rates.spend(caller, Use.READ if request.method in SAFE_METHODS else Use.WRITE)


async def count_read(access: Access, caller: Caller) -> None:
    await access.rates.spend(caller, Use.READ)


async def count_write(access: Access, caller: Caller) -> None:
    await access.rates.spend(caller, Use.WRITE)


async def count_chat(access: Access, caller: Caller) -> None:
    await access.rates.spend(caller, Use.CHAT)
