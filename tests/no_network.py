"""No test reaches outside: connecting, sending or looking a name up beyond the loopback interface fails at once.

Switched on for the whole run in tests/conftest.py. It is an audit hook of the interpreter, so that nothing is patched
and no library is exempt. Child processes, and libraries that open sockets below Python (uvloop, Rust), are not seen.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_EVENTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKUPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
_LOCAL_NAMES = frozenset({"", "localhost", "localhost.localdomain"})


class ReachedOutside(BaseException):
    """A test tried to leave the machine. Not an Exception: no library may take it for a failed connection."""


class _Guard:
    installed = False
    depth = 0


@contextmanager
def forbid_outside() -> Iterator[None]:
    """Within it, whatever leaves the machine raises ReachedOutside. May be nested."""
    if not _Guard.installed:
        sys.addaudithook(_watch)
        _Guard.installed = True
    _Guard.depth += 1
    try:
        yield
    finally:
        _Guard.depth -= 1


@contextmanager
def allow_outside() -> Iterator[None]:
    """Lifts the ban for what prepares the tests: the first run fetches Neo4j."""
    depth, _Guard.depth = _Guard.depth, 0
    try:
        yield
    finally:
        _Guard.depth = depth


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not _Guard.depth:
        return
    if event in _EVENTS:
        opened, address = arguments[0], arguments[1]
        if isinstance(opened, socket.socket) and opened.family in (socket.AF_INET, socket.AF_INET6):
            _check(address[0] if isinstance(address, tuple) else address)
    elif event in _LOOKUPS:
        _check(arguments[0])


def _check(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    if not _is_local(name):
        raise ReachedOutside(f"A test tried to reach {name}. Use a server of tests/wire_servers, or a fake.")


def _is_local(name: str) -> bool:
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name.lower() in _LOCAL_NAMES or name == socket.gethostname()
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback or address.is_unspecified
