"""Health and readiness, the documentation page, the headers on every answer, and how often one may ask."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from matrix.api.application import create_application
from matrix.graph.database import open_database
from tests.support.tenants import Api, Tenant

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


@pytest.mark.feature("H4")
async def test_health_and_readiness_need_no_credentials(tenant: Tenant) -> None:
    nobody = Api(tenant.deployment, tenant.slug, {})
    assert (await nobody.ok("GET", "/health"))["status"] == "ok"
    assert (await nobody.ok("GET", "/ready"))["status"] == "ready"
    for path in ("/health", "/ready"):
        asked = await nobody.call("HEAD", path)
        assert (asked.status_code, asked.content) == (200, b"")


@pytest.mark.feature("H4")
async def test_without_a_database_it_lives_and_is_not_ready(tenant: Tenant) -> None:
    async with open_database("bolt://127.0.0.1:9", "neo4j", "nothing") as gone:
        services = replace(tenant.deployment.services, database=gone)
        client = tenant.deployment.client(app=create_application(services))
        nobody = Api(tenant.deployment, tenant.slug, {})
        async with client:
            assert (await client.get("/health")).status_code == 200
            answer = await client.get("/ready")
    assert answer.status_code == 503 and answer.headers["retry-after"]
    assert answer.json()["code"] == "database_unavailable" and answer.json()["advice"]
    assert (await nobody.ok("GET", "/ready"))["status"] == "ready"


@pytest.mark.feature("A4")
async def test_the_documentation_loads_nothing_from_outside(tenant: Tenant) -> None:
    nobody = Api(tenant.deployment, tenant.slug, {})
    page = await nobody.call("GET", "/docs")
    assert page.status_code == 200
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert loaded and all(address.startswith("/") and not address.startswith("//") for address in loaded)
    for address in loaded:
        asset = await nobody.call("GET", address)
        assert asset.status_code == 200 and len(asset.content) > 50, address
        assert not re.search(r"@import|url\(\s*[\"']?https?:", asset.text), address
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "http" not in policy
    assert (await nobody.call("GET", "/redoc")).status_code == 404


@pytest.mark.feature("A4")
async def test_the_schema_describes_every_route_offline(tenant: Tenant) -> None:
    schema = await Api(tenant.deployment, tenant.slug, {}).ok("GET", "/openapi.json")
    assert schema["openapi"].startswith("3.")
    for path in ("/api/orgs/{slug}/knowledge/{id_or_key}/search", "/api/auth/login", "/api/orgs/{slug}/{collection}"):
        assert path in schema["paths"]
    assert "http" not in str(schema.get("servers", ""))


@pytest.mark.feature("A4", "H6")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/health"),
        ("GET", "/docs"),
        ("GET", "/openapi.json"),
        ("GET", "/nothing"),
        ("GET", "knowledge"),
        ("POST", "knowledge"),
        ("PUT", "knowledge"),
        ("GET", "/api/auth/me"),
        ("OPTIONS", "knowledge"),
        ("HEAD", "/health"),
    ],
)
async def test_every_answer_has_the_headers(tenant: Tenant, method: str, path: str) -> None:
    for api in (tenant.owner, Api(tenant.deployment, tenant.slug, {})):
        answer = await api.call(method, path)
        assert HEADERS.items() <= dict(answer.headers).items(), answer.headers
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


async def test_an_unexpected_failure_has_them_too_and_tells_nothing(tenant: Tenant) -> None:
    class Broken:
        async def for_org(self, scope: object) -> object:
            raise RuntimeError("the secret inside")

    services = tenant.deployment.services
    stores = replace(services.stores, types=Broken())  # type: ignore[arg-type]  # that is the point
    client = tenant.deployment.client(app=create_application(replace(services, stores=stores)))
    answer = await tenant.owner.call("GET", "knowledge", client=client)
    assert answer.status_code == 500 and HEADERS.items() <= dict(answer.headers).items()
    assert "secret" not in answer.text and answer.json()["code"] == "internal" and answer.json()["id"]


@pytest.mark.feature("H1")
@pytest.mark.parametrize(
    ("limit", "method", "path", "body"),
    [
        ("reads_per_minute", "GET", "knowledge", None),
        ("reads_per_minute", "GET", "entity-types/knowledge", None),
        ("writes_per_minute", "POST", "knowledge", {"properties": {"name": ""}}),
        ("writes_per_minute", "PATCH", "documents/absent", {"properties": {}}),
        ("chats_per_minute", "POST", "knowledge/absent/chat", {"message": "x"}),
        ("chats_per_minute", "POST", "agents/absent/chat", {"message": "x"}),
    ],
)
async def test_too_many_of_a_kind(tenant: Tenant, limit: str, method: str, path: str, body: object) -> None:
    app = tenant.deployment.with_limits(**{limit: 2})
    statuses = []
    for _ in range(3):
        last = await tenant.owner.call(method, path, json=body, client=tenant.deployment.client(app=app))
        statuses.append(last.status_code)
    assert 429 not in statuses[:2] and statuses[2] == 429
    problem = last.json()
    assert problem["code"] == "too_many_requests" and problem["advice"] and 1 <= int(last.headers["retry-after"]) <= 60
    assert problem["retryAfter"] == int(last.headers["retry-after"])
    other = await tenant.admin.call(method, path, json=body, client=tenant.deployment.client(app=app))
    assert other.status_code != 429


@pytest.mark.feature("H1")
async def test_keys_are_counted_by_themselves(tenant: Tenant) -> None:
    secrets = [(await tenant.owner.create("api-keys", name=f"k{n}", role="VIEWER"))["secret"] for n in range(2)]
    first, second = (Api(tenant.deployment, tenant.slug, {"Authorization": f"Bearer {s}"}) for s in secrets)
    app = tenant.deployment.with_limits(key_reads_per_minute=1, reads_per_minute=100)
    for api, statuses in ((first, [200, 429]), (second, [200, 429]), (tenant.owner, [200, 200])):
        for status in statuses:
            answer = await api.call("GET", "knowledge", client=tenant.deployment.client(app=app))
            assert answer.status_code == status


@pytest.mark.feature("H1")
async def test_uploads_are_limited_by_waiting_jobs(tenant: Tenant, corpus: str) -> None:
    from matrix.ingest.service import KnowledgeIngestService, UploadLimits

    services = tenant.deployment.services
    ingest = KnowledgeIngestService(services.stores.documents, services.blobs, UploadLimits(pending_jobs=1))
    app = create_application(replace(services, ingest=ingest))
    codes = []
    for number in range(2):
        client = tenant.deployment.client(app=app)
        [entry] = await tenant.editor.send(corpus, [(f"{number}.txt", b"Words.")], client=client)
        codes.append(entry["code"])
    assert codes == [None, "too_many_requests"]
    await tenant.deployment.work_off()


@pytest.mark.feature("A10")
async def test_trying_a_model_provider(tenant: Tenant) -> None:
    made = await tenant.admin.create("model-providers", name="Here", kind="LOCAL")
    tried = await tenant.admin.ok("POST", f"model-providers/{made['id']}/test")
    assert tried["ok"] is True and tried["model"]
    keyless = await tenant.admin.create("model-providers", name="No key", kind="GEMINI")
    problem = await tenant.admin.refused("POST", f"model-providers/{keyless['id']}/test", 502, "provider_refused")
    assert "key" in problem["advice"].lower()
    await tenant.editor.refused("POST", f"model-providers/{made['id']}/test", 403, "not_allowed")
    await tenant.admin.refused("POST", "model-providers/absent/test", 404, "not_found")
    await tenant.editor.refused("POST", "model-providers/absent/test", 404, "not_found")


@pytest.mark.feature("A10", "H2")
async def test_the_address_of_a_provider_is_checked_when_it_is_saved(tenant: Tenant) -> None:
    good = {"name": "There", "kind": "OPENAI", "baseUrl": "https://models.example.org/v1"}
    made = await tenant.admin.create("model-providers", **good)
    for url, code in (
        ("http://localhost:11434/v1", "address_forbidden"),
        ("http://169.254.169.254/", "address_forbidden"),
        ("https://models.example.org:8443/v1", "address_forbidden"),
        ("ftp://models.example.org/", "invalid_input"),
        ("https://me:secret@models.example.org/", "invalid_input"),
    ):
        bad = {"properties": {**good, "baseUrl": url}}
        for method, path in (("POST", "model-providers"), ("PATCH", f"model-providers/{made['id']}")):
            problem = await tenant.admin.refused(method, path, 422, code, json=bad)
            assert problem["field"] == "baseUrl" and "secret" not in str(problem)
            if code == "address_forbidden":
                assert "MATRIX_ALLOWED_PRIVATE_HOSTS" in problem["advice"]
    kept = await tenant.admin.ok("GET", f"model-providers/{made['id']}")
    assert kept["properties"]["baseUrl"] == good["baseUrl"]


@pytest.mark.feature("A10", "H2")
async def test_a_host_that_the_settings_list_may_be_private(tenant: Tenant) -> None:
    services = tenant.deployment.services
    settings = services.settings.model_copy(update={"allowed_private_hosts": ("localhost:11434",)})
    app = create_application(replace(services, settings=settings))
    local = {"name": "Ollama", "kind": "OPENAI", "baseUrl": "http://localhost:11434/v1"}
    body = {"properties": local}
    answer = await tenant.admin.call("POST", "model-providers", json=body, client=tenant.deployment.client(app=app))
    assert answer.status_code == 201, answer.text
    path = f"model-providers/{answer.json()['id']}"
    renamed = await tenant.admin.ok("PATCH", path, json={"properties": {"name": "Here"}})  # no longer listed, but kept
    assert renamed["properties"]["baseUrl"] == local["baseUrl"]
    problem = await tenant.admin.refused("POST", f"{path}/test", 502, "address_forbidden")
    assert "localhost:11434" in problem["advice"]
