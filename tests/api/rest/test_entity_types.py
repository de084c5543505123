"""An organization's own types and fields, made while everything runs and usable at once."""

from __future__ import annotations

import pytest

from matrix.domain.ids import new_id
from tests.support.tenants import Json, Tenant, new_tenant

pytestmark = pytest.mark.feature("A1", "A9")


def type_of(key: str, *properties: Json) -> Json:
    return {"properties": {"key": key, "name": key.title(), "properties": list(properties)}}


@pytest.fixture
async def boats(tenant: Tenant) -> str:
    """A type with a property of each kind."""
    key = f"boats-{new_id()[-6:]}"
    body = type_of(
        key,
        {"name": "name", "required": True},
        {"name": "length", "type": "NUMBER", "minimum": 1, "maximum": 400},
        {"name": "afloat", "type": "BOOLEAN", "default": True},
        {"name": "built", "type": "DATE"},
        {"name": "rig", "choices": ["SLOOP", "KETCH"]},
        {"name": "harbours", "multi": True},
        {"name": "manual", "type": "ENTITY", "targetEntityType": "knowledge"},
        {"name": "fleet", "type": "ENTITY", "targetEntityType": key, "multi": True},
    )
    made = await tenant.admin.ok("POST", "entity-types", 201, json=body)
    assert made["id"] == key and made["properties"]["builtIn"] is False
    return key


async def test_a_new_type_is_used_at_once(tenant: Tenant, boats: str, corpus: str) -> None:
    fjord = await tenant.editor.create(
        boats, key="fjord", name="Fjord", length=12, built="2019-05-01", rig="SLOOP", harbours=["Kiel", "Oslo"]
    )
    assert fjord["key"] == "fjord" and fjord["properties"]["afloat"] is True
    sund = await tenant.editor.create(boats, key="sund", name="Sund", manual=corpus, fleet=["fjord"])
    knowledge = (await tenant.viewer.ok("GET", f"knowledge/{corpus}"))["id"]
    assert sund["properties"]["manual"] == knowledge and sund["properties"]["fleet"] == [fjord["id"]]
    assert await tenant.viewer.ok("GET", f"{boats}/sund") == sund
    assert {item["key"] for item in await tenant.viewer.items(boats)} == {"fjord", "sund"}
    assert [i["key"] for i in await tenant.viewer.items(f"{boats}?length=12&rig=SLOOP&afloat=true")] == ["fjord"]
    assert [i["key"] for i in await tenant.viewer.items(f"{boats}?fleet={fjord['id']}")] == ["sund"]
    assert [i["key"] for i in await tenant.viewer.items(f"{boats}?harbours=Oslo")] == ["fjord"]
    rows = await tenant.deployment.database.read(
        "MATCH (:Entity {id: $id})-[r:REFERS_TO]->(t) RETURN r.property AS property, t.id AS target", id=sund["id"]
    )
    assert {(row["property"], row["target"]) for row in rows} == {("manual", knowledge), ("fleet", fjord["id"])}
    changed = await tenant.editor.ok("PATCH", f"{boats}/sund", json={"properties": {"fleet": [], "length": 9}})
    assert changed["properties"]["fleet"] == [] and changed["properties"]["length"] == 9
    await tenant.editor.ok("DELETE", f"{boats}/sund", 204)
    await tenant.viewer.refused("GET", f"{boats}/sund", 404, "not_found")


@pytest.mark.parametrize(
    ("field", "properties"),
    [
        ("name", {}),
        ("length", {"name": "A", "length": "long"}),
        ("length", {"name": "A", "length": 401}),
        ("afloat", {"name": "A", "afloat": "yes"}),
        ("built", {"name": "A", "built": "May"}),
        ("rig", {"name": "A", "rig": "YAWL"}),
        ("harbours", {"name": "A", "harbours": "Kiel"}),
        ("manual", {"name": "A", "manual": "absent"}),
        ("fleet", {"name": "A", "fleet": ["absent"]}),
        ("draught", {"name": "A", "draught": 2}),
        ("ownerId", {"name": "A", "ownerId": "me"}),
    ],
)
async def test_values_are_validated(tenant: Tenant, boats: str, field: str, properties: Json) -> None:
    problem = await tenant.editor.refused("POST", boats, 422, json={"properties": properties})
    assert problem["field"] == field
    assert await tenant.viewer.items(boats) == []


async def test_fields_are_added_to_a_type_and_never_taken_away(tenant: Tenant, boats: str) -> None:
    await tenant.editor.create(boats, key="fjord", name="Fjord")
    body = {"properties": {"properties": [{"name": "draught", "type": "NUMBER"}]}}
    changed = await tenant.admin.ok("PATCH", f"entity-types/{boats}", json=body)
    names = {definition["name"] for definition in changed["properties"]["properties"]}
    assert {"name", "length", "draught"} <= names
    patched = await tenant.editor.ok("PATCH", f"{boats}/fjord", json={"properties": {"draught": 1.8}})
    assert patched["properties"]["draught"] == 1.8
    await tenant.admin.refused("DELETE", f"entity-types/{boats}", 405, "read_only")


async def test_own_fields_on_a_built_in_type(tenant: Tenant) -> None:
    body = {"properties": {"properties": [{"name": "department", "choices": ["SALES", "CREW"]}]}}
    await tenant.admin.ok("PATCH", "entity-types/knowledge", json=body)
    made = await tenant.editor.create("knowledge", name="For the crew", department="CREW")
    assert made["properties"]["department"] == "CREW"
    assert [item["id"] for item in await tenant.viewer.items("knowledge?department=CREW")] == [made["id"]]
    problem = await tenant.editor.refused(
        "PATCH", f"knowledge/{made['id']}", 422, json={"properties": {"department": "NONE"}}
    )
    assert problem["field"] == "department"


async def test_own_fields_on_documents(tenant: Tenant, corpus: str) -> None:
    body = {"properties": {"properties": [{"name": "reviewer"}]}}
    await tenant.admin.ok("PATCH", "entity-types/documents", json=body)
    document = await tenant.editor.ingest(corpus, "a.md", "Words.")
    changed = await tenant.editor.ok("PATCH", f"documents/{document}", json={"properties": {"reviewer": "Ann"}})
    assert changed["properties"]["reviewer"] == "Ann" and changed["properties"]["name"] == "a.md"
    assert [item["id"] for item in await tenant.viewer.items("documents?reviewer=Ann")] == [document]


async def test_types_of_one_organization_are_no_others(tenant: Tenant, boats: str) -> None:
    other = await new_tenant(tenant.deployment, "other")
    for path in (boats, f"{boats}/x", f"entity-types/{boats}"):
        await other.owner.refused("GET", path, 404, "not_found")
    assert boats not in [item["key"] for item in await other.owner.items("entity-types")]
    body = {"properties": {"properties": [{"name": "secretField"}]}}
    await tenant.admin.ok("PATCH", "entity-types/agents", json=body)
    await other.editor.refused("POST", "agents", 422, json={"properties": {"name": "A", "secretField": "x"}})
    same = await other.admin.ok("POST", "entity-types", 201, json=type_of(boats, {"name": "name"}))
    assert [definition["name"] for definition in same["properties"]["properties"]] == ["name"]
    await other.editor.create(boats, key="theirs", name="Theirs")
    assert await tenant.viewer.items(boats) == []


@pytest.mark.parametrize(
    "body",
    [
        type_of("Boats"),
        type_of("bo_ats"),
        type_of("knowledge"),
        type_of("organizations"),
        type_of("receipts"),
        type_of("invitations"),
        type_of("a" * 64),
        type_of("rocks", {"name": "id"}),
        type_of("rocks", {"name": "orgId"}),
        type_of("rocks", {"name": "embedding"}),
        type_of("rocks", {"name": "audienceId"}),
        type_of("rocks", {"name": "deletedAt"}),
        type_of("rocks", {"name": "bad name`"}),
        type_of("rocks", {"name": "a"}, {"name": "a"}),
        type_of("rocks", {"name": "a", "type": "JSON"}),
        type_of("rocks", {"name": "a", "type": "ENTITY"}),
        type_of("rocks", {"name": "a", "type": "ENTITY", "targetEntityType": "unicorns"}),
        type_of("rocks", {"name": "a", "relationship": "OWNS"}),
        type_of("rocks", {"name": "a", "hidden": True}),
        {"properties": {"key": "rocks"}},
        {"properties": {"key": "rocks", "name": "Rocks", "verbs": {"read": "OWNER"}}},
        {"properties": {"key": "rocks", "name": "Rocks"}, "owner": "me"},
    ],
)
async def test_wrong_types_are_refused(tenant: Tenant, body: Json) -> None:
    before = await tenant.viewer.items("entity-types")
    answer = await tenant.admin.call("POST", "entity-types", json=body)
    assert answer.status_code in {409, 422}, answer.text
    assert answer.json()["advice"]
    assert await tenant.viewer.items("entity-types") == before


async def test_a_type_is_made_once(tenant: Tenant, boats: str) -> None:
    before = await tenant.viewer.ok("GET", f"entity-types/{boats}")
    await tenant.admin.refused("POST", "entity-types", 409, "conflict", json=type_of(boats, {"name": "other"}))
    assert await tenant.viewer.ok("GET", f"entity-types/{boats}") == before


async def test_who_may_make_types(tenant: Tenant) -> None:
    await tenant.editor.refused("POST", "entity-types", 403, "not_allowed", json=type_of("rocks"))
    await tenant.editor.refused("PATCH", "entity-types/agents", 403, json={"properties": {"properties": []}})
    await tenant.admin.refused("PATCH", "entity-types/unicorns", 404, json={"properties": {}})
    await tenant.editor.refused("PATCH", "entity-types/unicorns", 404, json={"properties": {}})
    known = await tenant.viewer.ok("GET", "entity-types/knowledge")
    assert known["properties"]["builtIn"] is True and known["orgSlug"] is None
    assert "apiKey" not in str(await tenant.viewer.ok("GET", "entity-types/model-providers"))
