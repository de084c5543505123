"""The HTTP client for every address that a user can name: it reaches public addresses only, whatever a name resolves
to. Resolved once, every address checked, connected to the checked one; TLS keeps the name that was asked for."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any

import httpcore2
import httpx2

from matrix.errors import ProviderRefused
from matrix.plugins.vendors.patience import TIMEOUTS

PORTS = (80, 443)
Resolve = Callable[[str, int], Awaitable[list[str]]]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class AddressForbidden(ProviderRefused):
    code = "address_forbidden"
    advice = "Name a public address, or have an administrator list the host in MATRIX_ALLOWED_PRIVATE_HOSTS."


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections to global addresses, and to `allowed` hosts wherever they are."""

    def __init__(self, allowed: Collection[str], resolve: Resolve | None = None) -> None:
        self._allowed = {host.lower() for host in allowed}
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
        address = host if self._is_allowed(host, port) else await self._checked(host, port)
        return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)

    async def connect_unix_socket(self, path: str, *_: object, **__: object) -> httpcore2.AsyncNetworkStream:
        raise AddressForbidden(f"{path} is not a network address.")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)

    def _is_allowed(self, host: str, port: int) -> bool:
        return host.lower() in self._allowed or f"{host}:{port}".lower() in self._allowed

    async def _checked(self, host: str, port: int) -> str:
        if port not in PORTS:
            raise AddressForbidden(f"Port {port} of {host} may not be reached; only 80 and 443.")
        found = await self._resolve(host, port)
        if not found or not all(is_public(address) for address in found):
            raise AddressForbidden(f"{host} is not a public address.")
        return found[0]


def guarded_client(allowed: Collection[str] = (), resolve: Resolve | None = None) -> httpx2.AsyncClient:
    """A client that takes nothing from the environment and follows no redirect."""
    transport = httpx2.AsyncHTTPTransport(trust_env=False)
    transport._pool = httpcore2.AsyncConnectionPool(  # the transport takes no backend of its own
        ssl_context=httpx2.create_ssl_context(trust_env=False), network_backend=GuardedBackend(allowed, resolve)
    )
    limits = httpx2.Timeout(TIMEOUTS.read, connect=TIMEOUTS.connect)
    return httpx2.AsyncClient(transport=transport, timeout=limits, trust_env=False, follow_redirects=False)


def is_public(text: str) -> bool:
    """Whether an address belongs to the open internet; what wraps an IPv4 address is judged by that too."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(inner.is_global and not inner.is_multicast for inner in (address, *_wrapped(address)))


async def resolve_host(host: str, port: int) -> list[str]:
    """All addresses of a host."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise AddressForbidden(f"There is no host {host}.", code="unknown_host") from None
    return [str(entry[4][0]) for entry in found]


def _wrapped(address: Address) -> list[Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inner: list[Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in NAT64:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [found for found in inner if found is not None]
