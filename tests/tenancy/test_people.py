"""Within one organization: conversations, memories and keys are a person's own, whatever the role of who asks."""

from __future__ import annotations

import pytest

from tests.fakes.language_model import read_by_model
from tests.support.application import Deployment
from tests.support.snapshot import changes, snapshot
from tests.support.stock import ABSENT, SECRET_WORD, Stock
from tests.support.tenants import Api, Json
from tests.wire_servers.script import Reply

pytestmark = pytest.mark.feature("H2", "E9", "F6")
PRIVATE = {"sessions": "session", "messages": "message", "memories": "memory"}
OTHERS = ("EDITOR", "ADMIN", "OWNER", "API key")


def other(stock: Stock, who: str) -> Api:
    return stock.key if who == "API key" else stock.tenant.as_(who)


@pytest.mark.parametrize("who", OTHERS)
@pytest.mark.parametrize("collection", PRIVATE)
async def test_what_is_private_is_absent_for_all_others(
    deployment: Deployment, ours: Stock, collection: str, who: str
) -> None:
    id_, api = ours.ids[PRIVATE[collection]], other(ours, who)
    before = await snapshot(deployment.database)
    assert (await ours.tenant.viewer.ok("GET", f"{collection}/{id_}"))["id"] == id_
    assert await ours.tenant.viewer.items(collection)
    assert await api.items(collection) == []
    assert id_ not in (await api.call("GET", f"{collection}?q={SECRET_WORD}")).text
    calls: list[tuple[str, Json]] = [("GET", {}), ("DELETE", {}), ("PATCH", {"json": {"properties": {}}})]
    for method, body in calls:
        got = await api.call(method, f"{collection}/{id_}", **body)
        nothing = await api.call(method, f"{collection}/{ABSENT}", **body)
        assert (got.status_code, got.text.replace(id_, "…")) == (nothing.status_code, nothing.text.replace(ABSENT, "…"))
        assert got.status_code in {404, 405}
    assert not changes(before, await snapshot(deployment.database))


@pytest.mark.parametrize("who", OTHERS)
async def test_lists_of_a_private_parent_are_empty(ours: Stock, who: str) -> None:
    api = other(ours, who)
    assert await api.items(f"messages?session={ours.ids['session']}") == []
    assert ours.ids["session"] not in (await api.call("GET", "sessions?limit=100")).text
    assert await ours.tenant.viewer.items(f"messages?session={ours.ids['session']}")


@pytest.mark.parametrize("who", OTHERS)
async def test_nobody_goes_on_with_or_stops_anothers_session(deployment: Deployment, ours: Stock, who: str) -> None:
    api, before = other(ours, who), await snapshot(deployment.database)
    for path in (f"agents/{ours.ids['agent']}/chat", f"knowledge/{ours.ids['knowledge']}/chat"):
        for session in (ours.ids["session"], ABSENT):
            await api.refused("POST", path, 404, "not_found", json={"message": "?", "sessionId": session})
    for session in (ours.ids["session"], ABSENT):
        await api.refused("POST", f"sessions/{session}/stop", 404, "not_found")
    assert not changes(before, await snapshot(deployment.database))


async def test_memories_are_recalled_for_their_person_alone(deployment: Deployment, ours: Stock) -> None:
    tenant = ours.tenant
    recall = {item["key"]: item["id"] for item in await tenant.viewer.items("tools")}["recall"]
    friend = next(item for item in await tenant.viewer.items("agents") if item["properties"]["name"] == "Friend")
    await tenant.editor.ok("PATCH", f"agents/{friend['id']}", json={"properties": {"tools": [recall]}})
    for api, knows in ((tenant.viewer, True), (tenant.owner, False)):
        deployment.model.script(Reply("ANSWERABLE: no\n"))
        question = {"message": f"What is my word, the {SECRET_WORD}?"}
        await api.ok("POST", f"agents/{friend['id']}/chat", json=question)
        assert (f"- my word is {SECRET_WORD}" in read_by_model(deployment.model.requests[-1])) is knows


async def test_keys_of_others_are_seen_by_administrators_alone_and_never_their_secret(ours: Stock) -> None:
    id_ = ours.ids["api key"]
    await ours.tenant.editor.refused("GET", f"api-keys/{id_}", 404, "not_found")
    await ours.tenant.editor.refused("DELETE", f"api-keys/{id_}", 404, "not_found")
    assert await ours.tenant.editor.items("api-keys") == []
    for api in (ours.tenant.viewer, ours.tenant.admin):
        shown = await api.ok("GET", f"api-keys/{id_}")
        assert "secret" not in shown and not {"secretHash", "secret"} & shown["properties"].keys()
