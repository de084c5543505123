"""The five calls of every collection."""

from __future__ import annotations

import asyncio

import pytest

from matrix.domain.ids import new_id
from tests.support.tenants import Json, Tenant

pytestmark = pytest.mark.feature("A1", "A4")

# What a client may create, with properties that are enough.
CREATABLE: dict[str, tuple[str, Json, Json]] = {
    "knowledge": ("EDITOR", {"name": "Handbook", "chunkSize": 500, "topK": 3}, {"description": "About leave"}),
    "agents": ("EDITOR", {"name": "Guide", "instructions": "Be brief."}, {"noAnswer": "Not in my papers."}),
    "teams": ("ADMIN", {"name": "Field crew"}, {"description": "Outdoors"}),
    "model-providers": ("ADMIN", {"name": "Here", "kind": "LOCAL"}, {"model": "any"}),
}
READ_ONLY = ("chunks", "messages", "jobs", "tools")


@pytest.mark.parametrize("collection", CREATABLE)
async def test_create_read_change_list_delete(tenant: Tenant, collection: str) -> None:
    role, properties, change = CREATABLE[collection]
    api = tenant.as_(role)
    made = await api.create(collection, key=f"mine-{new_id()[-6:]}", **properties)
    assert made["orgSlug"] == tenant.slug and made["key"].startswith("mine-")
    assert properties.items() <= made["properties"].items()
    assert made["createdAt"] == made["updatedAt"] or made["createdAt"] < made["updatedAt"]
    for name in (made["id"], made["key"]):
        assert await tenant.viewer.ok("GET", f"{collection}/{name}") == made
    changed = await api.ok("PATCH", f"{collection}/{made['key']}", json={"properties": change})
    assert changed["properties"] == {**made["properties"], **change}
    assert made["id"] in [item["id"] for item in await tenant.viewer.items(collection)]
    await api.call("DELETE", f"{collection}/{made['id']}")
    await api.refused("GET", f"{collection}/{made['id']}", 404, "not_found")
    assert made["id"] not in [item["id"] for item in await tenant.viewer.items(collection)]


@pytest.mark.parametrize("collection", CREATABLE)
async def test_a_role_below_the_lowest_is_refused(tenant: Tenant, collection: str) -> None:
    role, properties, change = CREATABLE[collection]
    lower = tenant.as_("VIEWER" if role == "EDITOR" else "EDITOR")
    made = await tenant.as_(role).create(collection, **properties)
    await lower.refused("POST", collection, 403, "not_allowed", json={"properties": properties})
    await lower.refused("PATCH", f"{collection}/{made['id']}", 403, "not_allowed", json={"properties": change})
    await lower.refused("DELETE", f"{collection}/{made['id']}", 403, "not_allowed")
    await lower.refused("DELETE", f"{collection}/absent", 404, "not_found")
    assert (await lower.ok("GET", f"{collection}/{made['id']}"))["properties"] == made["properties"]


@pytest.mark.parametrize("collection", READ_ONLY)
async def test_what_matrix_writes_is_read_only(tenant: Tenant, collection: str) -> None:
    owner = tenant.owner
    assert isinstance(await owner.items(collection), list)
    await owner.refused("POST", collection, 405, "read_only", json={"properties": {}})
    await owner.refused("PATCH", f"{collection}/x", 405, "read_only", json={"properties": {}})
    await owner.refused("DELETE", f"{collection}/x", 405, "read_only")


async def test_an_answer_405_names_what_is_allowed(tenant: Tenant) -> None:
    answer = await tenant.owner.call("POST", "jobs", json={"properties": {}})
    assert answer.headers["allow"] == "GET"


async def test_a_key_that_is_given_is_taken_once_and_for_good(tenant: Tenant) -> None:
    made = await tenant.editor.create("knowledge", name="One", key="given")
    again = {"name": "Other", "key": "given"}
    problem = await tenant.editor.refused("POST", "knowledge", 409, "conflict", json={"properties": again})
    assert "given" in problem["detail"]
    await tenant.editor.refused(
        "PATCH", f"knowledge/{made['id']}", 422, "invalid_input", json={"properties": {"key": "other"}}
    )


@pytest.mark.parametrize("collection", CREATABLE)
async def test_a_name_may_be_used_twice_and_its_key_is_made(tenant: Tenant, collection: str) -> None:
    role, properties, _ = CREATABLE[collection]
    named = {**properties, "name": "Product Handbook 2026"}
    made = [await tenant.as_(role).create(collection, **named) for _ in range(3)]
    assert made[0]["key"] == "product-handbook-2026"
    assert len({one["key"] for one in made}) == 3
    assert all(one["key"].startswith("product-handbook-2026") for one in made)


async def test_names_of_any_script_and_none_at_once(tenant: Tenant) -> None:
    for name in ("日本2", "中国2", "Ελλάδα", "🧭", "2", "2"):
        await tenant.editor.create("knowledge", name=name)
    names = [f"At once {n % 2}" for n in range(6)]
    made = await asyncio.gather(*(tenant.editor.create("agents", name=name) for name in names))
    assert len({one["key"] for one in made}) == len(names)


async def test_an_own_type_without_names_takes_more_than_one(tenant: Tenant) -> None:
    key = f"readings-{new_id()[-6:]}"
    body = {"properties": {"key": key, "name": "Reading", "properties": [{"name": "value", "type": "NUMBER"}]}}
    await tenant.admin.ok("POST", "entity-types", 201, json=body)
    made = [await tenant.editor.create(key, value=n) for n in range(3)]
    assert len({one["key"] for one in made}) == 3 and all(one["key"].startswith(key) for one in made)


@pytest.mark.parametrize("collection", CREATABLE)
async def test_names_have_one_rule_everywhere(tenant: Tenant, collection: str) -> None:
    role, properties, _ = CREATABLE[collection]
    api = tenant.as_(role)
    made = await api.create(collection, **{**properties, "name": "  Trimmed  "})
    assert made["properties"]["name"] == "Trimmed"
    for name in ("   ", "x" * 201, "two\nlines", "\u202egnp.exe"):
        bad = {"properties": {**properties, "name": name}}
        for method, path in (("POST", collection), ("PATCH", f"{collection}/{made['id']}")):
            assert (await api.refused(method, path, 422, "invalid_input", json=bad))["field"] == "name"


async def test_names_of_what_is_no_collection_have_the_same_rule(tenant: Tenant) -> None:
    for name in ("x" * 201, "two\nlines", " "):
        for method, path, body in (
            ("PATCH", "", {"name": name}),
            ("POST", "api-keys", {"properties": {"name": name}}),
            ("POST", "entity-types", {"properties": {"key": "some-type", "name": name}}),
        ):
            assert (await tenant.owner.refused(method, path, 422, json=body))["field"] == "name"


@pytest.mark.parametrize(
    ("field", "properties"),
    [
        ("name", {}),
        ("name", {"name": ""}),
        ("name", {"name": 7}),
        ("name", {"name": None}),
        ("key", {"name": "A", "key": "Not A Key"}),
        ("key", {"name": "A", "key": 5}),
        ("chunkSize", {"name": "A", "chunkSize": 199}),
        ("chunkSize", {"name": "A", "chunkSize": 200.5}),
        ("chunkSize", {"name": "A", "chunkSize": "2000"}),
        ("chunkSize", {"name": "A", "chunkSize": True}),
        ("chunkOverlap", {"name": "A", "chunkSize": 300, "chunkOverlap": 300}),
        ("kind", {"name": "A", "kind": "SECRET"}),
        ("acceptedTypes", {"name": "A", "acceptedTypes": "pdf"}),
        ("chunkCount", {"name": "A", "chunkCount": 7}),
        ("minScore", {"name": "A", "minScore": 2}),
        ("color", {"name": "A", "color": "red"}),
        ("id", {"name": "A", "id": "mine"}),
        ("orgId", {"name": "A", "orgId": "other"}),
        ("audienceId", {"name": "A", "audienceId": "all"}),
        ("graphragEnabled", {"name": "A", "graphragEnabled": True}),
    ],
)
async def test_a_wrong_property_is_named(tenant: Tenant, field: str, properties: dict[str, object]) -> None:
    before = await tenant.editor.items("knowledge?limit=100")
    problem = await tenant.editor.refused("POST", "knowledge", 422, json={"properties": properties})
    assert problem["field"] == field, problem
    assert await tenant.editor.items("knowledge?limit=100") == before


async def test_a_change_that_does_not_fit_the_rest_is_refused(tenant: Tenant) -> None:
    made = await tenant.editor.create("knowledge", name="Small", chunkSize=400, chunkOverlap=100)
    for properties in ({"chunkOverlap": 400}, {"chunkSize": 200, "chunkOverlap": 200}, {"name": None}):
        problem = await tenant.editor.refused("PATCH", f"knowledge/{made['id']}", 422, json={"properties": properties})
        assert problem["field"] in {"chunkOverlap", "name"}
    assert (await tenant.viewer.ok("GET", f"knowledge/{made['id']}"))["properties"] == made["properties"]


async def test_null_takes_a_property_away(tenant: Tenant) -> None:
    made = await tenant.editor.create("knowledge", name="Described", description="Old")
    changed = await tenant.editor.ok("PATCH", f"knowledge/{made['id']}", json={"properties": {"description": None}})
    assert changed["properties"].get("description") is None


async def test_pages_follow_each_other_without_gap_or_repeat(tenant: Tenant) -> None:
    made = [(await tenant.editor.create("agents", name=f"Page {n}"))["id"] for n in range(7)]
    seen: list[str] = []
    cursor, pages = "", 0
    while cursor is not None:
        page = await tenant.viewer.ok("GET", f"agents?limit=3&q=Page&cursor={cursor}")
        assert len(page["items"]) <= 3
        seen += [item["id"] for item in page["items"]]
        cursor, pages = page["nextCursor"], pages + 1
    assert seen == made[::-1] and pages == 3


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=many", "limit"),
        ("cursor=nonsense", "cursor"),
        ("cursor=%00", "cursor"),
        ("color=red", "color"),
        ("topK=many", "topK"),
        (f"q={'x' * 201}", "q"),
    ],
)
async def test_a_wrong_page_or_filter_is_named(tenant: Tenant, query: str, field: str) -> None:
    problem = await tenant.viewer.refused("GET", f"knowledge?{query}", 422)
    assert problem["field"] == field, problem


async def test_a_page_holds_up_to_a_hundred(tenant: Tenant) -> None:
    await tenant.viewer.ok("GET", "knowledge?limit=1")
    await tenant.viewer.ok("GET", "knowledge?limit=100")


async def test_lists_are_narrowed_by_properties_and_name(tenant: Tenant) -> None:
    web = await tenant.editor.create("knowledge", name="Narrow site", kind="WEB", topK=5)
    files = await tenant.editor.create("knowledge", name="Narrow files", topK=6)
    named = await tenant.viewer.items("knowledge?q=narrow")
    assert {item["id"] for item in named} == {web["id"], files["id"]}
    assert [item["id"] for item in await tenant.viewer.items("knowledge?q=narrow&kind=WEB")] == [web["id"]]
    assert [item["id"] for item in await tenant.viewer.items("knowledge?q=narrow&topK=6")] == [files["id"]]


async def test_a_secret_is_written_and_never_read_back(tenant: Tenant) -> None:
    secret = f"sk-{new_id()}"
    made = await tenant.admin.create("model-providers", name="Mine", kind="OPENAI", apiKey=secret)
    assert made["properties"]["hasApiKey"] is True
    for path in (f"model-providers/{made['id']}", "model-providers", "entity-types/model-providers"):
        assert secret not in (await tenant.owner.call("GET", path)).text
    rows = await tenant.deployment.database.read(
        "MATCH (n:ModelProvider {id: $id}) RETURN n.apiKey AS key", id=made["id"]
    )
    assert rows[0]["key"] and secret not in rows[0]["key"]
    await tenant.viewer.refused("GET", f"model-providers?apiKey={secret}", 422, "unknown_field")


async def test_members_of_a_team_are_people_of_the_organization(tenant: Tenant) -> None:
    viewer = await tenant.user_id("VIEWER")
    team = await tenant.admin.create("teams", name="Readers", members=[viewer])
    assert team["properties"]["members"] == [viewer]
    problem = await tenant.admin.refused(
        "POST", "teams", 422, json={"properties": {"name": "No", "members": ["nobody"]}}
    )
    assert problem["field"] == "members"
    await tenant.owner.refused("PATCH", f"teams/{team['id']}", 422, json={"properties": {"members": viewer}})


async def test_an_unknown_collection_is_absent(tenant: Tenant) -> None:
    for method in ("GET", "POST"):
        await tenant.owner.refused(method, "unicorns", 404, "not_found", json={"properties": {}})
    for method in ("GET", "PATCH", "DELETE"):
        await tenant.owner.refused(method, "unicorns/x", 404, "not_found", json={"properties": {}})
