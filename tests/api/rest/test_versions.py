"""The versions of a document: newest first, in pages, with the one that serves, for who may see the document."""

from __future__ import annotations

import pytest

from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("B9")


@pytest.fixture
async def document(tenant: Tenant, corpus: str) -> str:
    """With three versions, the last of which waits."""
    for text in ("One.", "One and two."):
        document = await tenant.editor.ingest(corpus, "notes.txt", text)
    await tenant.editor.send(corpus, [("notes.txt", b"One, two and three.")])
    return document


async def test_versions_are_listed_with_their_state(tenant: Tenant, document: str) -> None:
    answer = await tenant.viewer.ok("GET", f"documents/{document}/versions")
    assert answer["nextCursor"] is None
    newest, serving, first = answer["items"]
    assert [one["number"] for one in answer["items"]] == [3, 2, 1]
    assert [one["status"] for one in answer["items"]] == ["PENDING", "COMPLETED", "COMPLETED"]
    assert [one["serving"] for one in answer["items"]] == [False, True, False]
    assert serving["chunkCount"] == 1 and newest["chunkCount"] is None
    assert first["size"] == len("One.") and first["documentId"] == document and first["createdAt"] < newest["createdAt"]
    text = await tenant.viewer.ok("GET", f"documents/{document}/text?version={first['id']}")
    assert text["text"].strip() == "One."


async def test_versions_come_in_pages(tenant: Tenant, document: str) -> None:
    path = f"documents/{document}/versions?limit=2"
    page = await tenant.viewer.ok("GET", path)
    rest = await tenant.viewer.ok("GET", f"{path}&cursor={page['nextCursor']}")
    assert [one["number"] for one in (*page["items"], *rest["items"])] == [3, 2, 1]
    assert rest["nextCursor"] is None
    for cursor in ("x", "-1", "²", "9" * 30):
        await tenant.viewer.refused("GET", f"{path}&cursor={cursor}", 422, "invalid_input")


async def test_versions_of_what_is_hidden_or_absent(tenant: Tenant, document: str) -> None:
    editor = await tenant.user_id("EDITOR")
    await tenant.editor.ok("PUT", f"documents/{document}/audience", json={"users": [editor]})
    for hidden in (document, "absent"):
        await tenant.viewer.refused("GET", f"documents/{hidden}/versions", 404, "not_found")
