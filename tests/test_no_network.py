"""The guard itself: loopback passes, everything else fails by name, and the failure cannot be swallowed."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import httpx2
import pytest

from tests.no_network import ReachedOutside, forbid_outside
from tests.wire_servers.openai import OpenAiServer


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("8.8.8.8", 53)])
def test_a_connection_to_elsewhere_fails(address: tuple[str, int]) -> None:
    with forbid_outside(), socket.socket() as opened, pytest.raises(ReachedOutside, match=address[0]):
        opened.connect(address)


def test_a_datagram_and_a_lookup_fail_too() -> None:
    with forbid_outside(), socket.socket(type=socket.SOCK_DGRAM) as opened:
        with pytest.raises(ReachedOutside):
            opened.sendto(b"x", ("192.0.2.1", 53))
        with pytest.raises(ReachedOutside, match=r"example\.org"):
            socket.getaddrinfo("example.org", 80)


async def test_no_library_takes_it_for_a_failed_connection() -> None:
    with forbid_outside():
        async with httpx2.AsyncClient(trust_env=False) as client:
            # anyio may wrap it in a group, which is no Exception either
            with pytest.raises((ReachedOutside, BaseExceptionGroup)), contextlib.suppress(Exception):
                await client.get("http://192.0.2.1/")


async def test_loopback_passes() -> None:
    with forbid_outside(), OpenAiServer() as server:
        async with httpx2.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"{server.base_url}/models")).status_code == 200
        host, port = server.base_url.removeprefix("http://").split("/")[0].split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.close()
