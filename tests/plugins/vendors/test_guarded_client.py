import http.server
import threading
from collections.abc import Iterator

import httpx2
import pytest

from matrix.domain.addresses import is_public
from matrix.domain.chat import ChatMessage, ModelRequest, Speaker
from matrix.plugins.models.openai_model import OpenAiModel
from matrix.plugins.vendors.guarded_client import AddressForbidden, guarded_client
from matrix.plugins.vendors.openai import OpenAiEndpoint

ODD = [
    "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
    "::1", "::", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "2002:a00:1::",
    "64:ff9b::7f00:1", "2001:0:7f00:1::", "fe80::1%eth0",
]  # fmt: skip


@pytest.mark.parametrize("address", ODD)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


@pytest.fixture
def canary() -> Iterator[tuple[int, list[str]]]:
    """A server on this machine that notes who reached it."""
    reached: list[str] = []

    class Note(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reached.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Note)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], reached
    server.shutdown()


@pytest.mark.feature("H2")
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1"]
)
async def test_no_spelling_of_this_machine_is_reached(canary: tuple[int, list[str]], host: str) -> None:
    port, reached = canary
    async with guarded_client() as client:
        with pytest.raises((AddressForbidden, httpx2.HTTPError, httpx2.InvalidURL)):
            await client.get(f"http://{host}:{port}/secret")
    assert reached == []


async def test_a_name_that_resolves_to_a_private_address_is_refused() -> None:
    async def rebinding(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    async with guarded_client(resolve=rebinding) as client:
        with pytest.raises(AddressForbidden):
            await client.get("http://innocent.example/")


async def test_an_allowed_host_is_reached(canary: tuple[int, list[str]]) -> None:
    port, reached = canary
    async with guarded_client((f"127.0.0.1:{port}",)) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/model")).status_code == 200
    assert reached == ["/model"]


@pytest.mark.feature("H2")
@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/passwd", "http://user:pw@example.org/", "http://example.org:22/"]
)
async def test_what_is_no_web_address_is_refused_before_anything_is_resolved(url: str) -> None:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"]

    async with guarded_client(resolve=resolve) as client:
        with pytest.raises(AddressForbidden):
            await client.get(url)
    assert asked == []


async def test_the_model_endpoint_says_that_the_address_is_forbidden() -> None:
    async with guarded_client() as client:
        model = OpenAiModel(OpenAiEndpoint("http://127.0.0.1:9/v1", "key"), model="any", http_client=client)
        question = ModelRequest((ChatMessage(Speaker.USER, "Hello?"),))
        with pytest.raises(AddressForbidden) as refused:
            async for _ in model.stream(question):
                pass
    assert "127.0.0.1:9" in refused.value.advice
