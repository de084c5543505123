"""Files into a corpus: one entry a file, refusals beside what goes on, and requests that are no uploads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from matrix.api.rest import uploads
from matrix.graph.database import Database
from tests.support.application import UNHURRIED, Deployment, deployment_over
from tests.support.snapshot import count_nodes
from tests.support.tenants import Tenant

pytestmark = pytest.mark.feature("B3", "B14")

FILE, REQUEST, FILES, TEXT = 20_000, 60_000, 4, 5_000
BOUNDARY = {"content-type": "multipart/form-data; boundary=cut"}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"


@pytest.fixture(scope="module")
async def deployment(database: Database, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deployment]:
    small = UNHURRIED.model_copy(
        update={
            "upload_file_bytes": FILE,
            "upload_request_bytes": REQUEST,
            "upload_files": FILES,
            "text_characters": TEXT,
        }
    )
    async with deployment_over(database, tmp_path_factory.mktemp("data"), small) as made:
        yield made


def part(name: str, content: bytes, field: str = "file") -> bytes:
    head = f'--cut\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
    return head.encode() + content + b"\r\n"


END = b"--cut--\r\n"


async def test_one_file(tenant: Tenant, corpus: str) -> None:
    [entry] = await tenant.editor.send(corpus, [("leave.md", b"# Leave\n\nThirty days a year.")])
    assert entry["name"] == "leave.md" and entry["status"] == "PENDING" and entry["version"] == 1
    assert entry["id"] and entry["jobId"] and entry["error"] is None
    job = await tenant.viewer.ok("GET", f"jobs/{entry['jobId']}")
    assert job["properties"]["state"] == "QUEUED" and job["properties"]["document"] == entry["id"]


async def test_many_files_have_an_outcome_each(tenant: Tenant, corpus: str) -> None:
    entries = await tenant.editor.send(
        corpus,
        [("a.txt", b"Apples."), ("empty.txt", b""), ("b.txt", b"Bread. " * 5000), ("c/d.md", b"Cheese.")],
    )
    assert [entry["name"] for entry in entries] == ["a.txt", "empty.txt", "b.txt", "c/d.md"]
    assert [bool(entry["error"]) for entry in entries] == [False, True, True, False]
    assert entries[1]["code"] == "empty_file" and entries[2]["code"] == "too_large"
    assert all(entry["advice"] for entry in entries if entry["error"])
    assert entries[1]["id"] is None and entries[2]["jobId"] is None
    names = {item["properties"]["name"] for item in await tenant.viewer.items(f"documents?knowledge={corpus}")}
    assert names == {"a.txt", "c/d.md"}


async def test_a_picture_named_text_is_refused_by_its_bytes(tenant: Tenant, corpus: str) -> None:
    entries = await tenant.editor.send(corpus, [("notes.txt", PNG), ("program.exe", b"MZ\x90\x00" + bytes(200))])
    assert [entry["code"] for entry in entries] == ["unsupported_type", "unsupported_type"]
    assert all(entry["advice"] for entry in entries)


async def test_a_corpus_may_take_some_types_only(tenant: Tenant) -> None:
    made = await tenant.editor.create("knowledge", name="Markdown only", acceptedTypes=["md"])
    entries = await tenant.editor.send(made["key"], [("a.md", b"# Yes"), ("a.html", b"<p>No</p>")])
    assert [entry["code"] for entry in entries] == [None, "unsupported_type"]
    assert ".md" in entries[1]["error"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("Überblick – 概要.md", "Überblick – 概要.md"),
        ("U\u0308bersicht.txt", "Übersicht.txt"),  # NFC for display
        ("folder/sub folder/a.txt", "folder/sub folder/a.txt"),
        ("emoji 🧭.txt", "emoji 🧭.txt"),
    ],
)
async def test_names_of_any_script(tenant: Tenant, corpus: str, sent: str, kept: str) -> None:
    [entry] = await tenant.editor.send(corpus, [(sent, b"Some words.")])
    assert (entry["error"], entry["name"]) == (None, kept)
    document = await tenant.viewer.ok("GET", f"documents/{entry['id']}")
    assert document["properties"]["name"] == kept


@pytest.mark.parametrize("name", ["../../etc/passwd.txt", "/etc/passwd.txt", "a\\..\\b.txt", "C:\\secret.txt"])
async def test_hostile_names_lead_nowhere(tenant: Tenant, corpus: str, name: str) -> None:
    answer = await tenant.editor.ok(
        "POST", f"knowledge/{corpus}/files", 202, content=part(name, b"Words.") + END, headers=BOUNDARY
    )
    [entry] = answer["documents"]
    assert entry["error"] or not (entry["name"].startswith("/") or ".." in entry["name"].split("/"))


@pytest.mark.parametrize(
    ("content", "headers", "code"),
    [
        (b"--cut\r\nContent-Dispo", BOUNDARY, "invalid_input"),
        (b"", BOUNDARY, "invalid_input"),
        (b"rubbish", BOUNDARY, "invalid_input"),
        (END, BOUNDARY, "invalid_input"),
        (b"--cut\r\n" + b"X" * 9000 + b": y\r\n\r\n\r\n" + END, BOUNDARY, "invalid_input"),
        (part("a.txt", b"Words.", field="document") + END, BOUNDARY, "invalid_input"),
        (
            b'--cut\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file name\r\n' + END,
            BOUNDARY,
            "invalid_input",
        ),
        (b"{}", {"content-type": "application/json"}, "not_multipart"),
        (b"x", {"content-type": "multipart/form-data"}, "not_multipart"),
        (b"x", {}, "not_multipart"),
    ],
)
async def test_what_is_no_upload_says_why(
    tenant: Tenant, corpus: str, content: bytes, headers: dict[str, str], code: str
) -> None:
    problem = await tenant.editor.refused(
        "POST", f"knowledge/{corpus}/files", 422, code, content=content, headers=headers
    )
    assert "file" in problem["advice"].lower() or "again" in problem["advice"].lower()


async def test_what_was_taken_before_the_damage_is_told(tenant: Tenant, corpus: str) -> None:
    path = f"knowledge/{corpus}/files"
    whole, cut = part("whole.txt", b"Words."), part("cut.txt", b"Words that end in the mid")[:-2]
    inside = (await tenant.editor.ok("POST", path, 202, content=whole + cut, headers=BOUNDARY))["documents"]
    assert [(entry["name"], entry["code"]) for entry in inside] == [("whole.txt", None), ("cut.txt", "invalid_input")]
    between = (await tenant.editor.ok("POST", path, 202, content=whole + b"--cut\r\nCont", headers=BOUNDARY))[
        "documents"
    ]
    assert [entry["code"] for entry in between] == [None, "invalid_input"]
    names = [item["properties"]["name"] for item in await tenant.viewer.items(f"documents?knowledge={corpus}")]
    assert names == ["whole.txt"]


async def test_each_file_beyond_the_limit_is_named(tenant: Tenant, corpus: str) -> None:
    entries = await tenant.editor.send(corpus, [(f"{n}.txt", b"Words.") for n in range(FILES + 3)])
    assert [entry["name"] for entry in entries] == [f"{n}.txt" for n in range(FILES + 3)]
    assert [entry["code"] for entry in entries] == [None] * FILES + ["too_large"] * 3
    assert all(entry["advice"] and entry["error"] and entry["id"] is None for entry in entries[FILES:])
    assert len(await tenant.viewer.items(f"documents?knowledge={corpus}")) == FILES


async def test_a_flood_of_parts_is_not_listed_for_ever(
    tenant: Tenant, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "REFUSALS_NAMED", 2)
    entries = await tenant.editor.send(corpus, [(f"{n}.txt", b"Words.") for n in range(FILES + 9)])
    assert [entry["name"] for entry in entries[FILES:]] == [f"{FILES}.txt", f"{FILES + 1}.txt", ""]
    assert entries[-1]["code"] == "too_large" and "rest" in entries[-1]["error"]


async def test_too_many_bytes_at_once(tenant: Tenant, corpus: str) -> None:
    entries = await tenant.editor.send(corpus, [(f"{n}.txt", b"w" * (REQUEST // 3)) for n in range(FILES)])
    assert [entry["code"] for entry in entries] == [None, None, "too_large"]
    problem = await tenant.editor.refused(
        "POST",
        f"knowledge/{corpus}/files",
        413,
        "too_large",
        files=[("other", ("a.txt", b"w" * REQUEST)), ("file", ("b.txt", b"Words."))],
    )
    assert "MiB" in problem["detail"]


async def test_a_corpus_that_is_not_there(tenant: Tenant) -> None:
    await tenant.editor.refused(
        "POST", "knowledge/absent/files", 404, "not_found", files=[("file", ("a.txt", b"Words."))]
    )
    await tenant.editor.refused("POST", "knowledge/absent/texts", 404, json={"title": "T", "text": "Words."})


async def test_a_viewer_adds_nothing(tenant: Tenant, corpus: str) -> None:
    before = await count_nodes(tenant.deployment.database)
    await tenant.viewer.refused(
        "POST", f"knowledge/{corpus}/files", 403, "not_allowed", files=[("file", ("a.txt", b"Words."))]
    )
    await tenant.viewer.refused("POST", f"knowledge/{corpus}/texts", 403, json={"title": "T", "text": "Words."})
    assert await count_nodes(tenant.deployment.database) == before


async def test_the_same_bytes_again_are_no_work(tenant: Tenant, corpus: str) -> None:
    [first] = await tenant.editor.send(corpus, [("same.txt", b"The same words.")])
    await tenant.deployment.work_off()
    [again] = await tenant.editor.send(corpus, [("same.txt", b"The same words.")])
    assert again["unchanged"] is True and again["id"] == first["id"] and again["version"] == 1
    assert await tenant.deployment.work_off() == 0
    [other] = await tenant.editor.send(corpus, [("copy.txt", b"The same words.")])
    assert other["id"] != first["id"]


async def test_texts(tenant: Tenant, corpus: str) -> None:
    sent = await tenant.editor.ok(
        "POST", f"knowledge/{corpus}/texts", 202, json={"title": "House rules", "text": "# Rules\n\nNo shoes."}
    )
    [entry] = sent["documents"]
    assert entry["error"] is None and "House rules" in entry["name"]
    await tenant.deployment.work_off()
    document = (await tenant.viewer.ok("GET", f"documents/{entry['id']}"))["properties"]
    assert document["status"] == "COMPLETED" and document["sourceKind"] == "TEXT"
    assert [hit["documentId"] for hit in await tenant.viewer.search(corpus, "shoes")] == [entry["id"]]


async def test_texts_that_are_refused(tenant: Tenant, corpus: str) -> None:
    path = f"knowledge/{corpus}/texts"
    for field, body in (
        ("title", {"text": "Words."}),
        ("text", {"title": "T"}),
        ("text", {"title": "T", "text": ""}),
        ("title", {"title": "t" * 301, "text": "Words."}),
        ("url", {"title": "T", "text": "Words.", "url": "http://x"}),
    ):
        assert (await tenant.editor.refused("POST", path, 422, json=body))["field"] == field
    [entry] = (await tenant.editor.ok("POST", path, 202, json={"title": "T", "text": "w" * (TEXT + 1)}))["documents"]
    assert entry["code"] == "too_large"
    half = b'{"title": "T", "text": "half \\ud800 a character"}'
    problem = await tenant.editor.refused("POST", path, 422, content=half, headers={"content-type": "application/json"})
    assert problem["field"] == "text"


async def test_nothing_of_a_refused_file_stays(tenant: Tenant, corpus: str) -> None:
    blobs = Path(tenant.deployment.services.settings.data_dir) / "blobs"
    before = sum(1 for path in blobs.rglob("*") if path.is_file())
    await tenant.editor.send(corpus, [("empty.txt", b""), ("big.txt", b"w" * (FILE + 1)), ("p.txt", PNG)])
    assert sum(1 for path in blobs.rglob("*") if path.is_file()) == before


async def test_a_boundary_that_is_none_is_told(tenant: Tenant, corpus: str) -> None:
    headers = {"content-type": f"multipart/form-data; boundary={'b' * 5000}"}
    await tenant.editor.refused("POST", f"knowledge/{corpus}/files", 422, headers=headers, content=b"--b\r\n")
