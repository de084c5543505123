"""Every failure is a problem document with a code and advice, whatever was sent where."""

from __future__ import annotations

import json

import pytest

from tests.support.tenants import Api, Json, Tenant

pytestmark = pytest.mark.feature("A4")
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/unicorns", "/api/orgs/x/y/z/w/v", "/docs/none", "/v9"])
async def test_unknown_addresses(tenant: Tenant, path: str) -> None:
    problem = await tenant.owner.refused("GET", path, 404, "not_found")
    assert "/docs" in problem["advice"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "knowledge"),
        ("PUT", "knowledge"),
        ("PUT", "knowledge/x"),
        ("GET", "knowledge/x/search"),
        ("GET", "knowledge/x/files"),
        ("POST", "receipts/x"),
        ("POST", "/health"),
        ("DELETE", "/api/auth/me"),
        ("GET", "/api/auth/login"),
    ],
)
async def test_methods_that_there_are_not(tenant: Tenant, method: str, path: str) -> None:
    await tenant.owner.refused(method, path, 405, "read_only")
    assert (await tenant.owner.call(method, path)).headers["allow"]


ORG = "/api/orgs/{slug}"
# Every route that takes JSON, with a place where it is tried.
BODIES: dict[tuple[str, str], str] = {
    ("POST", f"{ORG}/{{collection}}"): "knowledge",
    ("PATCH", f"{ORG}/{{collection}}/{{id_or_key}}"): "knowledge/bodies",
    ("POST", f"{ORG}/knowledge/{{id_or_key}}/texts"): "knowledge/bodies/texts",
    ("POST", f"{ORG}/knowledge/{{id_or_key}}/search"): "knowledge/bodies/search",
    ("POST", f"{ORG}/knowledge/{{id_or_key}}/chat"): "knowledge/bodies/chat",
    ("POST", f"{ORG}/agents/{{id_or_key}}/chat"): "agents/bodies/chat",
    ("PATCH", f"{ORG}/documents/{{document_id}}"): "documents/{document}",
    ("PUT", f"{ORG}/documents/{{document_id}}/audience"): "documents/{document}/audience",
    ("POST", f"{ORG}/entity-types"): "entity-types",
    ("PATCH", f"{ORG}/entity-types/{{key}}"): "entity-types/agents",
    ("POST", f"{ORG}/invitations"): "invitations",
    ("POST", f"{ORG}/api-keys"): "api-keys",
    ("PATCH", f"{ORG}/users/{{id_or_email}}"): "users/{user}",
    ("PATCH", ORG): "",
    ("POST", "/api/orgs"): "/api/orgs",
    ("POST", "/api/auth/login"): "/api/auth/login",
    ("POST", "/api/auth/session"): "/api/auth/session",
    ("POST", "/api/auth/refresh"): "/api/auth/refresh",
    ("POST", "/api/auth/logout"): "/api/auth/logout",
    ("POST", "/api/auth/accept"): "/api/auth/accept",
    ("POST", "/api/auth/password"): "/api/auth/password",
}
TRIED = [(method, place) for (method, _), place in BODIES.items()]


@pytest.fixture(scope="module")
async def places(tenant: Tenant) -> dict[str, str]:
    corpus = (await tenant.editor.create("knowledge", name="Bodies", key="bodies"))["key"]
    document = await tenant.editor.ingest(corpus, "a.md", "Words.")
    await tenant.editor.create("agents", name="Bodies", key="bodies")
    return {"document": document, "user": await tenant.user_id("VIEWER")}


async def test_no_route_with_a_body_is_forgotten(tenant: Tenant) -> None:
    """A new route with a JSON body belongs into BODIES above."""
    routes = {
        (method.upper(), path)
        for path, methods in tenant.deployment.app.openapi()["paths"].items()
        for method, route in methods.items()
        if "application/json" in route.get("requestBody", {}).get("content", {}) and path.startswith("/api/")
    }
    assert routes == set(BODIES), f"BODIES in {__file__} and the routes differ: {routes ^ set(BODIES)}"


@pytest.mark.parametrize(("method", "path"), TRIED)
@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (b"{", JSON),
        (b"", JSON),
        (b"null", JSON),
        (b"[]", JSON),
        (b'"text"', JSON),
        (b"\xff\xfe", JSON),
        (b"NaN", JSON),
        (b"[" * 100_000, JSON),
        (b"{}", {"content-type": "text/plain"}),
        (b"a=b", {"content-type": "application/x-www-form-urlencoded"}),
    ],
)
async def test_bodies_that_are_none(
    tenant: Tenant, places: dict[str, str], method: str, path: str, content: bytes, headers: dict[str, str]
) -> None:
    optional = path in {"/api/auth/refresh", "/api/auth/logout"}
    if optional and content in {b"", b"null"}:
        return
    answer = await tenant.owner.call(method, path.format(**places), content=content, headers=headers)
    assert answer.status_code in {400, 415, 422}, answer.text
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json" and problem["code"] and problem["advice"]


@pytest.mark.parametrize(("method", "path"), TRIED)
async def test_unknown_fields_are_refused(tenant: Tenant, places: dict[str, str], method: str, path: str) -> None:
    for unknown in ("orgId", "id", "isAdmin"):
        problem = await tenant.owner.refused(method, path.format(**places), 422, json={unknown: "x"})
        assert problem["code"] in {"unknown_field", "invalid_input"} and problem["field"], problem


async def test_an_unknown_field_beside_good_ones(tenant: Tenant, places: dict[str, str]) -> None:
    good: list[tuple[str, str, Json]] = [
        ("POST", "knowledge", {"properties": {"name": "A"}}),
        ("PATCH", "knowledge/bodies", {"properties": {"name": "A"}}),
        ("POST", "knowledge/bodies/texts", {"title": "T", "text": "W"}),
        ("POST", "knowledge/bodies/search", {"query": "x"}),
        ("POST", "knowledge/bodies/chat", {"message": "x"}),
        ("PATCH", f"documents/{places['document']}", {"properties": {"tags": []}}),
        ("PUT", f"documents/{places['document']}/audience", {"everyone": True}),
        ("POST", "invitations", {"email": "new@example.org"}),
        ("POST", "api-keys", {"properties": {"name": "k"}}),
        ("PATCH", f"users/{places['user']}", {"properties": {"role": "VIEWER"}}),
        ("POST", "/api/orgs", {"slug": "new", "name": "New"}),
        ("POST", "/api/auth/login", {"email": "a@example.org", "password": "x"}),
    ]
    for method, path, body in good:
        problem = await tenant.owner.refused(method, path, 422, json={**body, "orgId": "mine"})
        assert problem["field"] == "orgId" and problem["code"] == "unknown_field", (path, problem)
        if "properties" in body:
            inside = {"properties": {**body["properties"], "orgId": "mine"}}
            problem = await tenant.owner.refused(method, path, 422, json=inside)
            assert problem["field"].removeprefix("properties.") == "orgId", (path, problem)


@pytest.mark.parametrize("text", ["\x00", "half \ud800", "\ud83d"])
async def test_text_that_no_database_keeps(tenant: Tenant, places: dict[str, str], text: str) -> None:
    def sent(body: Json) -> bytes:
        return json.dumps(body).encode()  # escapes what UTF-8 cannot hold

    for method, path, body in (
        ("POST", "knowledge", {"properties": {"name": text}}),
        ("POST", "knowledge", {"properties": {"name": "A", text: "x"}}),
        ("PATCH", "knowledge/bodies", {"properties": {"description": text}}),
        ("PATCH", f"documents/{places['document']}", {"properties": {"name": text}}),
        ("PATCH", f"documents/{places['document']}", {"properties": {"tags": [text]}}),
        ("POST", "invitations", {"email": f"{text}@example.org"}),
        ("POST", "api-keys", {"properties": {"name": text}}),
        ("PATCH", "", {"name": text}),
    ):
        answer = await tenant.owner.call(method, path, content=sent(body), headers=JSON)
        assert answer.status_code == 422, (method, path, body, answer.status_code, answer.text)
        assert answer.json()["advice"]


@pytest.mark.parametrize("hostile", ["%00", "%FF", "a%60b", "'--", "%F0%9F%A7%AD", "..%2f..", "x" * 5000, "%22%7D)"])
async def test_hostile_ids_are_absent(tenant: Tenant, hostile: str) -> None:
    for path in (
        "knowledge/{}",
        "documents/{}",
        "documents/{}/text",
        "receipts/{}",
        "entity-types/{}",
        "users/{}",
        "{}",
    ):
        answer = await tenant.owner.call("GET", path.format(hostile))
        assert answer.status_code in {404, 422}, (path, answer.status_code, answer.text)
        assert answer.json()["advice"]


async def test_a_huge_body_is_refused_before_it_is_read(tenant: Tenant, places: dict[str, str]) -> None:
    body = {"title": "T", "text": "w" * 30_000_000}
    await tenant.owner.refused("POST", "knowledge/bodies/texts", 413, "too_large", json=body)
    long = {"properties": {"name": "n" * 30_000_000}}
    await tenant.owner.refused("POST", "knowledge", 413, "too_large", json=long)
    nobody = Api(tenant.deployment, tenant.slug, {})
    for method, path in (("PATCH", "knowledge/files"), ("PATCH", "agents/files"), ("POST", "files")):
        await nobody.refused(method, path, 413, "too_large", json=long)


@pytest.mark.parametrize("header", ["Bearer", "Basic YTpi", "Bearer nonsense", "Bearer mtx_no", "Bearer a b", "é"])
async def test_credentials_that_are_none(tenant: Tenant, header: str) -> None:
    nobody = Api(tenant.deployment, tenant.slug, {})
    answer = await nobody.call("GET", "knowledge", headers={"Authorization": header.encode("latin-1")})
    assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer", answer.text
    assert answer.json()["advice"]


async def test_the_bare_address_leads_to_the_documentation(tenant: Tenant) -> None:
    answer = await tenant.owner.call("GET", "/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/docs")


@pytest.mark.parametrize("body", ["{bad", "\x00", '{"properties": '])
async def test_broken_json_is_called_that(tenant: Tenant, body: str) -> None:
    problem = await tenant.editor.refused("POST", "knowledge", 422, "bad_request", content=body, headers=JSON)
    assert problem["detail"] == "The body is no JSON." and "field" not in problem


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("text/plain", '{"properties": {"name": "A"}}', "sent as «text/plain»"),
        ("application/x-www-form-urlencoded", "name=A", "sent as «application/x-www-form-urlencoded»"),
        ("application/json", "[1]", "no JSON object"),
        ("application/json", "null", "no JSON object"),
        ("", "", "no Content-Type"),
    ],
)
async def test_a_body_that_is_no_object_is_told_what_it_lacks(tenant: Tenant, kind: str, body: str, words: str) -> None:
    headers = {"Content-Type": kind} if kind else {}
    problem = await tenant.editor.refused("POST", "knowledge", 422, "bad_request", content=body, headers=headers)
    assert words in problem["detail"] and "JSON" in problem["advice"] + problem["detail"]
