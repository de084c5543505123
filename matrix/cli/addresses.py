"""The address that the API listens on."""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from dataclasses import dataclass

from matrix.errors import InvalidSettings
from matrix.settings import Settings

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # looked up, not bound


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @property
    def url(self) -> str:
        """Where this machine reaches it."""
        shown = EVERYWHERE.get(self.host, self.host)
        return f"http://[{shown}]:{self.port}" if ":" in shown else f"http://{shown}:{self.port}"


async def free_address(settings: Settings, patience: float = 0) -> Address:
    """The address to listen on; port 0 takes any free one.

    Errors: InvalidSettings when it cannot be had within `patience` seconds.
    """
    until = time.monotonic() + patience
    while True:
        try:
            return _bound(settings)
        except InvalidSettings:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(0.2)


def _bound(settings: Settings) -> Address:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError:
        raise _no_address_here(settings.host) from None
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise _no_address_here(settings.host) from None
            raise InvalidSettings(
                f"Port {settings.port} on {settings.host} cannot be used: {error.strerror}.",
                field="MATRIX_PORT",
                advice="Stop what uses it, or start with --port and another number (0 takes any free one).",
            ) from None
        return Address(settings.host, int(probe.getsockname()[1]))


def _no_address_here(host: str) -> InvalidSettings:
    return InvalidSettings(
        f"{host} is no address of this machine.",
        field="MATRIX_HOST",
        advice="Use 127.0.0.1 for this machine alone, or 0.0.0.0 for all of its networks.",
    )
