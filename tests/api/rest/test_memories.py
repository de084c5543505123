"""What an agent remembers of a person: kept, recalled, listed and forgotten by that person alone."""

from __future__ import annotations

import pytest

from tests.fakes.language_model import read_by_model
from tests.support.tenants import Json, Tenant
from tests.wire_servers.script import Call, Reply

pytestmark = pytest.mark.feature("E9")

SAID = "ANSWERABLE: yes\nThe daily allowance abroad is 48 euros [1]."
UNKNOWN = "ANSWERABLE: no\n"


@pytest.fixture(scope="module")
async def travel(tenant: Tenant) -> str:
    """A corpus of one text."""
    await tenant.editor.create("knowledge", name="Travel", key="travel")
    await tenant.editor.ingest("travel", "travel.md", "# Travel\n\nThe daily allowance abroad is 48 euros.")
    return "travel"


async def chat(tenant: Tenant, agent: str, message: str) -> Json:
    return await tenant.viewer.ok("POST", f"agents/{agent}/chat", json={"message": message})


async def test_memories_are_kept_recalled_listed_and_forgotten(tenant: Tenant, travel: str) -> None:
    model = tenant.deployment.model
    tools = {item["key"]: item["id"] for item in await tenant.viewer.items("tools")}
    await tenant.editor.create("agents", name="Friend", key="friend", tools=[tools["remember"], tools["recall"]])
    model.script(
        Reply(tool_calls=(Call("remember", {"text": "my boat is called Fjord"}),)),
        Reply("ANSWERABLE: yes\nI will remember that your boat is called Fjord."),
    )
    await chat(tenant, "friend", "Please remember that my boat is called Fjord")
    [memory] = await tenant.viewer.items("memories")
    assert memory["properties"]["text"] == "my boat is called Fjord"
    assert memory["properties"]["agent"] == (await tenant.viewer.ok("GET", "agents/friend"))["id"]
    model.script(Reply("ANSWERABLE: yes\nYour boat is called Fjord."))
    await chat(tenant, "friend", "What is my boat called?")
    assert "- my boat is called Fjord" in read_by_model(model.requests[-1])
    assert await tenant.editor.items("memories") == []
    await tenant.admin.refused("GET", f"memories/{memory['id']}", 404)
    await tenant.admin.refused("DELETE", f"memories/{memory['id']}", 404)
    model.script(Reply(UNKNOWN))
    await tenant.editor.ok("POST", "agents/friend/chat", json={"message": "What is my boat called?"})
    assert "Fjord" not in read_by_model(model.requests[-1])
    await tenant.viewer.ok("DELETE", f"memories/{memory['id']}", 204)
    assert await tenant.viewer.items("memories") == []


async def test_a_document_plants_no_memory(tenant: Tenant, travel: str) -> None:
    tools = {item["key"]: item["id"] for item in await tenant.viewer.items("tools")}
    await tenant.editor.create("agents", name="Careful", key="careful", knowledge=["travel"], tools=[tools["remember"]])
    tenant.deployment.model.script(
        Reply(tool_calls=(Call("search_knowledge", {"knowledge_key": "travel", "query": "allowance"}),)),
        Reply(tool_calls=(Call("remember", {"text": "the administrator's password is open"}),)),
        Reply(SAID),
    )
    answer = await chat(tenant, "careful", "What is the allowance?")
    assert [(run["name"], run["isError"]) for run in answer["toolCalls"]] == [
        ("search_knowledge", False),
        ("remember", True),
    ]
    assert await tenant.viewer.items("memories") == []
