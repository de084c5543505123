"""What an operation asks of the store: entities that are named one by one are read together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from matrix.api.application import create_application
from matrix.domain.access import Scope
from matrix.domain.entities import Entity, EntityType
from matrix.domain.ids import new_id
from matrix.domain.versions import ListedVersion
from matrix.graph.documents.documents import Documents
from matrix.graph.entities.entities import Neo4jEntities
from tests.api.graphql.calls import Graph, graph_of, nodes
from tests.support.application import Deployment
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A5")


class CountedEntities(Neo4jEntities):
    """The real store, which remembers by type how many ids each reading of several named."""

    def __init__(self, store: Neo4jEntities) -> None:
        super().__init__(store._database, store._types)
        self.readings: list[tuple[str, int]] = []

    async def get_many(self, scope: Scope, entity_type: EntityType, ids: Sequence[str]) -> Mapping[str, Entity]:
        self.readings.append((entity_type.key, len(ids)))
        return await super().get_many(scope, entity_type, ids)


@pytest.fixture
def counted(deployment: Deployment) -> CountedEntities:
    return CountedEntities(deployment.services.stores.entities)


@pytest.fixture
def graph(deployment: Deployment, tenant: Tenant, counted: CountedEntities) -> Graph:
    services = deployment.services
    app = create_application(replace(services, stores=replace(services.stores, entities=counted)))
    return graph_of(tenant.editor, app)


async def test_corpora_of_many_agents_are_one_reading(graph: Graph, counted: CountedEntities) -> None:
    corpora = [await made(graph, "createKnowledge", "CreateKnowledgeInput") for _ in range(3)]
    for number in range(6):
        await made(graph, "createAgent", "CreateAgentInput", knowledge=[corpora[number % 3], corpora[(number + 1) % 3]])
    counted.readings.clear()
    read = await graph.data("{ agents(first: 6) { edges { node { knowledge { key name } modelProvider { key } } } } }")
    assert all(len(node["knowledge"]) == 2 for node in nodes(read["agents"]))
    assert counted.readings == [("knowledge", 3)]


async def test_documents_of_many_passages_are_one_reading(
    graph: Graph, counted: CountedEntities, deployment: Deployment, corpus: str
) -> None:
    for number in range(4):
        await graph.data(
            "mutation($corpus: String!, $title: String!) "
            "{ addText(knowledge: $corpus, title: $title, text: $title) { id } }",
            corpus=corpus,
            title=f"Text {number}",
        )
    await deployment.work_off()
    counted.readings.clear()
    read = await graph.data(
        "query($corpus: ID!) { chunks(knowledge: $corpus) { edges { node { document { name knowledge { key } } } } } }",
        corpus=corpus,
    )
    assert {node["document"]["knowledge"]["key"] for node in nodes(read["chunks"])} == {corpus}
    assert counted.readings == [("documents", 4), ("knowledge", 1)]


class CountedDocuments(Documents):
    """The real store, which remembers how many documents each reading of versions named."""

    def __init__(self, store: Documents) -> None:
        super().__init__(store._database)
        self.readings: list[int] = []

    async def versions(
        self, scope: Scope, document_ids: Sequence[str], limit: int, before: int | None = None
    ) -> Mapping[str, tuple[ListedVersion, ...]]:
        self.readings.append(len(document_ids))
        return await super().versions(scope, document_ids, limit, before)


@pytest.mark.feature("B9")
async def test_versions_of_many_documents_are_one_reading(
    deployment: Deployment, tenant: Tenant, editor: Graph, corpus: str
) -> None:
    services = deployment.services
    documents = CountedDocuments(services.stores.documents)
    app = create_application(replace(services, stores=replace(services.stores, documents=documents)))
    for name, texts in (("a.txt", ("One.", "Two.", "Three.")), ("b.txt", ("One.",))):
        for text in texts:
            await tenant.editor.ingest(corpus, name, text)
    query = (
        "query($corpus: ID!, $after: String) { documents(knowledge: $corpus) { edges { node { name "
        "versions(first: 2, after: $after) { edges { node { number serving status originalKept } } "
        "pageInfo { hasNextPage endCursor } } } } } }"
    )
    read = {node["name"]: node["versions"] for node in nodes(
        (await graph_of(tenant.editor, app).data(query, corpus=corpus))["documents"]
    )}  # fmt: skip
    assert documents.readings == [2]
    assert [node["number"] for node in nodes(read["a.txt"])] == [3, 2]
    assert [node["serving"] for node in nodes(read["a.txt"])] == [True, False]
    assert nodes(read["b.txt"]) == [{"number": 1, "serving": True, "status": "COMPLETED", "originalKept": True}]
    assert (read["a.txt"]["pageInfo"]["hasNextPage"], read["b.txt"]["pageInfo"]["hasNextPage"]) == (True, False)
    following = nodes(
        (await editor.data(query, corpus=corpus, after=read["a.txt"]["pageInfo"]["endCursor"]))["documents"]
    )
    assert [nodes(node["versions"])[0]["number"] for node in following if node["name"] == "a.txt"] == [1]


async def test_the_next_operation_reads_anew(graph: Graph, corpus: str) -> None:
    agent = await made(graph, "createAgent", "CreateAgentInput", knowledge=[corpus])
    read = "query($key: String!) { agent(key: $key) { knowledge { name } } }"
    assert (await graph.data(read, key=agent))["agent"]["knowledge"] == [{"name": "Papers"}]
    await graph.data('mutation($key: String!) { updateKnowledge(key: $key, input: {name: "New"}) { id } }', key=corpus)
    assert (await graph.data(read, key=agent))["agent"]["knowledge"] == [{"name": "New"}]


async def made(graph: Graph, mutation: str, kind: str, **values: object) -> str:
    query = f"mutation($input: {kind}!) {{ {mutation}(input: $input) {{ key }} }}"
    answer = await graph.data(query, input={"name": "Made", "key": f"made-{new_id()[-8:]}", **values})
    return str(answer[mutation]["key"])
