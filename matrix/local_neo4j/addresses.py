"""The two loopback ports of a server: chosen free, then kept as long as they stay free."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Ports on the loopback address."""

    bolt_port: int
    http_port: int

    @property
    def bolt_uri(self) -> str:
        return f"bolt://{HOST}:{self.bolt_port}"

    @property
    def http_url(self) -> str:
        return f"http://{HOST}:{self.http_port}"

    @property
    def browser_url(self) -> str:
        return f"{self.http_url}/browser/"


def choose_addresses(before: Addresses | None) -> Addresses:
    """The ports of the last start where both are still free, else two new ones. Raises OSError when none is left."""
    if before and is_free(before.bolt_port) and is_free(before.http_port):
        return before
    # Both sockets are held until both ports are known: otherwise the same one could be given twice.
    with socket.socket() as bolt, socket.socket() as http:
        bolt.bind((HOST, 0))
        http.bind((HOST, 0))
        return Addresses(bolt.getsockname()[1], http.getsockname()[1])


def is_free(port: int) -> bool:
    """True when a server could listen there now."""
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return False
    with socket.socket() as listener:
        # As the JVM does: connections of the last run that linger in TIME_WAIT are no hindrance.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError:
            return False
    return True
