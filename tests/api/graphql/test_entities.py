"""Entities over GraphQL: typed, created, changed and deleted, own types and own fields among them."""

from __future__ import annotations

import pytest

from matrix.domain.ids import new_id
from tests.api.graphql.calls import Graph, graph_of, nodes
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A5")

CREATE = "mutation($input: CreateKnowledgeInput!) { createKnowledge(input: $input) { id key name chunkSize kind } }"


def fresh(name: str) -> str:
    return f"{name}-{new_id()[-8:]}"


async def test_a_corpus_is_created_read_changed_and_listed(editor: Graph, tenant: Tenant) -> None:
    key = fresh("handbook")
    made = (await editor.data(CREATE, input={"name": "Handbook", "key": key}))["createKnowledge"]
    assert (made["key"], made["name"], made["chunkSize"], made["kind"]) == (key, "Handbook", 2000, "FILES")
    changed = await editor.data(
        'mutation($key: String!) { updateKnowledge(key: $key, input: {description: "All of it", topK: 5}) '
        "{ description topK updatedAt createdAt } }",
        key=key,
    )
    assert changed["updateKnowledge"]["description"] == "All of it"
    read = await editor.data("query($key: String!) { knowledge(key: $key) { id topK entityType properties } }", key=key)
    assert read["knowledge"]["id"] == made["id"]
    assert read["knowledge"]["topK"] == 5
    assert read["knowledge"]["properties"] == (await tenant.viewer.ok("GET", f"knowledge/{key}"))["properties"]
    by_id = await editor.data("query($key: String!) { knowledge(key: $key) { key } }", key=made["id"])
    assert by_id["knowledge"]["key"] == key
    listed = nodes((await editor.data("{ knowledges(first: 100) { edges { node { id } } } }"))["knowledges"])
    assert made["id"] in [node["id"] for node in listed]


async def test_moments_are_written_as_rest_writes_them(editor: Graph, tenant: Tenant, corpus: str) -> None:
    read = await editor.data("query($key: String!) { knowledge(key: $key) { createdAt updatedAt } }", key=corpus)
    rest = await tenant.viewer.ok("GET", f"knowledge/{corpus}")
    assert read["knowledge"] == {"createdAt": rest["createdAt"], "updatedAt": rest["updatedAt"]}


async def test_null_takes_a_property_away_and_what_is_not_given_stays(editor: Graph, corpus: str) -> None:
    change = (
        "mutation($key: String!, $input: UpdateKnowledgeInput!) { updateKnowledge(key: $key, input: $input) { %s } }"
    )
    await editor.data(change % "id", key=corpus, input={"description": "old", "minScore": 0.5})
    changed = await editor.data(change % "description minScore", key=corpus, input={"description": None})
    assert changed["updateKnowledge"] == {"description": None, "minScore": 0.5}


async def test_an_agent_names_its_corpora_as_entities(editor: Graph, corpus: str) -> None:
    key = fresh("helper")
    made = await editor.data(
        'mutation($key: String!, $corpus: ID!) { createAgent(input: {name: "Helper", key: $key, knowledge: [$corpus]}) '
        "{ key knowledge { key name } tools { key } } }",
        key=key,
        corpus=corpus,
    )
    assert made["createAgent"] == {"key": key, "knowledge": [{"key": corpus, "name": "Papers"}], "tools": []}
    gone = await editor.data(
        "mutation($agent: String!, $corpus: String!) { detachKnowledge(agent: $agent, knowledge: $corpus) "
        "{ knowledge { key } } }",
        agent=key,
        corpus=corpus,
    )
    assert gone["detachKnowledge"]["knowledge"] == []
    back = await editor.data(
        "mutation($agent: String!, $corpus: String!) { attachKnowledge(agent: $agent, knowledge: $corpus) "
        "{ knowledge { key } } }",
        agent=key,
        corpus=corpus,
    )
    assert back["attachKnowledge"]["knowledge"] == [{"key": corpus}]
    assert (await editor.data("mutation($key: String!) { deleteAgent(key: $key) }", key=key)) == {"deleteAgent": True}
    await editor.refused("query($key: String!) { agent(key: $key) { id } }", "not_found", key=key)


async def test_unknown_and_unwritable_fields_are_refused(editor: Graph, corpus: str) -> None:
    error = await editor.refused(CREATE, "unknown_field", input={"name": "x", "colour": "red"})
    assert error["extensions"]["field"] == "colour"
    for field in ("id", "orgId", "chunkCount"):
        await editor.refused(CREATE, "unknown_field", input={"name": "x", field: 1})
    change = (
        "mutation($key: String!, $own: JSON) { updateKnowledge(key: $key, input: {customProperties: $own}) { id } }"
    )
    await editor.refused(change, "unknown_field", key=corpus, own={"colour": "red"})
    await editor.refused(change, "invalid_input", key=corpus, own={"name": "by the back door"})


async def test_values_out_of_range_name_their_field(editor: Graph) -> None:
    error = await editor.refused(CREATE, "invalid_input", input={"name": "x", "chunkSize": 1})
    assert error["extensions"]["field"] == "chunkSize"
    await editor.refused(CREATE, "conflict", input={"name": "x", "key": await taken(editor)})


async def test_names_have_the_rule_of_rest(admin: Graph, editor: Graph) -> None:
    made = await editor.data(CREATE, input={"name": "  Trimmed "})
    assert made["createKnowledge"]["name"] == "Trimmed"
    own = "mutation($input: CreateEntityTypeInput!) { createEntityType(input: $input) { key } }"
    key = "mutation($name: String!) { createApiKey(input: {name: $name}) { secret } }"
    organization = "mutation($name: String!) { updateOrganization(name: $name) { id } }"
    for name in (" ", "x" * 201, "two\nlines"):
        refusals = (
            await editor.refused(CREATE, "invalid_input", input={"name": name}),
            await admin.refused(own, "invalid_input", input={"key": fresh("type"), "name": name}),
            await admin.refused(key, "invalid_input", name=name),
            await admin.refused(organization, "invalid_input", name=name),
        )
        assert {error["extensions"]["field"] for error in refusals} == {"name"}


async def test_a_name_makes_a_key_however_often_it_is_used(editor: Graph) -> None:
    name = fresh("Twice")
    keys = {(await editor.data(CREATE, input={"name": name}))["createKnowledge"]["key"] for _ in range(3)}
    assert len(keys) == 3 and all(key.startswith(name.lower()) for key in keys)


@pytest.mark.feature("A10", "H2")
async def test_the_address_of_a_model_provider_is_checked(admin: Graph) -> None:
    create = "mutation($input: CreateModelProviderInput!) { createModelProvider(input: $input) { id baseUrl } }"
    there = {"name": "There", "kind": "OPENAI", "baseUrl": "https://models.example.org/v1"}
    made = (await admin.data(create, input=there))["createModelProvider"]
    change = (
        "mutation($key: String!, $url: String!) { updateModelProvider(key: $key, input: {baseUrl: $url}) { baseUrl } }"
    )
    for url, code in (("http://127.0.0.1/", "address_forbidden"), ("http://u@models.example.org/", "invalid_input")):
        refusals = (
            await admin.refused(create, code, input={**there, "baseUrl": url}),
            await admin.refused(change, code, key=made["id"], url=url),
        )
        assert {error["extensions"]["field"] for error in refusals} == {"baseUrl"}


async def taken(editor: Graph) -> str:
    made = await editor.data(CREATE, input={"name": "Taken", "key": fresh("taken")})
    return str(made["createKnowledge"]["key"])


@pytest.mark.feature("A2")
async def test_an_own_type_is_usable_at_once(admin: Graph, editor: Graph) -> None:
    kind, key = fresh("project"), fresh("apollo")
    made = await admin.data(
        "mutation($input: CreateEntityTypeInput!) { createEntityType(input: $input) "
        "{ key builtIn properties { name type multi targetEntityType } } }",
        input={
            "key": kind,
            "name": "Project",
            "properties": [
                {"name": "name", "required": True},
                {"name": "budget", "type": "NUMBER", "minimum": 0},
                {"name": "parts", "type": "ENTITY", "multi": True, "targetEntityType": kind},
            ],
        },
    )
    assert made["createEntityType"]["builtIn"] is False
    assert made["createEntityType"]["properties"][2] == {
        "name": "parts", "type": "ENTITY", "multi": True, "targetEntityType": kind
    }  # fmt: skip
    create = (
        "mutation($kind: String!, $properties: JSON!) { createEntity(entityType: $kind, properties: $properties) "
        "{ id key entityType customProperties } }"
    )
    part = (await editor.data(create, kind=kind, properties={"name": "Engine", "key": fresh("engine")}))["createEntity"]
    whole = await editor.data(
        create, kind=kind, properties={"name": "Apollo", "key": key, "budget": 7, "parts": [part["key"]]}
    )
    assert whole["createEntity"]["entityType"] == kind
    assert whole["createEntity"]["customProperties"] == {"name": "Apollo", "budget": 7, "parts": [part["id"]]}
    listed = await editor.data(
        "query($kind: String!) { entities(entityType: $kind, filter: {budget: 7}) { edges { node { "
        '__typename key related(property: "parts") { id key } } } } }',
        kind=kind,
    )
    assert nodes(listed["entities"]) == [
        {"__typename": "CustomEntity", "key": key, "related": [{"id": part["id"], "key": part["key"]}]}
    ]
    changed = await editor.data(
        "mutation($kind: String!, $key: String!) { updateEntity(entityType: $kind, key: $key, "
        "properties: {budget: null}) { properties } }",
        kind=kind,
        key=key,
    )
    assert changed["updateEntity"]["properties"]["budget"] is None
    delete = "mutation($kind: String!, $key: String!) { deleteEntity(entityType: $kind, key: $key) }"
    assert await editor.data(delete, kind=kind, key=key) == {"deleteEntity": True}
    await editor.refused(delete, "not_found", kind=kind, key=key)


@pytest.mark.feature("A2")
async def test_own_fields_of_a_built_in_type(admin: Graph, editor: Graph) -> None:
    field = f"colour{new_id()[-6:]}"
    await admin.data(
        'mutation($name: String!) { updateEntityType(key: "knowledge", input: {properties: [{name: $name}]}) { key } }',
        name=field,
    )
    made = await editor.data(
        'mutation($own: JSON!) { createKnowledge(input: {name: "Painted", customProperties: $own}) '
        "{ key customProperties } }",
        own={field: "red"},
    )
    assert made["createKnowledge"]["customProperties"] == {field: "red"}
    found = await editor.data(
        "query($filter: JSON!) { knowledges(filter: $filter) { edges { node { key } } } }", filter={field: "red"}
    )
    assert [node["key"] for node in nodes(found["knowledges"])] == [made["createKnowledge"]["key"]]


async def test_an_entity_is_found_by_its_id_alone(editor: Graph, tenant: Tenant, corpus: str) -> None:
    known = (await tenant.viewer.ok("GET", f"knowledge/{corpus}"))["id"]
    find = "query($id: ID!) { entity(id: $id) { __typename id key ... on Knowledge { chunkSize } } }"
    found = (await editor.data(find, id=known))["entity"]
    assert found == {"__typename": "Knowledge", "id": known, "key": corpus, "chunkSize": 2000}
    typed = "query($id: ID!, $type: String) { entity(id: $id, entityType: $type) { id } }"
    for name in ("knowledge", "Knowledge"):
        assert (await editor.data(typed, id=corpus, type=name))["entity"] == {"id": known}
    await editor.refused(typed, "invalid_input", id=corpus, type="Nonsense")


async def test_what_is_elsewhere_is_as_absent_as_what_is_not(editor: Graph, other: Tenant, corpus: str) -> None:
    known = (await editor.data("query($key: String!) { knowledge(key: $key) { id } }", key=corpus))["knowledge"]["id"]
    person = await other.user_id("VIEWER")
    theirs = graph_of(other.owner)
    find = "query($id: ID!) { entity(id: $id) { id } }"
    absent = await theirs.refused(find, "not_found", id="0" * 32)
    hidden = await theirs.refused(find, "not_found", id=known)
    assert hidden["message"].replace(known, "…") == absent["message"].replace("0" * 32, "…")
    stranger = await editor.refused(find, "not_found", id=person)
    assert stranger["message"].replace(person, "…") == absent["message"].replace("0" * 32, "…")
    await theirs.refused("query($key: String!) { knowledge(key: $key) { id } }", "not_found", key=known)


async def test_a_viewer_changes_nothing(tenant: Tenant, corpus: str) -> None:
    viewer = graph_of(tenant.viewer)
    await viewer.refused(CREATE, "not_allowed", input={"name": "x"})
    await viewer.refused(
        "mutation($key: String!) { deleteKnowledge(key: $key) { receiptId } }", "not_allowed", key=corpus
    )
    await viewer.refused('mutation { createEntityType(input: {key: "things", name: "Things"}) { key } }', "not_allowed")
