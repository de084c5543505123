"""A document from upload to its deletion: status, versions, what can be done with it, and the proof that it is gone."""

from __future__ import annotations

import pytest

from tests.support.tenants import Json, Tenant

pytestmark = pytest.mark.feature("B6", "B7", "B8", "B9", "B10")


async def state_of(tenant: Tenant, document: str) -> Json:
    properties: Json = (await tenant.viewer.ok("GET", f"documents/{document}"))["properties"]
    return properties


async def upload(tenant: Tenant, corpus: str, text: str, name: str = "leave.md") -> Json:
    [entry] = await tenant.editor.send(corpus, [(name, text.encode())])
    return entry


async def test_from_pending_to_completed(tenant: Tenant, corpus: str) -> None:
    entry = await upload(tenant, corpus, "# Leave\n\nThirty days a year.")
    before = await state_of(tenant, entry["id"])
    assert (before["status"], before["version"], before.get("servingVersion")) == ("PENDING", 1, None)
    assert await tenant.viewer.search(corpus, "thirty days") == []
    await tenant.deployment.work_off()
    after = await state_of(tenant, entry["id"])
    assert (after["status"], after["version"], after["servingVersion"]) == ("COMPLETED", 1, 1)
    assert after["graphStatus"] == "NONE" and after["chunkCount"] == 1 and after["chunksEmbedded"] == 1
    assert (
        after["sha256"]
        and after["size"] == len("# Leave\n\nThirty days a year.")
        and after["mediaType"] == "text/markdown"
    )
    assert [hit["documentId"] for hit in await tenant.viewer.search(corpus, "thirty days")] == [entry["id"]]
    [chunk] = await tenant.viewer.items(f"chunks?document={entry['id']}")
    assert "Thirty days" in chunk["properties"]["text"] and "embedding" not in chunk["properties"]
    text = await tenant.viewer.ok("GET", f"documents/{entry['id']}/text")
    place = chunk["properties"]
    assert text["text"][place["start"] : place["end"]] == place["text"]
    job = await tenant.viewer.ok("GET", f"jobs/{entry['jobId']}")
    assert job["properties"]["state"] == "DONE"


async def test_a_new_version_serves_only_when_it_is_complete(tenant: Tenant, corpus: str) -> None:
    document = await tenant.editor.ingest(corpus, "leave.md", "Thirty days of leave.")
    entry = await upload(tenant, corpus, "Thirtyone days of leave.")
    assert (entry["id"], entry["version"]) == (document, 2)
    waiting = await state_of(tenant, document)
    assert (waiting["status"], waiting["version"], waiting["servingVersion"]) == ("PENDING", 2, 1)
    assert [hit["text"] for hit in await tenant.viewer.search(corpus, "days")] == ["Thirty days of leave."]
    await tenant.deployment.work_off()
    served = await state_of(tenant, document)
    assert (served["status"], served["servingVersion"]) == ("COMPLETED", 2)
    assert [hit["text"] for hit in await tenant.viewer.search(corpus, "days")] == ["Thirtyone days of leave."]


async def test_a_failed_version_leaves_the_old_one_serving(tenant: Tenant, corpus: str) -> None:
    document = await tenant.editor.ingest(corpus, "paper.md", "Gold is heavy.")
    [entry] = await tenant.editor.send(corpus, [("paper.md", b"%PDF-1.7 and then nothing that a reader knows")])
    if entry["error"] is None:
        await tenant.deployment.work_off()
        failed = await state_of(tenant, document)
        assert failed["status"] == "FAILED" and failed["servingVersion"] == 1
        assert failed["errorCode"] and failed["errorReason"] and failed["errorAdvice"]
    assert [hit["text"] for hit in await tenant.viewer.search(corpus, "gold")] == ["Gold is heavy."]


async def test_retry_after_a_failure(tenant: Tenant, corpus: str) -> None:
    [entry] = await tenant.editor.send(corpus, [("broken.pdf", b"%PDF-1.7 and then nothing that a reader knows")])
    assert entry["error"] is None, entry
    await tenant.deployment.work_off()
    failed = await state_of(tenant, entry["id"])
    assert failed["status"] == "FAILED" and failed["errorCode"] and failed["errorAdvice"]
    again = await tenant.editor.ok("POST", f"documents/{entry['id']}/retry", 202)
    assert again["id"] == entry["id"] and again["version"] == 2 and again["status"] == "PENDING"
    await tenant.editor.refused("POST", f"documents/{entry['id']}/retry", 409, "conflict")
    await tenant.deployment.work_off()
    assert (await state_of(tenant, entry["id"]))["status"] == "FAILED"


async def test_cancel(tenant: Tenant, corpus: str) -> None:
    entry = await upload(tenant, corpus, "Words that nobody wants.")
    assert await tenant.editor.ok("POST", f"documents/{entry['id']}/cancel") == {
        "id": entry["id"],
        "status": "CANCELLED",
    }
    await tenant.editor.refused("POST", f"documents/{entry['id']}/cancel", 409, "conflict")
    await tenant.deployment.work_off()
    assert (await state_of(tenant, entry["id"]))["status"] == "CANCELLED"
    assert await tenant.viewer.search(corpus, "nobody") == []
    await tenant.editor.ok("POST", f"documents/{entry['id']}/retry", 202)
    await tenant.deployment.work_off()
    assert (await state_of(tenant, entry["id"]))["status"] == "COMPLETED"


async def test_reprocess_takes_the_settings_of_now(tenant: Tenant, corpus: str) -> None:
    text = "\n\n".join(f"Paragraph {n} tells of the harbour and its cranes at some length." * 3 for n in range(12))
    document = await tenant.editor.ingest(corpus, "long.txt", text)
    before = (await state_of(tenant, document))["chunkCount"]
    await tenant.editor.ok("PATCH", f"knowledge/{corpus}", json={"properties": {"chunkSize": 300, "chunkOverlap": 0}})
    await tenant.editor.ok("POST", f"documents/{document}/reprocess", 202)
    await tenant.deployment.work_off()
    after = await state_of(tenant, document)
    assert after["chunkCount"] > before and after["servingVersion"] == 2


async def test_rename_and_tag(tenant: Tenant, corpus: str) -> None:
    document = await tenant.editor.ingest(corpus, "old.txt", "The lighthouse is red.")
    changed = await tenant.editor.ok(
        "PATCH", f"documents/{document}", json={"properties": {"name": "new.txt", "tags": ["coast", "coast", "red"]}}
    )
    assert changed["properties"]["name"] == "new.txt" and changed["properties"]["tags"] == ["coast", "red"]
    assert changed["properties"]["version"] == 1
    [hit] = await tenant.viewer.search(corpus, "lighthouse", filters={"tags": ["coast"]})
    assert hit["documentName"] == "new.txt"
    await tenant.editor.ingest(corpus, "taken.txt", "Another.")
    await tenant.editor.refused(
        "PATCH", f"documents/{document}", 409, "conflict", json={"properties": {"name": "taken.txt"}}
    )
    for field, properties in (("status", {"status": "COMPLETED"}), ("name", {"name": 7}), ("name", {"name": None})):
        problem = await tenant.editor.refused("PATCH", f"documents/{document}", 422, json={"properties": properties})
        assert problem["field"] == field
    bare = await tenant.editor.ok("PATCH", f"documents/{document}", json={"properties": {"tags": None}})
    assert not bare["properties"].get("tags")


@pytest.mark.parametrize("name", ["", " ", "../up.txt", "a" * 2000, "line\nbreak.txt"])
async def test_a_name_is_checked_as_at_the_upload(tenant: Tenant, corpus: str, name: str) -> None:
    document = await tenant.editor.ingest(corpus, "good.txt", "Words.")
    answer = await tenant.editor.call("PATCH", f"documents/{document}", json={"properties": {"name": name}})
    kept = (await state_of(tenant, document))["name"]
    assert answer.status_code == 422 or (kept and ".." not in kept.split("/") and "\n" not in kept), (name, kept)


async def test_delete_with_dry_run_and_receipt(tenant: Tenant, corpus: str) -> None:
    document = await tenant.editor.ingest(corpus, "gone.txt", "The secret word is xylophone.")
    kept = await tenant.editor.ingest(corpus, "kept.txt", "The other word is zither.")
    preview = await tenant.editor.ok("DELETE", f"documents/{document}?dryRun=true")
    assert (preview["documents"], preview["versions"], preview["chunks"], preview["blobs"]) == (1, 1, 1, 2)
    assert next(hit["documentId"] for hit in await tenant.viewer.search(corpus, "xylophone")) == document
    receipt = await tenant.editor.ok("DELETE", f"documents/{document}", 202)
    assert receipt["receiptId"] and receipt["subjectId"] == document and receipt["purgedAt"] is None
    for path in (f"documents/{document}", f"documents/{document}/text", f"documents/{document}/download"):
        await tenant.viewer.refused("GET", path, 404, "not_found")
    assert await tenant.viewer.items(f"chunks?document={document}") == []
    assert document not in [hit["documentId"] for hit in await tenant.viewer.search(corpus, "xylophone")]
    for action in ("retry", "reprocess", "cancel"):
        await tenant.editor.refused("POST", f"documents/{document}/{action}", 404, "not_found")
    await tenant.editor.refused("DELETE", f"documents/{document}", 404, "not_found")
    await tenant.deployment.work_off()
    proof = await tenant.editor.ok("GET", f"receipts/{receipt['receiptId']}")
    assert proof["purgedAt"] and not any(proof["remaining"].values())
    assert [hit["documentId"] for hit in await tenant.viewer.search(corpus, "zither")] == [kept]
    rows = await tenant.deployment.database.read("MATCH (c:KnowledgeChunk {documentId: $id}) RETURN c", id=document)
    assert rows == []


async def test_delete_a_corpus(tenant: Tenant, corpus: str) -> None:
    document = await tenant.editor.ingest(corpus, "a.txt", "The secret word is xylophone.")
    preview = await tenant.editor.ok("DELETE", f"knowledge/{corpus}?dryRun=true")
    assert preview["documents"] == 1
    receipt = await tenant.editor.ok("DELETE", f"knowledge/{corpus}", 202)
    for path in (f"knowledge/{corpus}", f"documents/{document}"):
        await tenant.viewer.refused("GET", path, 404, "not_found")
    await tenant.viewer.refused("POST", f"knowledge/{corpus}/search", 404, json={"query": "xylophone"})
    await tenant.editor.refused("POST", f"knowledge/{corpus}/texts", 404, json={"title": "T", "text": "Words."})
    await tenant.deployment.work_off()
    assert (await tenant.editor.ok("GET", f"receipts/{receipt['receiptId']}"))["purgedAt"]
    again = await tenant.editor.create("knowledge", name="Papers", key=corpus)
    assert again["properties"]["documentCount"] == 0


async def test_a_viewer_changes_no_document(tenant: Tenant, corpus: str) -> None:
    document = await tenant.editor.ingest(corpus, "a.txt", "Words.")
    before = await state_of(tenant, document)
    calls: list[tuple[str, str, Json]] = [
        ("POST", f"documents/{document}/retry", {}),
        ("POST", f"documents/{document}/reprocess", {}),
        ("POST", f"documents/{document}/cancel", {}),
        ("PUT", f"documents/{document}/audience", {"json": {"everyone": True}}),
        ("PATCH", f"documents/{document}", {"json": {"properties": {"name": "b.txt"}}}),
        ("DELETE", f"documents/{document}", {}),
        ("DELETE", f"documents/{document}?dryRun=true", {}),
        ("DELETE", f"knowledge/{corpus}", {}),
    ]
    for method, path, options in calls:
        await tenant.viewer.refused(method, path, 403, "not_allowed", **options)
        absent = path.replace(document, "absent").replace(corpus, "absent")
        await tenant.viewer.refused(method, absent, 404, "not_found", **options)
    assert await state_of(tenant, document) == before


async def test_what_is_not_there(tenant: Tenant) -> None:
    for path in ("documents/absent", "documents/absent/text", "documents/absent/download", "receipts/absent"):
        await tenant.viewer.refused("GET", path, 404, "not_found")


async def test_text_before_it_is_parsed(tenant: Tenant, corpus: str) -> None:
    entry = await upload(tenant, corpus, "Not yet read.")
    await tenant.viewer.refused("GET", f"documents/{entry['id']}/text", 404)
    await tenant.viewer.refused("GET", f"documents/{entry['id']}/text?version=absent", 404)


async def test_counts_of_a_corpus(tenant: Tenant, corpus: str) -> None:
    await tenant.editor.ingest(corpus, "a.txt", "Words.")
    await tenant.editor.ingest(corpus, "b.txt", "Other words.")
    await tenant.deployment.worker.versions.count_marked_corpora()
    counted = (await tenant.viewer.ok("GET", f"knowledge/{corpus}"))["properties"]
    assert (counted["documentCount"], counted["chunkCount"]) == (2, 2)
