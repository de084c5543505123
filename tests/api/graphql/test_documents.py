"""Documents over GraphQL: in by a signed link or as text, read with their passages, changed, and out with a receipt."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

from matrix.domain.ids import new_id
from tests.api.graphql.calls import Graph, Json, graph_of, nodes
from tests.support.application import Deployment
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("A5")

UPLOAD = "mutation($corpus: String!) { createUpload(knowledge: $corpus) { url method expiresAt } }"
ADD = (
    "mutation($corpus: String!, $title: String!, $text: String!) "
    "{ addText(knowledge: $corpus, title: $title, text: $text) { id name status version jobId error code } }"
)
THREE = "# One\n\nThe first passage.\n\n# Two\n\nThe second passage.\n\n# Three\n\nThe third passage.\n"


async def added(editor: Graph, corpus: str, title: str = "Notes", text: str = THREE) -> str:
    """A processed text's id."""
    receipt = (await editor.data(ADD, corpus=corpus, title=title, text=text))["addText"]
    assert receipt["error"] is None, receipt
    await editor.deployment.work_off()
    return str(receipt["id"])


async def posted(deployment: Deployment, link: Json, method: str = "POST") -> tuple[int, Json]:
    address = urlsplit(link["url"])
    async with deployment.client() as client:
        answer = await client.request(
            method, f"{address.path}?{address.query}", files=[("file", ("a.txt", b"Sent by a link."))]
        )
    return answer.status_code, answer.json()


async def test_a_file_goes_in_by_a_signed_link(editor: Graph, deployment: Deployment, corpus: str) -> None:
    link = (await editor.data(UPLOAD, corpus=corpus))["createUpload"]
    assert link["method"] == "POST"
    status, answer = await posted(deployment, link)
    assert status == 202, answer
    assert answer["documents"][0]["error"] is None
    await deployment.work_off()
    read = await editor.data(
        "query($corpus: String!) { knowledge(key: $corpus) { documentCount documents { edges { node "
        "{ name status chunkCount knowledge { key } } } } } }",
        corpus=corpus,
    )
    assert nodes(read["knowledge"]["documents"]) == [
        {"name": "a.txt", "status": "COMPLETED", "chunkCount": 1, "knowledge": {"key": corpus}}
    ]


async def test_a_link_to_one_corpus_opens_no_other(
    editor: Graph, deployment: Deployment, corpus: str, tenant: Tenant
) -> None:
    link = (await editor.data(UPLOAD, corpus=corpus))["createUpload"]
    another = await tenant.editor.create("knowledge", name="Another", key=f"another-{new_id()[-8:]}")
    known = (await tenant.editor.ok("GET", f"knowledge/{corpus}"))["id"]
    status, answer = await posted(deployment, {"url": link["url"].replace(known, another["id"])})
    assert (status, answer["code"]) == (401, "bad_link")


async def test_who_may_not_write_gets_no_link(tenant: Tenant, other: Tenant, corpus: str) -> None:
    await graph_of(tenant.viewer).refused(UPLOAD, "not_allowed", corpus=corpus)
    await graph_of(other.owner).refused(UPLOAD, "not_found", corpus=corpus)


async def test_passages_come_in_the_order_of_the_text(editor: Graph, corpus: str) -> None:
    document = await added(editor, corpus)
    read = await editor.data(
        "query($id: ID!, $after: String) { document(id: $id) { parsedText { text } chunks(first: 2, after: $after) "
        "{ edges { cursor node { position text sectionPath document { id } } } pageInfo { endCursor } } } }",
        id=document,
    )
    first = read["document"]["chunks"]
    more = "query($id: ID!, $after: String) { chunks(document: $id, after: $after) { edges { node { position } } } }"
    rest = nodes((await editor.data(more, id=document, after=first["pageInfo"]["endCursor"]))["chunks"])
    positions = [node["position"] for node in [*nodes(first), *rest]]
    assert positions == list(range(len(positions)))
    assert all(node["document"]["id"] == document for node in nodes(first))
    assert nodes(first)[0]["text"] in read["document"]["parsedText"]["text"]


async def test_any_cursor_of_a_page_goes_on_behind_it(editor: Graph, corpus: str) -> None:
    for number in range(5):
        await editor.data(ADD, corpus=corpus, title=f"Text {number}", text=f"Number {number}.")
    page = (
        "query($corpus: ID!, $first: Int!, $after: String) "
        "{ documents(knowledge: $corpus, first: $first, after: $after) "
        "{ edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }"
    )
    whole = (await editor.data(page, corpus=corpus, first=100))["documents"]
    names = [node["name"] for node in nodes(whole)]
    assert names == [f"Text {number}.md" for number in (4, 3, 2, 1, 0)]
    assert whole["pageInfo"]["hasNextPage"] is False
    two = (await editor.data(page, corpus=corpus, first=2))["documents"]
    assert two["pageInfo"]["hasNextPage"] is True
    assert two["pageInfo"]["endCursor"] == two["edges"][-1]["cursor"]
    for edges, start in (whole["edges"], 0), (two["edges"], 0):
        for place, edge in enumerate(edges, start=start + 1):
            behind = (await editor.data(page, corpus=corpus, first=2, after=edge["cursor"]))["documents"]
            assert [node["name"] for node in nodes(behind)] == names[place : place + 2]
    for wrong in ("nonsense", "!!"):
        error = await editor.refused(page, "invalid_input", corpus=corpus, first=2, after=wrong)
        assert error["extensions"]["field"] == "after"
    for first in (0, 101):
        await editor.refused(page, "invalid_input", corpus=corpus, first=first)


async def test_a_document_is_renamed_tagged_and_filtered(editor: Graph, corpus: str) -> None:
    document = await added(editor, corpus)
    changed = await editor.data(
        'mutation($id: ID!) { updateDocument(id: $id, input: {name: "b.md", tags: ["red"]}) { name tags } }',
        id=document,
    )
    assert changed["updateDocument"] == {"name": "b.md", "tags": ["red"]}
    renamed = await editor.data('mutation($id: ID!) { renameDocument(id: $id, name: "c.md") { name } }', id=document)
    assert renamed["renameDocument"] == {"name": "c.md"}
    found = await editor.data(
        'query($corpus: ID!) { red: documents(knowledge: $corpus, status: COMPLETED, filter: {tags: "red"}) '
        "{ edges { node { id } } } "
        'blue: documents(knowledge: $corpus, filter: {tags: "blue"}) { edges { node { id } } } }',
        corpus=corpus,
    )
    assert nodes(found["red"]) == [{"id": document}]
    assert nodes(found["blue"]) == []


async def test_a_document_is_processed_again_and_not_cancelled_when_done(editor: Graph, corpus: str) -> None:
    document = await added(editor, corpus)
    for mutation in ("retryDocument", "reprocessDocument"):
        again = await editor.data(f"mutation($id: ID!) {{ {mutation}(id: $id) {{ id version status }} }}", id=document)
        assert again[mutation]["id"] == document
        assert again[mutation]["status"] == "PENDING"
        await editor.deployment.work_off()
    await editor.refused("mutation($id: ID!) { cancelDocument(id: $id) { status } }", "conflict", id=document)
    await editor.data("mutation($id: ID!) { reprocessDocument(id: $id) { id } }", id=document)
    stopped = await editor.data("mutation($id: ID!) { cancelDocument(id: $id) { status } }", id=document)
    assert stopped["cancelDocument"]["status"] == "CANCELLED"


@pytest.mark.feature("C7")
async def test_an_audience_hides_a_document_from_the_others(editor: Graph, tenant: Tenant, corpus: str) -> None:
    document, viewer = await added(editor, corpus), graph_of(tenant.viewer)
    read = "query($id: ID!) { document(id: $id) { id } }"
    share = (
        "mutation($id: ID!, $users: [ID!], $everyone: Boolean! = false) "
        "{ setDocumentAudience(id: $id, users: $users, everyone: $everyone) { audienceId } }"
    )
    assert (await viewer.data(read, id=document))["document"]
    await editor.refused(share, "invalid_input", id=document)
    await editor.data(share, id=document, users=[await tenant.user_id("EDITOR")])
    await viewer.refused(read, "not_found", id=document)
    chunks = "query($id: ID!) { chunks(document: $id) { edges { node { id } } } }"
    assert nodes((await viewer.data(chunks, id=document))["chunks"]) == []
    while "errors" in await editor.run(share, id=document, everyone=True):  # noqa: ASYNC110  # nothing to wait for
        await asyncio.sleep(0.2)  # what the editor may see is remembered for a few seconds
    assert (await viewer.data(read, id=document))["document"]


async def test_the_original_comes_back_by_a_link(editor: Graph, deployment: Deployment, corpus: str) -> None:
    document = await added(editor, corpus, text="As it was sent.")
    read = await editor.data("query($id: ID!) { document(id: $id) { download { url method } } }", id=document)
    address = urlsplit(read["document"]["download"]["url"])
    async with deployment.client() as client:
        answer = await client.get(f"{address.path}?{address.query}")
    assert (answer.status_code, answer.text) == (200, "As it was sent.")


async def test_a_deletion_is_previewed_then_proved(editor: Graph, corpus: str) -> None:
    document = await added(editor, corpus)
    delete = (
        "mutation($id: ID!, $dry: Boolean!) { deleteDocument(id: $id, dryRun: $dry) "
        "{ preview { documents chunks } receipt { subjectId purgedAt } receiptId } }"
    )
    preview = (await editor.data(delete, id=document, dry=True))["deleteDocument"]
    assert preview["receiptId"] is None and preview["preview"]["documents"] == 1 and preview["preview"]["chunks"] > 0
    gone = (await editor.data(delete, id=document, dry=False))["deleteDocument"]
    assert gone["preview"] is None and gone["receipt"]["subjectId"] == document
    await editor.refused("query($id: ID!) { document(id: $id) { id } }", "not_found", id=document)
    await editor.deployment.work_off()
    receipt = "query($id: ID!) { receipt(id: $id) { purgedAt remaining counts } }"
    proof = (await editor.data(receipt, id=gone["receiptId"]))["receipt"]
    assert proof["purgedAt"] is not None
    assert not any(proof["remaining"].values())


async def test_a_corpus_goes_with_all_that_is_in_it(editor: Graph, corpus: str) -> None:
    document = await added(editor, corpus)
    delete = (
        "mutation($key: String!, $dry: Boolean!) "
        "{ deleteKnowledge(key: $key, dryRun: $dry) { preview { documents } receiptId } }"
    )
    assert (await editor.data(delete, key=corpus, dry=True))["deleteKnowledge"]["preview"] == {"documents": 1}
    assert (await editor.data(delete, key=corpus, dry=False))["deleteKnowledge"]["receiptId"]
    await editor.refused("query($key: String!) { knowledge(key: $key) { id } }", "not_found", key=corpus)
    await editor.refused("query($id: ID!) { document(id: $id) { id } }", "not_found", id=document)


async def test_a_refused_text_says_why(editor: Graph, corpus: str) -> None:
    receipt = (await editor.data(ADD, corpus=corpus, title=" ", text="x"))["addText"]
    assert receipt["id"] is None and receipt["error"] and receipt["code"]
