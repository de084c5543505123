"""Whatever comes over a socket, its end has a code and a reason, and nothing of it stands in the log."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed

from matrix.api.application import create_application
from matrix.errors import DatabaseUnavailable
from tests.api.graphql.calls import Graph
from tests.api.graphql.sockets import SECONDS, Socket, opened, served, socket
from tests.support.application import Deployment
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A5")

PROGRESS = "subscription($corpus: String!) { ingestProgress(knowledge: $corpus) { documentId } }"
SUBSCRIBE = {"id": "1", "type": "subscribe"}


@pytest.fixture(scope="module")
async def address(deployment: Deployment) -> AsyncIterator[str]:
    async with served(deployment.app) as address:
        yield address


@pytest.fixture
async def line(address: str, tenant: Tenant) -> AsyncIterator[Socket]:
    async with opened(address, authorization=tenant.editor.headers["Authorization"], org=tenant.slug) as made:
        yield made


async def end_of(line: Socket) -> tuple[int, str]:
    """The code and reason with which the server closes the socket."""
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            await line.next()
    assert closed.value.rcvd is not None, "cut off without a word"
    return closed.value.rcvd.code, closed.value.rcvd.reason


HOSTILE = [
    "nonsense",
    "",
    '"x"',
    "1",
    "null",
    "[]",
    "{}",
    '{"type": 7}',
    '{"type": []}',
    '{"type": "start", "id": "1"}',
    '{"type": "' + "x" * 5000 + '"}',
    "[" * 10_000 + "]" * 10_000,
    '{"type":' * 10_000,
    '{"type": "subscribe"}',
    '{"type": "subscribe", "id": [], "payload": {"query": "{ me { orgSlug } }"}}',
    '{"type": "complete", "id": {}}',
    json.dumps({**SUBSCRIBE, "payload": "x"}),
    json.dumps({**SUBSCRIBE, "payload": {"query": 7}}),
    json.dumps({**SUBSCRIBE, "payload": {"query": ""}}),
    json.dumps({**SUBSCRIBE, "payload": {"query": PROGRESS, "variables": [1]}}),
    json.dumps({**SUBSCRIBE, "payload": {"query": PROGRESS, "operationName": {}}}),
    json.dumps({**SUBSCRIBE, "payload": {"query": PROGRESS, "variables": {"corpus": "\ud800"}}}),
    b"\x00\xff",
    b'{"type": "ping"}',
]


@pytest.mark.parametrize("message", HOSTILE, ids=lambda message: message[:30])
@pytest.mark.parametrize("greeted", [True, False])
async def test_a_message_that_is_none_ends_the_socket_in_words(
    address: str, tenant: Tenant, message: str | bytes, greeted: bool
) -> None:
    said = {"authorization": tenant.editor.headers["Authorization"], "org": tenant.slug}
    with capture_logs() as logs:
        async with opened(address, **said) if greeted else socket(address) as line:
            await line.wire.send(message)
            code, reason = await end_of(line)
    assert code == 4400 and reason
    assert logs == []


async def test_a_huge_message_is_cut_off(address: str) -> None:
    async with socket(address) as line:
        await line.wire.send(json.dumps({"type": "ping", "payload": {"x": "y" * 20_000_000}}))
        code, _ = await end_of(line)
    assert code == 1009


@pytest.mark.parametrize("said", [{"authorization": "Bearer \ud800"}, {"org": "\udfff"}, {"org": [1]}])
async def test_a_greeting_that_cannot_be_read(address: str, tenant: Tenant, said: dict[str, object]) -> None:
    known = {"authorization": tenant.editor.headers["Authorization"], **said}
    async with socket(address) as line:
        await line.send(type="connection_init", payload=known)
        code, reason = await end_of(line)
    assert code in {4400, 4403} and reason


async def test_a_syntax_error_ends_the_operation_and_not_the_socket(line: Socket, corpus: str) -> None:
    for number, query in enumerate(("{" * 200, "subscription {", "subscription A { x } subscription B { x }")):
        await line.subscribe(query, name=str(number))
        error = await line.error()
        assert error["extensions"]["code"] in {"invalid_input", "bad_request", "too_large"}, error
    await line.subscribe(PROGRESS, name="last", corpus="absent")
    assert (await line.error())["extensions"]["code"] == "not_found"


async def test_one_subscription_too_many_has_a_code(line: Socket, corpus: str) -> None:
    for number in range(11):
        await line.subscribe(PROGRESS, name=str(number), corpus=corpus)
    error = await line.error()
    assert error["extensions"]["code"] == "too_large" and error["extensions"]["advice"]


async def test_without_a_database_the_client_is_told_to_come_again(deployment: Deployment, tenant: Tenant) -> None:
    class Gone:
        async def principal(self, _: str) -> object:
            raise DatabaseUnavailable("The database does not answer now.")

    stores = deployment.services.stores
    access = replace(stores.access, sign_ins=Gone())  # type: ignore[arg-type]  # that is the point
    app = create_application(replace(deployment.services, stores=replace(stores, access=access)))
    async with served(app) as address, socket(address) as line:
        await line.send(type="connection_init", payload={"authorization": tenant.editor.headers["Authorization"]})
        assert await end_of(line) == (1013, "The database does not answer now.")


async def test_a_client_that_leaves_is_not_logged(
    address: str, tenant: Tenant, corpus: str, editor: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    said = {"authorization": tenant.editor.headers["Authorization"], "org": tenant.slug}
    with capture_logs() as logs, caplog.at_level(logging.ERROR):
        for _ in range(3):
            async with opened(address, **said) as line:
                await line.subscribe(PROGRESS, corpus=corpus)
                await tenant.editor.send(corpus, [("a.txt", b"Words.")])
                line.wire.transport.abort()
        async with asyncio.timeout(SECONDS):  # the server is there for others
            assert (await editor.data("{ me { orgSlug } }"))["me"]["orgSlug"] == tenant.slug
    assert logs == [] and not caplog.records
