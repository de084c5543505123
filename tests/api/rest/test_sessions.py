"""Sessions: what they keep of a conversation, and for how long."""

from __future__ import annotations

import pytest

from matrix.graph.database import Database
from tests.api.rest.chats import ALLOWANCE, SAID, UNKNOWN, chat
from tests.support.tenants import Tenant
from tests.wire_servers.script import Reply

pytestmark = pytest.mark.feature("F2", "F6")


async def test_a_session_keeps_its_history(tenant: Tenant, agent: str) -> None:
    model = tenant.deployment.model
    model.script(Reply(SAID), Reply(UNKNOWN))
    first = await chat(tenant, agent, "What is the daily allowance?")
    session = first["sessionId"]
    again = await chat(tenant, agent, "And in Norway?", sessionId=session)
    assert again["sessionId"] == session
    told = [(message.speaker, message.text) for message in model.requests[-1].messages]
    assert ("USER", "What is the daily allowance?") in told and ("ASSISTANT", ALLOWANCE) in told  # without its marker
    kept = (await tenant.viewer.ok("GET", f"sessions/{session}"))["properties"]
    assert kept["messageCount"] == 4 and kept["title"] == "What is the daily allowance?"
    assert kept["agent"] == (await tenant.viewer.ok("GET", f"agents/{agent}"))["id"]
    messages = await tenant.viewer.items(f"messages?session={session}")
    assert [m["properties"]["speaker"] for m in messages] == ["USER", "ASSISTANT", "USER", "ASSISTANT"]
    assert messages[1]["id"] == first["messageId"] and messages[1]["properties"]["answerable"] is True
    page = await tenant.viewer.ok("GET", f"messages?session={session}&limit=3")
    rest = await tenant.viewer.ok("GET", f"messages?session={session}&limit=3&cursor={page['nextCursor']}")
    assert [m["id"] for m in [*page["items"], *rest["items"]]] == [m["id"] for m in messages]


async def test_sessions_are_renamed_listed_and_deleted(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply(SAID))
    answer = await chat(tenant, agent, "What is the allowance?")
    session = answer["sessionId"]
    await tenant.viewer.ok("PATCH", f"sessions/{session}", json={"properties": {"title": "Allowances"}})
    listed = {item["id"]: item["properties"]["title"] for item in await tenant.viewer.items("sessions")}
    assert listed[session] == "Allowances"
    await tenant.viewer.refused("PATCH", f"sessions/{session}", 422, json={"properties": {"messageCount": 0}})
    await tenant.viewer.ok("DELETE", f"sessions/{session}", 204)
    await tenant.viewer.refused("GET", f"sessions/{session}", 404)
    await tenant.viewer.refused("GET", f"messages/{answer['messageId']}", 404)
    left = await tenant.deployment.database.read("MATCH (m) WHERE m.sessionId = $id RETURN m", id=session)
    assert left == []
    body = {"message": "Still there?", "sessionId": session}
    await tenant.viewer.refused("POST", f"agents/{agent}/chat", 404, "not_found", json=body)


async def test_a_citation_outlives_its_document_without_the_quote(tenant: Tenant) -> None:
    await tenant.editor.create("knowledge", name="Short-lived", key="short-lived")
    document = await tenant.editor.ingest("short-lived", "a.md", ALLOWANCE)
    tenant.deployment.model.script(Reply(SAID))
    answer = await tenant.viewer.ok("POST", "knowledge/short-lived/chat", json={"message": "The allowance?"})
    assert answer["citations"][0]["state"] == "CURRENT"
    await tenant.editor.ok("DELETE", f"documents/{document}", 202)
    await tenant.deployment.work_off()
    message = await tenant.viewer.ok("GET", f"messages/{answer['messageId']}")
    assert message["properties"]["text"] == answer["answer"]


async def test_a_session_that_is_not_there(tenant: Tenant, agent: str) -> None:
    for path in (f"agents/{agent}/chat", "knowledge/travel/chat"):
        for stream in (False, True):  # no stream begins that could only tell a failure
            body = {"message": "x", "sessionId": "absent", "stream": stream}
            await tenant.viewer.refused("POST", path, 404, "not_found", json=body)
    for path in ("agents/absent/chat", "knowledge/absent/chat"):
        await tenant.viewer.refused("POST", path, 404, "not_found", json={"message": "x", "stream": True})


async def test_saved_messages_keep_their_citations_and_calls(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply(SAID))
    answer = await chat(tenant, agent, "What is the daily allowance?")
    listed = await tenant.viewer.ok("GET", f"messages?session={answer['sessionId']}")
    asked, said = listed["items"]
    assert asked["properties"]["citations"] == [] and asked["properties"]["speaker"] == "USER"
    assert said["properties"]["citations"] == answer["citations"]
    assert [run["name"] for run in said["properties"]["toolCalls"]] == ["search_knowledge"]
    assert (await tenant.viewer.ok("GET", f"messages/{answer['messageId']}"))["properties"] == said["properties"]
    await tenant.editor.refused("GET", f"messages/{answer['messageId']}", 404, "not_found")


async def test_messages_are_listed_though_a_session_is_gone(tenant: Tenant, agent: str, database: Database) -> None:
    """A session may be deleted between the list of the messages and their citations; here it is gone for good."""
    tenant.deployment.model.script(Reply(SAID), Reply(SAID))
    kept, gone = [await chat(tenant, agent, "What is the daily allowance?") for _ in range(2)]
    await database.write("MATCH (s:Session:Entity {id: $id}) DETACH DELETE s", id=gone["sessionId"])
    listed = {item["id"] for item in await tenant.viewer.items("messages?limit=100")}
    assert kept["messageId"] in listed and gone["messageId"] not in listed
    await tenant.viewer.refused("GET", f"messages/{gone['messageId']}", 404, "not_found")
