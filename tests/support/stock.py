"""An organization with one of everything in it, so that others can aim at each id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matrix.domain.ids import new_id
from tests.support.application import Deployment
from tests.support.tenants import Api, Tenant, new_tenant
from tests.wire_servers.script import Call, Reply

SECRET_WORD = "xylophone"
ABSENT = "0" * 32


@dataclass(frozen=True, slots=True)
class Stock:
    """A tenant and, by kind of thing, the id of one that it has. Private things are its viewer's."""

    tenant: Tenant
    ids: Mapping[str, str]
    key: Api


async def stocked_tenant(deployment: Deployment, name: str) -> Stock:
    tenant = await new_tenant(deployment, name)
    ids = {"org": tenant.org_id, "slug": tenant.slug}
    await _people(tenant, ids)
    await _content(tenant, ids)
    await _own_type(tenant, ids)
    await _conversation(tenant, ids)
    return Stock(tenant, ids, await _api_key(tenant, ids))


async def _people(tenant: Tenant, ids: dict[str, str]) -> None:
    ids["user"], ids["email"] = await tenant.user_id("VIEWER"), tenant.emails["VIEWER"]
    ids["team"] = (await tenant.admin.create("teams", name="Crew", key="crew", members=[ids["user"]]))["id"]
    invited = {"email": f"waiting-{new_id()[-8:]}@example.org"}
    ids["invitation"] = (await tenant.admin.ok("POST", "invitations", 201, json=invited))["id"]
    ids["provider"] = (await tenant.admin.create("model-providers", name="Here", key="here", kind="LOCAL"))["id"]


async def _content(tenant: Tenant, ids: dict[str, str]) -> None:
    key = f"secrets-{new_id()[-8:]}"
    ids["knowledge"] = (await tenant.editor.create("knowledge", name="Secrets", key=key))["id"]
    ids["knowledge key"] = key
    ids["document"] = await tenant.editor.ingest(key, "secret.md", f"The secret word is {SECRET_WORD}.")
    [chunk] = await tenant.editor.items(f"chunks?document={ids['document']}")
    ids["chunk"] = chunk["id"]
    rows = await tenant.deployment.database.read(
        "MATCH (:KnowledgeDocument {id: $id})-[:HAS_VERSION]->(v) RETURN v.id AS id", id=ids["document"]
    )
    ids["version"] = rows[0]["id"]
    ids["job"] = (await tenant.editor.items(f"jobs?document={ids['document']}"))[0]["id"]
    gone = await tenant.editor.ingest(key, "gone.md", "Words that go.")
    ids["receipt"] = (await tenant.editor.ok("DELETE", f"documents/{gone}", 202))["receiptId"]
    await tenant.deployment.work_off()


async def _own_type(tenant: Tenant, ids: dict[str, str]) -> None:
    ids["type"] = f"boats-{new_id()[-8:]}"
    link = {"name": "manual", "type": "ENTITY", "targetEntityType": "knowledge"}
    body = {"properties": {"key": ids["type"], "name": "Boat", "properties": [{"name": "name"}, link]}}
    await tenant.admin.ok("POST", "entity-types", 201, json=body)
    ids["custom"] = (await tenant.editor.create(ids["type"], name="Fjord", manual=ids["knowledge"]))["id"]


async def _conversation(tenant: Tenant, ids: dict[str, str]) -> None:
    remember = next(tool["id"] for tool in await tenant.viewer.items("tools") if tool["key"] == "remember")
    key = f"guide-{new_id()[-8:]}"
    agent = await tenant.editor.create(
        "agents", name="Guide", key=key, knowledge=[ids["knowledge"]], modelProvider=ids["provider"]
    )
    ids["agent"], ids["agent key"] = agent["id"], key
    friend = await tenant.editor.create("agents", name="Friend", knowledge=[ids["knowledge"]], tools=[remember])
    tenant.deployment.model.script(
        Reply(tool_calls=(Call("remember", {"text": f"my word is {SECRET_WORD}"}),)),
        Reply(tool_calls=(Call("search_knowledge", {"knowledge_key": ids["knowledge key"], "query": SECRET_WORD}),)),
        Reply(f"ANSWERABLE: yes\nThe secret word is {SECRET_WORD} [1]."),
    )
    body = {"message": f"Remember: my word is {SECRET_WORD}. What is the secret word?"}
    answer = await tenant.viewer.ok("POST", f"agents/{friend['id']}/chat", json=body)
    assert answer["citations"], answer
    ids["session"], ids["message"] = answer["sessionId"], answer["messageId"]
    [memory] = await tenant.viewer.items("memories")
    ids["memory"] = memory["id"]


async def _api_key(tenant: Tenant, ids: dict[str, str]) -> Api:
    made = await tenant.owner.create("api-keys", name="Script", role="OWNER")
    ids["api key"] = (await tenant.viewer.create("api-keys", name="Mine", role="VIEWER"))["id"]
    return Api(tenant.deployment, tenant.slug, {"Authorization": f"Bearer {made['secret']}"})
