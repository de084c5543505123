"""The HTTP client for every address that a user can name: it reaches public addresses only, whatever a name resolves
to. Resolved once, every address checked, connected to the checked one; TLS keeps the name that was asked for."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any

import httpcore2
import httpx2

from matrix.domain.addresses import PORTS, advice_for, check_url, is_allowed, is_public
from matrix.errors import InvalidInput, ProviderRefused
from matrix.plugins.vendors.patience import TIMEOUTS

Resolve = Callable[[str, int], Awaitable[list[str]]]


class AddressForbidden(ProviderRefused):
    code = "address_forbidden"
    advice = "Name a public address, or have whoever runs Matrix list the host in MATRIX_ALLOWED_PRIVATE_HOSTS."


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections to global addresses, and to `allowed` hosts wherever they are."""

    def __init__(self, allowed: Collection[str], resolve: Resolve | None = None) -> None:
        self._allowed = frozenset(allowed)
        self._resolve = resolve or resolve_host
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the signature of the library
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Errors: AddressForbidden."""
        address = host if is_allowed(host, port, self._allowed) else await self._checked(host, port)
        return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)

    async def connect_unix_socket(self, path: str, *_: object, **__: object) -> httpcore2.AsyncNetworkStream:
        raise AddressForbidden(f"{path} is not a network address.")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)

    async def _checked(self, host: str, port: int) -> str:
        if port not in PORTS.values():
            raise AddressForbidden(
                f"Port {port} of {host} may not be reached, only 80 and 443.", advice=advice_for(host, port)
            )
        found = await self._resolve(host, port)
        if not found or not all(is_public(address) for address in found):
            raise AddressForbidden(f"{host} is no public address.", advice=advice_for(host, port))
        return found[0]


def guarded_client(allowed: Collection[str] = (), resolve: Resolve | None = None) -> httpx2.AsyncClient:
    """A client that takes nothing from the environment and follows no redirect."""
    transport = httpx2.AsyncHTTPTransport(trust_env=False)
    transport._pool = httpcore2.AsyncConnectionPool(  # the transport takes no backend of its own
        ssl_context=httpx2.create_ssl_context(trust_env=False), network_backend=GuardedBackend(allowed, resolve)
    )

    async def check(request: httpx2.Request) -> None:
        try:
            check_url(str(request.url), allowed, "The address")
        except InvalidInput as error:
            raise AddressForbidden(error.message, advice=error.advice) from None

    return httpx2.AsyncClient(
        transport=transport,
        timeout=httpx2.Timeout(TIMEOUTS.read, connect=TIMEOUTS.connect),
        trust_env=False,
        follow_redirects=False,
        event_hooks={"request": [check]},
    )


async def resolve_host(host: str, port: int) -> list[str]:
    """All addresses of a host."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise AddressForbidden(f"There is no host {host}.", code="unknown_host") from None
    return [str(entry[4][0]) for entry in found]
