"""Every operation of the schema, tried by every role of another organization on what is not theirs: the same answer as
for what does not exist, nothing shown, nothing changed. A new operation fails here until it says what it would be tried
on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from graphql import GraphQLObjectType, GraphQLSchema, build_schema

from matrix.api.graphql.sdl import schema_text
from matrix.domain.ids import new_id
from matrix.graph.database import Database
from matrix.graph.entities.type_files import read_entity_types
from tests.api.auth.world import ROLES
from tests.api.graphql.calls import Graph, Json, graph_of
from tests.support.application import Deployment
from tests.support.tenants import Tenant
from tests.wire_servers.script import Reply

pytestmark = pytest.mark.feature("A5", "H1")

CANARY = "canary"
SCHEMA: GraphQLSchema = build_schema(schema_text(read_entity_types()))

# Root field -> how it is called with the ids of another organization (`%(name)s`), and what it selects.
# LIST: it names nothing; it must just not show anything of the others.
LIST = "list"
OPERATIONS: Mapping[str, str] = {
    # queries
    "Query.agent": 'agent(key: "%(agents)s") { id }',
    "Query.agents": LIST,
    "Query.apiKey": 'apiKey(id: "%(api-keys)s") { id }',
    "Query.apiKeys": LIST,
    "Query.chunk": 'chunk(id: "%(chunks)s") { text }',
    "Query.chunks": LIST,
    "Query.document": 'document(id: "%(documents)s") { name }',
    "Query.documents": LIST,
    "Query.entities": LIST,
    "Query.entity": 'entity(id: "%(knowledge)s") { properties }',
    "Query.entityType": 'entityType(key: "%(own-type)s") { name }',
    "Query.entityTypes": LIST,
    "Query.invitations": LIST,
    "Query.job": 'job(id: "%(jobs)s") { state }',
    "Query.jobs": LIST,
    "Query.knowledge": 'knowledge(key: "%(knowledge)s") { name }',
    "Query.knowledges": LIST,
    "Query.me": LIST,
    "Query.memories": LIST,
    "Query.memory": 'memory(id: "%(memories)s") { text }',
    "Query.message": 'message(id: "%(messages)s") { text }',
    "Query.messages": LIST,
    "Query.modelProvider": 'modelProvider(key: "%(model-providers)s") { name }',
    "Query.modelProviders": LIST,
    "Query.organization": LIST,
    "Query.organizations": LIST,
    "Query.receipt": 'receipt(id: "%(receipts)s") { counts }',
    "Query.search": 'search(knowledgeKeys: ["%(knowledge)s"], query: "canary") { hits { text } }',
    "Query.session": 'session(id: "%(sessions)s") { title }',
    "Query.sessions": LIST,
    "Query.team": 'team(key: "%(teams)s") { name }',
    "Query.teams": LIST,
    "Query.tool": LIST,
    "Query.tools": LIST,
    "Query.user": 'user(id: "%(users)s") { email }',
    "Query.users": LIST,
    # mutations
    "Mutation.addText": 'addText(knowledge: "%(knowledge)s", title: "x", text: "y") { id }',
    "Mutation.ask": 'ask(agent: "%(agents)s", message: "x") { answer }',
    "Mutation.askKnowledge": 'askKnowledge(knowledge: "%(knowledge)s", message: "x") { answer }',
    "Mutation.attachKnowledge": 'attachKnowledge(agent: "%(own-agent)s", knowledge: "%(knowledge)s") { id }',
    "Mutation.cancelDocument": 'cancelDocument(id: "%(documents)s") { id }',
    "Mutation.createAgent": 'createAgent(input: {name: "x", knowledge: ["%(knowledge)s"]}) { id }',
    "Mutation.createApiKey": LIST,
    "Mutation.createEntity": 'createEntity(entityType: "%(own-type)s", properties: {name: "x"}) { id }',
    "Mutation.createEntityType": LIST,
    "Mutation.createInvitation": LIST,
    "Mutation.createKnowledge": LIST,
    "Mutation.createModelProvider": LIST,
    "Mutation.createOrganization": LIST,
    "Mutation.createTeam": 'createTeam(input: {name: "x", members: ["%(users)s"]}) { id }',
    "Mutation.createUpload": 'createUpload(knowledge: "%(knowledge)s") { url }',
    "Mutation.deleteAgent": 'deleteAgent(key: "%(agents)s")',
    "Mutation.deleteApiKey": 'deleteApiKey(id: "%(api-keys)s")',
    "Mutation.deleteDocument": 'deleteDocument(id: "%(documents)s", dryRun: true) { preview { chunks } }',
    "Mutation.deleteEntity": 'deleteEntity(entityType: "agents", key: "%(agents)s")',
    "Mutation.deleteKnowledge": 'deleteKnowledge(key: "%(knowledge)s") { receiptId }',
    "Mutation.deleteMemory": 'deleteMemory(id: "%(memories)s")',
    "Mutation.deleteModelProvider": 'deleteModelProvider(key: "%(model-providers)s")',
    "Mutation.deleteOrganization": LIST,
    "Mutation.deleteSession": 'deleteSession(id: "%(sessions)s")',
    "Mutation.deleteTeam": 'deleteTeam(key: "%(teams)s")',
    "Mutation.deleteUser": 'deleteUser(id: "%(users)s")',
    "Mutation.detachKnowledge": 'detachKnowledge(agent: "%(agents)s", knowledge: "%(knowledge)s") { id }',
    "Mutation.forget": 'forget(memory: "%(memories)s")',
    "Mutation.remember": 'remember(agent: "%(agents)s", text: "x") { id }',
    "Mutation.renameDocument": 'renameDocument(id: "%(documents)s", name: "x") { id }',
    "Mutation.reprocessDocument": 'reprocessDocument(id: "%(documents)s") { id }',
    "Mutation.resetPassword": 'resetPassword(user: "%(users)s") { url }',
    "Mutation.retryDocument": 'retryDocument(id: "%(documents)s") { id }',
    "Mutation.revokeInvitation": 'revokeInvitation(id: "%(invitations)s")',
    "Mutation.setDocumentAudience": 'setDocumentAudience(id: "%(documents)s", everyone: true) { audienceId }',
    "Mutation.stopAnswer": 'stopAnswer(sessionId: "%(sessions)s")',
    "Mutation.testModelProvider": 'testModelProvider(key: "%(model-providers)s") { ok }',
    "Mutation.updateAgent": 'updateAgent(key: "%(agents)s", input: {name: "x"}) { id }',
    "Mutation.updateDocument": 'updateDocument(id: "%(documents)s", input: {tags: ["x"]}) { id }',
    "Mutation.updateEntity": 'updateEntity(entityType: "agents", key: "%(agents)s", properties: {name: "x"}) { id }',
    "Mutation.updateEntityType": 'updateEntityType(key: "%(own-type)s", input: {name: "x"}) { key }',
    "Mutation.updateKnowledge": 'updateKnowledge(key: "%(knowledge)s", input: {name: "x"}) { id }',
    "Mutation.updateModelProvider": 'updateModelProvider(key: "%(model-providers)s", input: {name: "x"}) { id }',
    "Mutation.updateOrganization": LIST,
    "Mutation.updateSession": 'updateSession(id: "%(sessions)s", input: {title: "x"}) { id }',
    "Mutation.updateTeam": 'updateTeam(key: "%(teams)s", input: {name: "x"}) { id }',
    "Mutation.updateUser": 'updateUser(id: "%(users)s", input: {suspended: true}) { id }',
    # over a socket: tests/api/graphql/test_subscriptions.py
    "Subscription.chat": LIST,
    "Subscription.chatKnowledge": LIST,
    "Subscription.ingestProgress": LIST,
}
# What a role is refused before it is looked who is meant: the same for what is theirs.
REFUSED = {"not_found", "not_allowed", "invalid_input"}


@dataclass(frozen=True, slots=True)
class Theirs:
    """Ids of one organization's everything, and a graph of another's for each role."""

    ids: Mapping[str, str]
    strangers: Mapping[str, Graph]


@pytest.fixture(scope="module")
async def theirs(deployment: Deployment, tenant: Tenant, other: Tenant) -> Theirs:
    ids = await everything(deployment, tenant)
    agent = (await other.editor.create("agents", name="Mine"))["id"]
    strangers = {role: graph_of(other.as_(role)) for role in ROLES}
    return Theirs({**ids, "own-agent": agent}, strangers)


async def everything(deployment: Deployment, tenant: Tenant) -> dict[str, str]:
    """One entity of every type, each with the canary in what it says."""
    owner = graph_of(tenant.owner)
    corpus = await tenant.owner.create("knowledge", name=CANARY, key=f"{CANARY}-{new_id()[-8:]}")
    document = await tenant.owner.ingest(corpus["key"], f"{CANARY}.md", f"The {CANARY} sings.")
    gone = await tenant.owner.ingest(corpus["key"], "gone.md", "Gone.")
    receipt = (await tenant.owner.ok("DELETE", f"documents/{gone}", 202))["receiptId"]
    agent = await tenant.owner.create("agents", name=CANARY, key=f"{CANARY}-{new_id()[-8:]}", knowledge=[corpus["id"]])
    deployment.model.script(Reply(f"ANSWERABLE: yes\nThe {CANARY} sings. [1]"))
    answer = await tenant.owner.ok("POST", f"agents/{agent['key']}/chat", json={"message": f"Who is the {CANARY}?"})
    memory = await owner.data(f'mutation {{ remember(agent: "{agent["id"]}", text: "Likes the {CANARY}.") {{ id }} }}')
    invited = await tenant.owner.ok("POST", "invitations", 201, json={"email": f"{CANARY}-{new_id()[-8:]}@example.org"})
    own = f"{CANARY}-{new_id()[-8:]}"
    await owner.data(
        "mutation($input: CreateEntityTypeInput!) { createEntityType(input: $input) { key } }",
        input={"key": own, "name": CANARY, "properties": [{"name": "name"}]},
    )
    return {
        "knowledge": corpus["id"],
        "documents": document,
        "chunks": (await tenant.owner.items(f"chunks?document={document}"))[0]["id"],
        "jobs": (await tenant.owner.items("jobs"))[0]["id"],
        "agents": agent["id"],
        "sessions": answer["sessionId"],
        "messages": answer["messageId"],
        "memories": memory["remember"]["id"],
        "teams": (await tenant.owner.create("teams", name=CANARY, key=f"{CANARY}-{new_id()[-8:]}"))["id"],
        "model-providers": (await tenant.owner.create("model-providers", name=CANARY, kind="LOCAL"))["id"],
        "api-keys": (await tenant.owner.create("api-keys", name=CANARY))["id"],
        "users": await tenant.user_id("VIEWER"),
        "receipts": receipt,
        "invitations": invited["id"],
        "own-type": own,
    }


async def contents(database: Database, org_id: str) -> list[Json]:
    """All that an organization has in the graph, relationships included."""
    return await database.read(
        "MATCH (n:Entity) WHERE n.orgId = $org OR n.id = $org "
        "OPTIONAL MATCH (n)-[r]-(m) WITH n, type(r) AS kind, properties(r) AS said, m.id AS at ORDER BY kind, at "
        "RETURN n.id AS id, properties(n) AS properties, collect([kind, said, at]) AS links ORDER BY id",
        org=org_id,
    )


def test_every_operation_is_tried() -> None:
    fields = {
        f"{kind.name}.{name}"
        for kind in (SCHEMA.query_type, SCHEMA.mutation_type, SCHEMA.subscription_type)
        if isinstance(kind, GraphQLObjectType)
        for name in kind.fields
    }
    assert fields - OPERATIONS.keys() == set(), "Operations that are not tried on another organization"
    assert OPERATIONS.keys() - fields == set(), "Operations that are gone"


async def test_nothing_of_others_is_reached_or_changed(database: Database, theirs: Theirs, tenant: Tenant) -> None:
    before = await contents(database, tenant.org_id)
    assert len(before) > 15
    for role, stranger in theirs.strangers.items():
        for name, call in OPERATIONS.items():
            if call is LIST:
                continue
            kind = name.partition(".")[0].lower()
            body = await stranger.run(f"{kind} {{ {call % theirs.ids} }}")
            errors: list[Any] = body.get("errors") or []
            assert errors, f"{role} reached {name}: {body}"
            assert errors[0]["extensions"]["code"] in REFUSED, f"{role} {name}: {errors}"
            if role == "OWNER":
                assert errors[0]["extensions"]["code"] in {"not_found", "invalid_input"}, f"{name}: {errors}"
            nothing = {**dict.fromkeys(theirs.ids, "0" * 32), "own-agent": theirs.ids["own-agent"]}
            absent = await stranger.run(f"{kind} {{ {call % nothing} }}")
            assert _wordless(errors, theirs.ids) == _wordless(absent["errors"], theirs.ids), name
    assert await contents(database, tenant.org_id) == before


def _wordless(errors: list[Any], ids: Mapping[str, str]) -> str:
    """The errors without the ids in them."""
    text = str([{"message": error["message"], "code": error["extensions"]["code"]} for error in errors])
    for known in [*ids.values(), "0" * 32]:
        text = text.replace(known, "…")
    return text


LISTS = (
    "agents { edges { node { name properties } } }",
    "apiKeys { edges { node { name } } }",
    "chunks { edges { node { text } } }",
    "documents { edges { node { name } } }",
    'entities(entityType: "knowledge") { edges { node { properties } } }',
    "entityTypes(first: 100) { edges { node { name key } } }",
    "invitations { email }",
    "jobs { edges { node { id } } }",
    "knowledges { edges { node { name } } }",
    "me { user { email } memberships { orgSlug } }",
    "memories { edges { node { text } } }",
    "messages { edges { node { text } } }",
    "modelProviders { edges { node { name } } }",
    "organization { slug }",
    "organizations { edges { node { slug } } }",
    "sessions { edges { node { title } } }",
    "teams { edges { node { name } } }",
    "tools { edges { node { name } } }",
    "users { edges { node { email } } }",
)


async def test_no_list_shows_anything_of_others(theirs: Theirs, tenant: Tenant) -> None:
    owner, shown_to_owner = graph_of(tenant.owner), 0
    hidden = [known for name, known in theirs.ids.items() if name != "own-agent"]
    for field in LISTS:
        for role, stranger in theirs.strangers.items():
            body = await stranger.run(f"{{ {field} }}")
            codes = {error["extensions"]["code"] for error in body.get("errors", [])}
            assert codes <= ({"not_allowed"} if field.startswith("invitations") else set()), (role, body)
            shown = str(body.get("data"))
            assert CANARY not in shown and tenant.slug not in shown, (role, shown)
            assert not [known for known in hidden if known in shown]
        shown_to_owner += CANARY in str(await owner.data(f"{{ {field} }}"))
    assert shown_to_owner > 8  # the same lists do show it to whom it belongs


def test_every_list_is_looked_at() -> None:
    lists = {name.partition(".")[2] for name, call in OPERATIONS.items() if call is LIST and name.startswith("Query.")}
    assert lists - {"tool"} == {field.partition(" ")[0].partition("(")[0] for field in LISTS}


async def test_of_a_colleague_only_the_shared_is_seen(theirs: Theirs, tenant: Tenant) -> None:
    colleague = graph_of(await tenant.another("OWNER"))
    for name in ("session", "message", "memory"):
        await colleague.refused(f'{{ {name}(id: "{theirs.ids[PLURAL[name]]}") {{ id }} }}', "not_found")
    for name in ("forget(memory:", "deleteMemory(id:"):
        await colleague.refused(f'mutation {{ {name} "{theirs.ids["memories"]}") }}', "not_found")
    await colleague.refused(f'mutation {{ deleteSession(id: "{theirs.ids["sessions"]}") }}', "not_found")
    await colleague.refused(f'mutation {{ stopAnswer(sessionId: "{theirs.ids["sessions"]}") }}', "not_found")


PLURAL = {"session": "sessions", "message": "messages", "memory": "memories"}
