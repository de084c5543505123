"""Organizations: made by the platform's administrator, renamed, and deleted once they are empty."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.api.auth.world import ROLES, World, bearer

pytestmark = pytest.mark.feature("H1", "A4")


async def make(client: httpx2.AsyncClient, headers: dict[str, str], slug: str, **more: object) -> httpx2.Response:
    return await client.post("/api/orgs", json={"slug": slug, "name": "Acme", **more}, headers=headers)


async def test_an_organization_in_the_common_shape(world: World, client: httpx2.AsyncClient) -> None:
    made = await make(client, world.root, f"shape-{world.one.slug}")
    assert made.status_code == 201
    body = made.json()
    assert (body["entityType"], body["key"], body["orgSlug"]) == ("Organization", body["orgSlug"], body["key"])
    assert body["properties"] == {"slug": body["key"], "name": "Acme"}
    assert (await client.get(f"/api/orgs/{body['key']}", headers=world.root)).json() == body


async def test_the_key_of_the_first_start_makes_organizations_too(world: World, client: httpx2.AsyncClient) -> None:
    made = await make(client, bearer(world.first.api_key), f"bykey-{world.one.slug}")
    assert made.status_code == 201


@pytest.mark.parametrize("role", ROLES)
async def test_nobody_else_makes_organizations(world: World, client: httpx2.AsyncClient, role: str) -> None:
    assert (await make(client, world.one.as_(role), f"x-{world.one.slug}")).status_code == 403


async def test_a_slug_is_taken_once(world: World, client: httpx2.AsyncClient) -> None:
    answer = await make(client, world.root, world.one.slug)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"slug": "Upper", "name": "n"}, "slug"),
        ({"slug": "a b", "name": "n"}, "slug"),
        ({"slug": "a`b", "name": "n"}, "slug"),
        ({"slug": "", "name": "n"}, "slug"),
        ({"slug": "good", "name": "  "}, "name"),
        ({"slug": "good"}, "name"),
        ({"slug": "good", "name": "n", "id": "mine"}, "id"),
        ({"slug": "good", "name": "n", "orgId": "platform"}, "orgId"),
    ],
)
async def test_a_new_organization_names_what_is_wrong(
    world: World, client: httpx2.AsyncClient, body: dict[str, str], field: str
) -> None:
    answer = await client.post("/api/orgs", json=body, headers=world.root)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


async def test_everyone_lists_what_they_belong_to(world: World, client: httpx2.AsyncClient) -> None:
    listed = (await client.get("/api/orgs", headers=world.one.as_("VIEWER"))).json()
    assert [item["key"] for item in listed["items"]] == [world.one.slug]
    assert listed["nextCursor"] is None
    roots = (await client.get("/api/orgs", params={"limit": 1}, headers=world.root)).json()
    assert len(roots["items"]) == 1
    assert roots["nextCursor"]


@pytest.mark.parametrize("role", ROLES)
async def test_who_renames(world: World, client: httpx2.AsyncClient, role: str) -> None:
    path = f"/api/orgs/{world.one.slug}"
    plain = await client.patch(path, json={"name": f"By {role}"}, headers=world.one.as_(role))
    entity = await client.patch(path, json={"properties": {"name": f"By {role}"}}, headers=world.one.as_(role))
    assert plain.status_code == entity.status_code == (200 if role in {"ADMIN", "OWNER"} else 403)


async def test_a_slug_stays(world: World, client: httpx2.AsyncClient) -> None:
    answer = await client.patch(f"/api/orgs/{world.one.slug}", json={"slug": "other"}, headers=world.one.as_("OWNER"))
    assert answer.status_code == 422


async def test_only_an_empty_organization_is_deleted_and_by_its_owner(world: World, client: httpx2.AsyncClient) -> None:
    slug = f"gone-{world.one.slug}"
    made = (await make(client, world.root, slug)).json()
    await world.database.write(
        "CREATE (:Entity:Knowledge {id: 'k-' + $org, orgId: $org, entityType: 'Knowledge', key: 'k'})", org=made["id"]
    )
    full = await client.delete(f"/api/orgs/{slug}", headers=world.root)
    assert (full.status_code, full.json()["code"]) == (409, "not_empty")
    assert "1 Knowledge" in full.json()["detail"]
    await world.database.write("MATCH (k:Knowledge {orgId: $org}) DELETE k", org=made["id"])
    await client.post(f"/api/orgs/{slug}/invitations", json={"email": "late@example.org"}, headers=world.root)
    assert (await client.delete(f"/api/orgs/{slug}", headers=world.root)).status_code == 204
    assert (await client.get(f"/api/orgs/{slug}", headers=world.root)).status_code == 404
    rest = await world.database.read("MATCH (n:Entity {orgId: $org}) RETURN n.id", org=made["id"])
    assert rest == []


async def test_an_administrator_does_not_delete(world: World, client: httpx2.AsyncClient) -> None:
    answer = await client.delete(f"/api/orgs/{world.one.slug}", headers=world.one.as_("ADMIN"))
    assert answer.status_code == 403


async def test_the_first_organization_stays(world: World, client: httpx2.AsyncClient) -> None:
    answer = await client.delete(f"/api/orgs/{world.first.slug}", headers=bearer(world.first.api_key))
    assert (answer.status_code, answer.json()["code"]) == (409, "first_organization")


async def test_a_refused_deletion_touches_nothing_whenever_content_came(
    world: World, client: httpx2.AsyncClient
) -> None:
    content = "CREATE (:Entity:Knowledge {id: randomUUID(), orgId: $org, entityType: 'Knowledge'})"
    for number in range(8):
        slug = f"race{number}-{world.one.slug}"
        made = (await make(client, world.root, slug)).json()

        async def add(org: str = made["id"], wait: float = number * 0.01) -> None:
            await asyncio.sleep(wait)
            await world.database.write(content, org=org)

        answer, _ = await asyncio.gather(client.delete(f"/api/orgs/{slug}", headers=world.root), add())
        kept = await world.database.read("MATCH (a:Audience {orgId: $org}) RETURN a.id", org=made["id"])
        assert (answer.status_code, len(kept)) in {(409, 1), (204, 0)}
