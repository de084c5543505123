"""Subscriptions over a real socket: progress and chat, who may open one, and what ends it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import datetime

import pytest
from websockets import Subprotocol
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from matrix.api.application import create_application
from matrix.api.graphql.operations.progress import POLL_SECONDS
from matrix.domain.access import Scope
from matrix.domain.ids import new_id
from matrix.graph.documents.documents import Documents
from tests.api.auth.world import PASSWORD
from tests.api.graphql.calls import Graph
from tests.api.graphql.sockets import Socket, opened, served, socket
from tests.support.application import Deployment
from tests.support.tenants import Api, Tenant
from tests.wire_servers.script import Reply

pytestmark = pytest.mark.feature("A5")

PROGRESS = (
    "subscription($corpus: String!) { ingestProgress(knowledge: $corpus) "
    "{ documentId name status step progress chunkCount version errorCode } }"
)
CHAT = (
    "subscription($agent: String!, $message: String!) { chat(agent: $agent, message: $message) { __typename "
    "... on ChatSession { sessionId } ... on ChatAnswerable { answerable } ... on ChatToken { text } "
    "... on ChatSentence { sentence: text citations { marker documentName } } ... on ChatTool { tool { name } } "
    "... on ChatCitations { citations { marker } } ... on ChatDone { answer { answer answerable sessionId } } } }"
)


@pytest.fixture(scope="module")
async def address(deployment: Deployment) -> AsyncIterator[str]:
    async with served(deployment.app) as address:
        yield address


@pytest.fixture
async def line(address: str, tenant: Tenant) -> AsyncIterator[Socket]:
    """An editor's socket."""
    async with opened(address, authorization=tenant.editor.headers["Authorization"], org=tenant.slug) as made:
        yield made


async def until(line: Socket, status: str, name: str) -> list[dict[str, object]]:
    """The events up to the one that tells this."""
    events: list[dict[str, object]] = []
    while True:
        event = (await line.data())["ingestProgress"]
        events.append(event)
        if (event["status"], event["name"]) == (status, name):
            return events


@pytest.mark.feature("B16")
async def test_progress_begins_with_what_is_and_tells_what_changes(
    line: Socket, tenant: Tenant, deployment: Deployment, corpus: str
) -> None:
    await tenant.editor.ingest(corpus, "old.txt", "There before.")
    await line.subscribe(PROGRESS, corpus=corpus)
    [first] = await until(line, "COMPLETED", "old.txt")
    assert (first["chunkCount"], first["version"], first["errorCode"]) == (1, 1, None)
    [sent] = await tenant.editor.send(corpus, [("new.txt", b"Came later.")])
    events = await until(line, "PENDING", "new.txt")
    await deployment.work_off()
    events += await until(line, "COMPLETED", "new.txt")
    assert {event["documentId"] for event in events} == {sent["id"]}
    assert events[-1]["chunkCount"] == 1


async def test_progress_of_a_corpus_that_is_deleted_ends(line: Socket, tenant: Tenant, corpus: str) -> None:
    await tenant.editor.ingest(corpus, "old.txt", "There before.")
    await line.subscribe(PROGRESS, corpus=corpus)
    await until(line, "COMPLETED", "old.txt")
    await tenant.editor.ok("DELETE", f"knowledge/{corpus}", 202)
    assert (await line.error())["extensions"]["code"] == "not_found"


async def test_progress_tells_nothing_of_hidden_documents(
    address: str, tenant: Tenant, deployment: Deployment, corpus: str
) -> None:
    hidden = await tenant.editor.ingest(corpus, "hidden.txt", "For editors.")
    await tenant.editor.ok("PUT", f"documents/{hidden}/audience", json={"users": [await tenant.user_id("EDITOR")]})
    await tenant.editor.ingest(corpus, "open.txt", "For all.")
    async with opened(address, authorization=tenant.viewer.headers["Authorization"]) as viewer:
        await viewer.subscribe(PROGRESS, corpus=corpus)
        assert (await viewer.data())["ingestProgress"]["name"] == "open.txt"


@pytest.fixture
async def agent(tenant: Tenant, corpus: str) -> str:
    await tenant.editor.ingest(corpus, "lease.md", "The deposit is 800 euros.")
    made = await tenant.editor.create("agents", name="Clerk", key=f"clerk-{new_id()[-8:]}", knowledge=[corpus])
    return str(made["key"])


@pytest.mark.feature("F5")
async def test_an_answer_comes_as_it_is_written(
    line: Socket, deployment: Deployment, editor: Graph, agent: str
) -> None:
    deployment.model.script(Reply("ANSWERABLE: yes\nThe deposit is 800 euros. [1]"))
    await line.subscribe(CHAT, agent=agent, message="How high is the deposit?")
    events = []
    while (message := await line.next())["type"] == "next":
        events.append(message["payload"]["data"]["chat"])
    assert message == {"id": "1", "type": "complete"}
    kinds = [event["__typename"] for event in events]
    assert kinds[:3] == ["ChatSession", "ChatTool", "ChatAnswerable"]
    assert kinds[-3:] == ["ChatSentence", "ChatCitations", "ChatDone"]
    assert "".join(event["text"] for event in events if event["__typename"] == "ChatToken").strip()
    assert events[-3]["citations"] == [{"marker": 1, "documentName": "lease.md"}]
    assert events[-1]["answer"]["answerable"] is True
    assert events[-1]["answer"]["sessionId"] == events[0]["sessionId"]
    saved = await editor.data("query($id: ID!) { session(id: $id) { messageCount } }", id=events[0]["sessionId"])
    assert saved["session"]["messageCount"] == 2


async def test_a_failure_ends_a_chat_with_its_code(line: Socket, agent: str) -> None:
    await line.subscribe(CHAT, agent="nobody", message="Hello?")
    assert (await line.error())["extensions"]["code"] == "not_found"
    await line.subscribe(CHAT, name="2", agent=agent, message=" ")
    assert (await _first_error(line, "2"))["extensions"]["code"] == "invalid_input"


async def test_a_session_that_is_not_there_is_an_error_before_any_event(line: Socket, agent: str) -> None:
    query = 'subscription($agent: String!) { chat(agent: $agent, message: "x", sessionId: "absent") { __typename } }'
    await line.subscribe(query, agent=agent)
    assert (await line.error())["extensions"]["code"] == "not_found"


async def _first_error(line: Socket, name: str) -> dict[str, dict[str, str]]:
    while (message := await line.next())["id"] != name:
        pass
    payload = message["payload"]
    error: dict[str, dict[str, str]] = (payload if message["type"] == "error" else payload["errors"])[0]
    return error


@pytest.mark.parametrize("init", [{}, {"authorization": "Bearer nonsense"}, {"authorization": 7}])
async def test_a_stranger_opens_no_socket(address: str, init: dict[str, object]) -> None:
    async with socket(address) as line:
        await line.send(type="connection_init", payload=init)
        with pytest.raises(ConnectionClosed) as closed:
            await line.next()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403


async def test_the_old_protocol_is_not_spoken(address: str, tenant: Tenant) -> None:
    async with connect(f"ws://{address}/graphql", subprotocols=[Subprotocol("graphql-ws")]) as wire:
        with pytest.raises(ConnectionClosed) as closed:
            await wire.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4406


async def test_nothing_is_subscribed_to_before_the_greeting(address: str, corpus: str) -> None:
    async with socket(address) as line:
        await line.subscribe(PROGRESS, corpus=corpus)
        with pytest.raises(ConnectionClosed) as closed:
            await line.next()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401


async def test_a_browser_comes_by_cookie_from_our_own_pages(
    address: str, deployment: Deployment, tenant: Tenant, corpus: str
) -> None:
    cookie = await _cookie(deployment, tenant.emails["VIEWER"])
    own = {"cookie": cookie, "origin": f"http://{address}"}
    async with opened(address, headers=own) as line:
        await line.subscribe(PROGRESS, corpus="nothing")
        assert (await line.error())["extensions"]["code"] == "not_found"
    with pytest.raises(InvalidStatus) as refused:
        async with opened(address, headers={**own, "origin": "https://evil.example"}):
            pass
    assert refused.value.response.status_code == 403


async def test_a_socket_carries_no_mutation(line: Socket) -> None:
    for number, query in enumerate(('mutation { forget(memory: "x") }', "{ me { orgSlug } }")):
        await line.subscribe(query, name=str(number))
        assert (await _first_error(line, str(number)))["extensions"]["code"] == "invalid_input"


async def test_of_another_organization_nothing_is_heard(
    address: str, tenant: Tenant, other: Tenant, corpus: str
) -> None:
    async with opened(address, authorization=other.owner.headers["Authorization"]) as line:
        await line.subscribe(PROGRESS, corpus=corpus)
        assert (await line.error())["extensions"]["code"] == "not_found"
        await line.subscribe('subscription { ingestProgress(knowledge: "x") { nonsense } }', name="2")
        assert (await _first_error(line, "2"))["extensions"]["code"] == "invalid_input"
    async with opened(address, authorization=other.owner.headers["Authorization"], org=tenant.slug) as line:
        await line.subscribe(PROGRESS, corpus=corpus)
        assert (await line.error())["extensions"]["code"] == "not_found"


async def test_ten_subscriptions_on_a_socket(line: Socket, corpus: str) -> None:
    for number in range(11):
        await line.subscribe(PROGRESS, name=str(number), corpus=corpus)
    message = await line.next()
    assert (message["id"], message["type"]) == ("10", "error")


@pytest.mark.parametrize("how", ["key deleted", "suspended", "signed out"])
async def test_a_revoked_caller_hears_no_more(address: str, tenant: Tenant, corpus: str, how: str) -> None:
    person = await tenant.another("EDITOR")
    authorization, revoke = await _revocable(person, tenant, how)
    async with opened(address, authorization=authorization, org=tenant.slug) as line:
        await line.subscribe(PROGRESS, corpus=corpus)
        await tenant.editor.ingest(corpus, "before.txt", "Heard.")
        await until(line, "COMPLETED", "before.txt")
        await revoke()
        error = await line.error()  # whether or not anything happens in the corpus
        assert error["extensions"]["code"] in {"not_authenticated", "suspended", "access_changed"}
        assert (await line.next())["type"] == "complete"
        await line.subscribe(PROGRESS, name="2", corpus=corpus)
        assert (await _first_error(line, "2"))["extensions"]["code"] in {
            "not_authenticated",
            "suspended",
            "not_allowed",
            "not_found",
        }


class CountedDocuments(Documents):
    """The real store, which counts how often it is asked what changed."""

    def __init__(self, store: Documents) -> None:
        super().__init__(store._database)
        self.asked = 0

    async def changed_since(
        self, scope: Scope, knowledge_id: str, since: datetime | None, limit: int
    ) -> Mapping[str, datetime]:
        self.asked += 1
        return await super().changed_since(scope, knowledge_id, since, limit)


async def test_one_poller_for_all_who_listen(deployment: Deployment, tenant: Tenant, corpus: str) -> None:
    stores = deployment.services.stores
    documents = CountedDocuments(stores.documents)
    app = create_application(replace(deployment.services, stores=replace(stores, documents=documents)))
    began = time.monotonic()
    async with served(app) as address, opened(address, authorization=tenant.editor.headers["Authorization"]) as line:
        for number in range(8):
            await line.subscribe(PROGRESS, name=str(number), corpus=corpus)
        await tenant.editor.ingest(corpus, "a.txt", "One text.")
        heard: set[str] = set()
        while len(heard) < 8:
            message = await line.next()
            if message["payload"]["data"]["ingestProgress"]["status"] == "COMPLETED":
                heard.add(message["id"])
        await asyncio.sleep(3 * POLL_SECONDS)
        polls = (time.monotonic() - began) / POLL_SECONDS
        assert 2 <= documents.asked <= polls + 1  # eight pollers would have asked eight times as often
    after = documents.asked
    await asyncio.sleep(3 * POLL_SECONDS)
    assert documents.asked <= after + 1  # nobody listens, nobody asks


async def _cookie(deployment: Deployment, email: str) -> str:
    async with deployment.client() as client:
        signed_in = await client.post("/api/auth/session", json={"email": email, "password": PASSWORD})
        assert signed_in.status_code == 200, signed_in.text
        return f"matrix_access={signed_in.cookies['matrix_access']}"


async def _revocable(person: Api, tenant: Tenant, how: str):  # type: ignore[no-untyped-def]  # a header, and what revokes it
    if how == "key deleted":
        made = await person.ok("POST", "api-keys", 201, json={"properties": {"name": "Listener", "role": "EDITOR"}})

        async def delete() -> None:
            await person.ok("DELETE", f"api-keys/{made['id']}", 204)

        return f"Bearer {made['secret']}", delete
    if how == "suspended":
        user = (await person.ok("GET", "/api/auth/me"))["user"]["id"]

        async def suspend() -> None:
            await tenant.admin.ok("PATCH", f"users/{user}", json={"properties": {"suspended": True}})

        return person.headers["Authorization"], suspend

    async def sign_out() -> None:
        await person.ok("POST", "/api/auth/logout", 204)

    return person.headers["Authorization"], sign_out
