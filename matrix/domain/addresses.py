"""Addresses on a network that a person may name: which Matrix may reach. Pure: nothing is resolved here. The client
that connects applies the same rule again, to whatever a name resolves to."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Collection
from urllib.parse import SplitResult, urlsplit

from matrix.errors import InvalidInput

PORTS = {"http": 80, "https": 443}
LONGEST_URL = 2000  # characters
SETTING = "MATRIX_ALLOWED_PRIVATE_HOSTS"
PRIVATE_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "localdomain")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NAME = re.compile(r"[\w-]{1,63}(\.[\w-]{1,63})*")
_NUMERIC = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)


def check_url(url: str, allowed: Collection[str], field: str) -> str:
    """The URL, if Matrix may reach it: http or https, without user, password and fragment; a public host at port 80 or
    443, or one of the `allowed` (`host` or `host:port`). Errors: InvalidInput, `address_forbidden` where it is the host
    that may not be reached."""
    parts = _parts(url, field)
    host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    if is_allowed(host, port, allowed):
        return url
    if port not in PORTS.values():
        raise _forbidden(f"Port {port} of {host} may not be reached, only 80 and 443.", host, port, field)
    if not _looks_public(host):
        raise _forbidden(f"{host} is no public address.", host, port, field)
    return url


def is_allowed(host: str, port: int, allowed: Collection[str]) -> bool:
    """Whether whoever runs Matrix listed this host, wherever it is."""
    names = {name.lower() for name in allowed}
    shown = f"[{host}]" if ":" in host else host
    return not names.isdisjoint({host.lower(), shown.lower(), f"{shown}:{port}".lower()})


def is_public(text: str) -> bool:
    """Whether an IP address belongs to the open internet; what wraps an IPv4 address is judged by that too."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(inner.is_global and not inner.is_multicast for inner in (address, *_wrapped(address)))


def advice_for(host: str, port: int) -> str:
    """What to do about a host that may not be reached."""
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return f'Name a public address, or have whoever runs Matrix start it with {SETTING}=["{shown}"].'


def _parts(url: str, field: str) -> SplitResult:
    if len(url) > LONGEST_URL or "\\" in url or any(unicodedata.category(c)[0] in "CZ" for c in url):
        raise InvalidInput(
            f"{field} must be an address without spaces, of at most {LONGEST_URL} characters.", field=field
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidInput(f"{field} is no address: host or port make no sense.", field=field) from None
    if parts.scheme not in PORTS:
        raise InvalidInput(f"{field} must begin with https:// or http://.", field=field)
    if "@" in parts.netloc:
        raise InvalidInput(f"{field} must hold no user or password; the key has a field of its own.", field=field)
    if "#" in url:
        raise InvalidInput(f"{field} must have no fragment (#…).", field=field)
    if not host or port == 0:
        raise InvalidInput(f"{field} must name a host, and a port between 1 and 65535 if any.", field=field)
    return parts


def _looks_public(host: str) -> bool:
    """As much as a host says by itself. Resolvers take numbers that are no IP address in full for one."""
    name = unicodedata.normalize("NFKC", host).lower().rstrip(".")
    try:
        return is_public(name)
    except ValueError:
        pass
    last = name.rpartition(".")[2]
    if not _NAME.fullmatch(name) or last == name or _NUMERIC.fullmatch(last):
        return False
    return not any(name.endswith(f".{private}") for private in PRIVATE_NAMES)


def _wrapped(address: Address) -> list[Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inner: list[Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [found for found in inner if found is not None]


def _forbidden(message: str, host: str, port: int, field: str) -> InvalidInput:
    return InvalidInput(message, field=field, code="address_forbidden", advice=advice_for(host, port))
