from __future__ import annotations

import socket

import pytest

from matrix.cli.addresses import Address, free_address
from matrix.errors import InvalidSettings
from matrix.settings import read_settings
from tests.no_network import allow_outside


@pytest.mark.feature("A6")
async def test_a_taken_port_is_named_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidSettings, match=str(port)) as caught:
            await free_address(read_settings(port=port))
    assert caught.value.field == "MATRIX_PORT"
    assert "--port" in caught.value.advice
    assert (await free_address(read_settings(port=port), patience=5)).port == port


async def test_any_free_port() -> None:
    address = await free_address(read_settings(port=0))
    assert address.port > 0
    assert address.url == f"http://127.0.0.1:{address.port}"


async def test_a_foreign_address_is_refused() -> None:
    with allow_outside(), pytest.raises(InvalidSettings, match="no address of this machine") as caught:
        await free_address(read_settings(host="203.0.113.7", port=0))
    assert caught.value.field == "MATRIX_HOST"


def test_where_this_machine_reaches_it() -> None:
    assert Address("0.0.0.0", 80).url == "http://127.0.0.1:80"
    assert Address("::", 80).url == "http://[::1]:80"
    assert Address("matrix.lan", 80).url == "http://matrix.lan:80"
