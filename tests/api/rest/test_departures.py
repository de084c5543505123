"""Clients that leave in the middle leave nothing in the log, and nothing half done."""

from __future__ import annotations

import asyncio
import logging

import httpx2
import pytest
from starlette.types import Message
from structlog.testing import capture_logs

from tests.api.graphql.sockets import served
from tests.support.application import Deployment
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A4")

BEGUN = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nWords that'
MULTIPART = "multipart/form-data; boundary=cut"


async def leave(deployment: Deployment, path: str, headers: dict[str, str], begun: bytes) -> list[Message]:
    """A POST whose client is gone after the beginning of its body; what was sent to nobody."""
    arriving: list[Message] = [
        {"type": "http.request", "body": begun, "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent: list[Message] = []

    async def receive() -> Message:
        return arriving.pop(0) if len(arriving) > 1 else arriving[0]

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("10.0.0.1", 1),
        "server": ("matrix.test", 80),
        "state": {},
    }
    await deployment.app(scope, receive, send)
    return sent


@pytest.mark.parametrize(
    ("path", "kind", "begun"),
    [
        ("knowledge/{corpus}/files", MULTIPART, BEGUN),
        ("knowledge/{corpus}/texts", "application/json", b'{"title": "A'),
        ("/graphql", "application/json", b'{"query": "{ me'),
    ],
)
async def test_a_client_that_leaves_while_it_sends(
    tenant: Tenant, corpus: str, path: str, kind: str, begun: bytes
) -> None:
    url = path if path.startswith("/") else f"/api/orgs/{tenant.slug}/{path.format(corpus=corpus)}"
    with capture_logs() as logs:
        sent = await leave(tenant.deployment, url, {**tenant.editor.headers, "content-type": kind}, begun)
    assert logs == []
    assert all(message["status"] < 500 for message in sent if message["type"] == "http.response.start")
    assert await tenant.viewer.items(f"documents?knowledge={corpus}") == []


async def test_a_client_that_leaves_while_it_is_answered(
    tenant: Tenant, corpus: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = {"message": "Anything?", "stream": True}
    model = tenant.deployment.model
    with capture_logs() as logs, caplog.at_level(logging.ERROR):
        async with served(tenant.deployment.app) as address:
            url = f"http://{address}/api/orgs/{tenant.slug}/knowledge/{corpus}/chat"
            with model.holding() as held:
                async with (
                    httpx2.AsyncClient(headers=tenant.viewer.headers, trust_env=False) as client,
                    client.stream("POST", url, json=body) as answer,
                ):
                    assert answer.status_code == 200
                    await anext(answer.aiter_lines())
                    await asyncio.wait_for(held.reached.wait(), 20)
            async with httpx2.AsyncClient(trust_env=False) as client:
                assert (await client.get(f"http://{address}/health")).status_code == 200
    assert logs == [] and not caplog.records
