"""Chat over HTTP: JSON and server-sent events, with a scripted model and with the local answerer; Stop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.api.rest.chats import ALLOWANCE, SAID, UNKNOWN, chat, events
from tests.support.tenants import Json, Tenant
from tests.wire_servers.script import Call, Fault, Reply

pytestmark = pytest.mark.feature("E1", "E2", "F1", "F2", "F4", "F5", "F6", "F9")


async def test_a_cited_answer(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply(SAID))
    answer = await chat(tenant, agent, "What is the daily allowance?")
    assert set(answer) == {"sessionId", "messageId", "answer", "answerable", "complete"} | {
        "documentsBeingRead",
        "citations",
        "toolCalls",
        "usage",
    }
    assert answer["answerable"] is True and "48 euros" in answer["answer"]
    [citation] = answer["citations"]
    assert citation["marker"] == 1 and citation["documentName"] == "travel.md" and citation["quote"] == ALLOWANCE
    parsed = await tenant.viewer.ok("GET", f"documents/{citation['documentId']}/text")
    assert parsed["text"][citation["start"] : citation["end"]] == citation["quote"]
    assert (await tenant.viewer.ok("GET", f"chunks/{citation['chunkId']}"))["id"] == citation["chunkId"]
    assert [run["name"] for run in answer["toolCalls"]] == ["search_knowledge"]
    assert answer["usage"] == {"inputTokens": 7, "outputTokens": 3}


async def test_a_refusal_tells_of_documents_that_are_still_being_read(tenant: Tenant, agent: str) -> None:
    corpus = (await tenant.editor.create("knowledge", name="Slow", key="slow"))["key"]
    sent = await tenant.editor.send(corpus, [("late.md", b"# Late\n\nThe late word.")])
    tenant.deployment.model.script(Reply(UNKNOWN), Reply(UNKNOWN), Reply(SAID))
    for path, waiting in ((f"knowledge/{corpus}/chat", 1), (f"agents/{agent}/chat", 0)):
        answer = await tenant.viewer.ok("POST", path, json={"message": "What is late?"})
        assert (answer["answerable"], answer["documentsBeingRead"]) == (False, waiting)
    await tenant.deployment.work_off()
    assert (await tenant.viewer.ok("GET", f"documents/{sent[0]['id']}"))["properties"]["status"] == "COMPLETED"
    answer = await tenant.viewer.ok("POST", f"knowledge/{corpus}/chat", json={"message": "What is late?"})
    assert answer["documentsBeingRead"] == 0


async def test_what_was_not_retrieved_is_not_cited(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply("ANSWERABLE: yes\nThe moon is made of cheese [7]."))
    answer = await chat(tenant, agent, "What is the moon made of?")
    assert answer["answerable"] is False and answer["citations"] == [] and answer["answer"] == "Not in my papers."


async def test_no_answer_is_the_agents_sentence(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply(UNKNOWN))
    answer = await chat(tenant, agent, "Who won in 1998?")
    assert (answer["answerable"], answer["answer"], answer["citations"]) == (False, "Not in my papers.", [])


async def test_events_come_in_order(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply(SAID))
    seen = await events(tenant, f"agents/{agent}/chat", message="What is the daily allowance?")
    names = [name for name, _ in seen]
    assert names[0] == "session" and names[1] == "tool" and names[2] == "answerable"
    assert names[-3:] == ["sentence", "citations", "done"] and set(names[3:-3]) == {"token"}
    tokens = "".join(data["text"] for name, data in seen if name == "token")
    assert "48 euros" in tokens and "ANSWERABLE" not in tokens
    data = dict(seen)
    assert data["answerable"] == {"answerable": True}
    assert data["sentence"]["citations"] == data["citations"]["citations"] == data["done"]["citations"]
    assert data["session"]["sessionId"] == data["done"]["sessionId"]


async def test_a_failing_model_ends_with_an_error(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Fault(400, "no such model"))
    seen = await events(tenant, f"agents/{agent}/chat", message="What is the daily allowance?")
    assert seen[-1][0] == "error" and seen[-1][1]["code"] == "provider_refused" and seen[-1][1]["advice"]
    tenant.deployment.model.script(Fault(400, "no such model"))
    await tenant.viewer.refused("POST", f"agents/{agent}/chat", 502, "provider_refused", json={"message": "And now?"})
    tenant.deployment.model.script(Reply(SAID, cut_after=3))
    answer = await tenant.viewer.call("POST", f"agents/{agent}/chat", json={"message": "And now?"})
    assert (
        answer.status_code == 503 and answer.headers["retry-after"] and answer.json()["code"] == "provider_unavailable"
    )


@pytest.mark.parametrize("stream", [False, True])
async def test_a_corpus_answers_without_an_agent(tenant: Tenant, agent: str, stream: bool) -> None:
    tenant.deployment.model.script(Reply(SAID))
    if stream:
        answer = dict(await events(tenant, "knowledge/travel/chat", message="What is the daily allowance?"))["done"]
    else:
        answer = await tenant.viewer.ok("POST", "knowledge/travel/chat", json={"message": "The daily allowance?"})
    assert answer["answerable"] and answer["citations"][0]["documentName"] == "travel.md"
    session = await tenant.viewer.ok("GET", f"sessions/{answer['sessionId']}")
    assert session["properties"]["knowledge"] == (await tenant.viewer.ok("GET", "knowledge/travel"))["id"]


async def test_the_local_answerer_cites(tenant: Tenant, local_agent: str) -> None:
    answer = await chat(tenant, local_agent, "What is the daily allowance abroad?")
    assert answer["answerable"] and "48" in answer["answer"] and answer["citations"][0]["documentName"] == "travel.md"
    names = [name for name, _ in await events(tenant, f"agents/{local_agent}/chat", message="The daily allowance?")]
    assert names[0] == "session" and names[-1] == "done" and "answerable" in names


async def test_the_model_chooses_among_several_corpora(tenant: Tenant, agent: str) -> None:
    await tenant.editor.create("knowledge", name="Prices", key="prices")
    await tenant.editor.ingest("prices", "prices.md", "A Fjord 12 costs 189 euros.")
    await tenant.editor.create("agents", name="Both", key="both", knowledge=["travel", "prices"])
    model = tenant.deployment.model
    model.script(
        Reply(tool_calls=(Call("search_knowledge", {"knowledge_key": "travel", "query": "Fjord"}),)),
        Reply(tool_calls=(Call("search_knowledge", {"knowledge_key": "prices", "query": "Fjord"}),)),
        Reply("ANSWERABLE: yes\nA Fjord 12 costs 189 euros [2]."),
    )
    before = len(model.requests)
    answer = await chat(tenant, "both", "What does a Fjord 12 cost?")
    assert [run["arguments"]["knowledge_key"] for run in answer["toolCalls"]] == ["travel", "prices"]
    assert answer["citations"][0]["documentName"] == "prices.md"
    [tool] = model.requests[before].tools
    assert "travel: Travel" in tool.description and "prices: Prices" in tool.description
    assert model.requests[before].forced_tool == "search_knowledge"


async def test_attach_and_detach(tenant: Tenant, agent: str) -> None:
    await tenant.editor.create("agents", name="Bare", key="bare")
    await tenant.viewer.refused("PUT", "agents/bare/knowledge/travel", 403, "not_allowed")
    for path in ("agents/absent/knowledge/travel", "agents/bare/knowledge/absent"):
        await tenant.editor.refused("PUT", path, 404, "not_found")
        await tenant.editor.refused("DELETE", path, 404, "not_found")
    await tenant.viewer.refused("PUT", "agents/absent/knowledge/travel", 404, "not_found")
    await tenant.editor.refused("DELETE", "agents/bare/knowledge/travel", 404, "not_found")
    for _ in range(2):
        await tenant.editor.ok("PUT", "agents/bare/knowledge/travel", 204)
    travel = (await tenant.viewer.ok("GET", "knowledge/travel"))["id"]
    assert (await tenant.viewer.ok("GET", "agents/bare"))["properties"]["knowledge"] == [travel]
    await tenant.editor.ok("DELETE", "agents/bare/knowledge/travel", 204)
    assert (await tenant.viewer.ok("GET", "agents/bare"))["properties"]["knowledge"] == []


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("message", {}),
        ("message", {"message": ""}),
        ("message", {"message": " \n "}),
        ("message", {"message": "x" * 8001}),
        ("message", {"message": ["a"]}),
        ("sessionId", {"message": "x", "sessionId": 5}),
        ("session_id", {"message": "x", "session_id": "y"}),
        ("stream", {"message": "x", "stream": "perhaps"}),
        ("model", {"message": "x", "model": "other"}),
    ],
)
async def test_what_is_wrong_is_named(tenant: Tenant, agent: str, field: str, body: Json) -> None:
    for path in (f"agents/{agent}/chat", "knowledge/travel/chat"):
        assert (await tenant.viewer.refused("POST", path, 422, json=body))["field"] == field


@pytest.mark.parametrize("stream", [False, True])
async def test_an_agent_whose_model_has_no_key(tenant: Tenant, stream: bool) -> None:
    provider = await tenant.admin.create("model-providers", name="No key", kind="GEMINI")
    made = await tenant.editor.create("agents", name="Mute", modelProvider=provider["id"])
    body = {"message": "x", "stream": stream}
    await tenant.viewer.refused("POST", f"agents/{made['id']}/chat", 502, "provider_refused", json=body)


async def test_stop_ends_the_turn_and_saves_nothing(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply(SAID))
    session = (await chat(tenant, agent, "What is the allowance?"))["sessionId"]
    with tenant.deployment.model.holding() as held:
        asking = asyncio.create_task(events(tenant, f"agents/{agent}/chat", message="More?", sessionId=session))
        await asyncio.wait_for(held.reached.wait(), 20)
        other = await tenant.another("ADMIN")
        await other.refused("POST", f"sessions/{session}/stop", 404, "not_found")
        await tenant.viewer.ok("POST", f"sessions/{session}/stop", 204)
        seen = await asking
    assert seen[-1][0] == "error" and seen[-1][1]["code"] == "stopped"
    assert (await tenant.viewer.ok("GET", f"sessions/{session}"))["properties"]["messageCount"] == 2
    await tenant.viewer.refused("POST", f"sessions/{session}/stop", 404, "not_found")


async def test_a_cut_connection_leaves_the_answer_to_be_read(tenant: Tenant, agent: str) -> None:
    model = tenant.deployment.model
    model.script(Reply(SAID))
    session = (await chat(tenant, agent, "What is the allowance?"))["sessionId"]
    with model.holding() as held:
        model.script(Reply(SAID))
        asking = asyncio.create_task(events(tenant, f"agents/{agent}/chat", message="More?", sessionId=session))
        await asyncio.wait_for(held.reached.wait(), 20)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    await until(lambda: messages_of(tenant, session), 4)


async def messages_of(tenant: Tenant, session: str) -> int:
    return int((await tenant.viewer.ok("GET", f"sessions/{session}"))["properties"]["messageCount"])


async def until(read: Any, wanted: int) -> None:
    """Waits for a turn that goes on in the background."""
    async with asyncio.timeout(30):
        while await read() != wanted:  # noqa: ASYNC110  # the turn has no listener any more
            await asyncio.sleep(0.05)


async def test_an_answer_that_the_models_limit_cut_off_says_so(tenant: Tenant, agent: str) -> None:
    tenant.deployment.model.script(Reply(f"{SAID} It also covers", finish="length"))
    assert (await chat(tenant, agent, "What is the daily allowance?"))["complete"] is False
    tenant.deployment.model.script(Reply(SAID))
    assert (await chat(tenant, agent, "What is the daily allowance?"))["complete"] is True
