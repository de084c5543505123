"""Searching and asking over GraphQL."""

from __future__ import annotations

import pytest

from matrix.domain.ids import new_id
from tests.api.graphql.calls import Graph, Json, graph_of, nodes
from tests.support.application import Deployment
from tests.support.tenants import Tenant
from tests.wire_servers.script import Reply

pytestmark = pytest.mark.feature("A5")

ANSWER = "ANSWERABLE: yes\nThe deposit is 800 euros. [1]"
SEARCH = (
    "query($corpora: [String!]!, $query: String!, $topK: Int, $mode: SearchMode, $filters: SearchFilters, "
    "$minScore: Float) { search(knowledgeKeys: $corpora, query: $query, topK: $topK, mode: $mode, filters: $filters, "
    "minScore: $minScore, explain: true) { hits { chunkId documentName text score scores { dense denseRank fused } "
    "sourceRef { page start end sectionPath url } } explanation { denseCandidates weights { dense keyword } } } }"
)
ASK = (
    "mutation($agent: String!, $message: String!, $session: ID) "
    "{ ask(agent: $agent, message: $message, sessionId: $session) { sessionId messageId answer answerable "
    "citations { marker documentId documentName quote state } toolCalls { name arguments isError } "
    "usage { outputTokens } } }"
)


@pytest.fixture
async def lease(tenant: Tenant, corpus: str) -> str:
    """The id of the one document in the corpus."""
    return await tenant.editor.ingest(corpus, "lease.md", "# Lease\n\nThe deposit is 800 euros.\n")


@pytest.fixture
async def agent(editor: Graph, corpus: str, lease: str) -> str:
    made = await editor.data(
        "mutation($key: String!, $corpus: ID!) "
        '{ createAgent(input: {name: "Clerk", key: $key, knowledge: [$corpus]}) { key } }',
        key=f"clerk-{new_id()[-8:]}",
        corpus=corpus,
    )
    return str(made["createAgent"]["key"])


@pytest.mark.feature("C1", "C2")
async def test_hits_are_those_of_rest(editor: Graph, tenant: Tenant, corpus: str, lease: str) -> None:
    found = (await editor.data(SEARCH, corpora=[corpus], query="deposit euros"))["search"]
    [rest] = await tenant.viewer.search(corpus, "deposit euros")
    [hit] = found["hits"]
    assert hit["chunkId"] == rest["chunkId"]
    assert hit["score"] == rest["score"]
    assert hit["sourceRef"] == rest["sourceRef"]
    assert found["explanation"]["denseCandidates"] == 1


async def test_several_corpora_at_once(editor: Graph, tenant: Tenant, corpus: str, lease: str) -> None:
    second = (await tenant.editor.create("knowledge", name="Second", key=f"second-{new_id()[-8:]}"))["key"]
    await tenant.editor.ingest(second, "rules.md", "The deposit is returned in a month.")
    found = (await editor.data(SEARCH, corpora=[corpus, second], query="the deposit"))["search"]
    assert {hit["documentName"] for hit in found["hits"]} == {"lease.md", "rules.md"}
    dense = await editor.data(SEARCH, corpora=[second], query="the deposit", mode="DENSE", topK=1)
    assert [hit["documentName"] for hit in dense["search"]["hits"]] == ["rules.md"]
    narrowed = await editor.data(SEARCH, corpora=[corpus, second], query="the deposit", filters={"documents": [lease]})
    assert {hit["documentName"] for hit in narrowed["search"]["hits"]} == {"lease.md"}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"query": " "}, "query"),
        ({"topK": 0}, "topK"),
        ({"topK": 51}, "topK"),
        ({"minScore": 1.5}, "minScore"),
        ({"corpora": []}, "knowledgeKeys"),
    ],
)
async def test_a_wrong_search_names_its_field(editor: Graph, corpus: str, wrong: dict[str, object], field: str) -> None:
    error = await editor.refused(SEARCH, "invalid_input", **{"corpora": [corpus], "query": "x", **wrong})
    assert error["extensions"]["field"] == field


@pytest.mark.feature("F2", "F6")
async def test_an_answer_is_given_saved_and_read_back(
    editor: Graph, deployment: Deployment, agent: str, lease: str
) -> None:
    deployment.model.script(Reply(ANSWER))
    answer = (await editor.data(ASK, agent=agent, message="How high is the deposit?"))["ask"]
    assert answer["answerable"] is True, (answer, deployment.model.requests[-1])
    assert answer["citations"][0]["documentId"] == lease
    assert answer["toolCalls"][0]["name"] == "search_knowledge"
    read = await editor.data(
        "query($id: ID!) { session(id: $id) { title agent { key } messages { edges { node { id speaker text answerable "
        "citations { marker documentId quote state } toolCalls { name } session { id } } } } } }",
        id=answer["sessionId"],
    )
    session = read["session"]
    question, said = nodes(session["messages"])
    assert session["agent"]["key"] == agent
    assert (question["speaker"], question["citations"]) == ("USER", [])
    assert (said["id"], said["text"]) == (answer["messageId"], answer["answer"])
    assert [citation["documentId"] for citation in said["citations"]] == [lease]
    assert said["citations"][0]["state"] == "CURRENT"
    assert [tool["name"] for tool in said["toolCalls"]] == ["search_knowledge"]


async def test_a_session_is_nobody_elses(editor: Graph, tenant: Tenant, deployment: Deployment, agent: str) -> None:
    deployment.model.script(Reply(ANSWER))
    answer = (await editor.data(ASK, agent=agent, message="How high is the deposit?"))["ask"]
    owner = graph_of(tenant.owner)
    await owner.refused("query($id: ID!) { session(id: $id) { id } }", "not_found", id=answer["sessionId"])
    await owner.refused("query($id: ID!) { message(id: $id) { text } }", "not_found", id=answer["messageId"])
    await owner.refused(ASK, "not_found", agent=agent, message="And now?", session=answer["sessionId"])


@pytest.mark.feature("E9", "F4")
async def test_a_corpus_is_asked_without_an_agent(
    editor: Graph, deployment: Deployment, corpus: str, lease: str
) -> None:
    deployment.model.script(Reply("ANSWERABLE: no"))
    answer = await editor.data(
        'mutation($corpus: String!) { askKnowledge(knowledge: $corpus, message: "Who is the landlord?") '
        "{ answer answerable citations { marker } } }",
        corpus=corpus,
    )
    assert answer["askKnowledge"]["answerable"] is False
    assert answer["askKnowledge"]["answer"]
    assert answer["askKnowledge"]["citations"] == []


async def test_messages_that_cannot_be_answered_are_refused(editor: Graph, agent: str) -> None:
    error = await editor.refused(ASK, "invalid_input", agent=agent, message="  ")
    assert error["extensions"]["field"] == "message"
    await editor.refused(ASK, "not_found", agent="nobody", message="Hello?")
    await editor.refused("mutation($id: ID!) { stopAnswer(sessionId: $id) }", "not_found", id="0" * 32)


@pytest.mark.feature("E4")
async def test_a_memory_is_kept_for_the_one_who_asked(editor: Graph, tenant: Tenant, agent: str) -> None:
    made = await editor.data(
        "mutation($agent: String!) "
        '{ remember(agent: $agent, text: "Prefers short answers.") { id text agent { key } } }',
        agent=agent,
    )
    memory = made["remember"]
    assert memory["agent"]["key"] == agent
    mine = "query($agent: String!) { agent(key: $agent) { memories { edges { node { id } } } } }"
    assert nodes((await editor.data(mine, agent=agent))["agent"]["memories"]) == [{"id": memory["id"]}]
    theirs = (await graph_of(tenant.owner).data(mine, agent=agent))["agent"]["memories"]
    assert nodes(theirs) == []
    forget = "mutation($id: ID!) { forget(memory: $id) }"
    await graph_of(tenant.owner).refused(forget, "not_found", id=memory["id"])
    assert await editor.data(forget, id=memory["id"]) == {"forget": True}


async def test_a_provider_is_tried_and_its_key_stays_hidden(admin: Graph, tenant: Tenant) -> None:
    key, secret = f"local-{new_id()[-8:]}", "sk-canary-0123456789"
    made = await admin.data(
        'mutation($key: String!, $secret: String!) { createModelProvider(input: {name: "Local", kind: LOCAL, '
        "key: $key, apiKey: $secret}) { key hasApiKey properties } }",
        key=key,
        secret=secret,
    )
    assert made["createModelProvider"]["hasApiKey"] is True
    assert secret not in str(made)
    trial = "mutation($key: String!) { testModelProvider(key: $key) { ok model reply } }"
    assert (await admin.data(trial, key=key))["testModelProvider"]["ok"] is True
    await graph_of(tenant.editor).refused(trial, "not_allowed", key=key)


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"sourceKinds": ["BOOK"]}, "filters.sourceKinds"),
        ({"languages": ["`"]}, "filters.languages"),
        ({"tags": ["y"] * 51}, "filters.tags"),
        ({"documents": [""]}, "filters.documents"),
    ],
)
async def test_filters_have_the_rules_of_rest(editor: Graph, corpus: str, filters: Json, field: str) -> None:
    error = await editor.refused(SEARCH, "invalid_input", corpora=[corpus], query="x", filters=filters)
    assert error["extensions"]["field"] == field
