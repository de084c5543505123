"""API keys: shown once, stored as hashes, never above their creator, gone when deleted or expired."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from matrix.domain.accounts import secret_hash
from tests.api.auth.world import World, bearer, join

pytestmark = pytest.mark.feature("H1")


async def make_key(
    client: httpx2.AsyncClient, slug: str, headers: dict[str, str], **properties: object
) -> httpx2.Response:
    body = {"properties": {"name": "a key", **properties}}
    return await client.post(f"/api/orgs/{slug}/api-keys", json=body, headers=headers)


async def test_the_secret_is_shown_once_and_stored_as_a_hash(world: World, client: httpx2.AsyncClient) -> None:
    made = await make_key(client, world.one.slug, world.one.as_("EDITOR"), role="EDITOR")
    assert made.status_code == 201
    entity, secret = made.json(), made.json()["secret"]
    assert set(entity) == {
        "id", "entityType", "key", "orgSlug", "properties", "createdAt", "updatedAt", "secret"
    }  # fmt: skip
    assert entity["entityType"] == "ApiKey"
    assert entity["orgSlug"] == world.one.slug
    assert secret.startswith(entity["properties"]["prefix"])
    got = await client.get(f"/api/orgs/{world.one.slug}/api-keys/{entity['id']}", headers=world.one.as_("EDITOR"))
    assert "secret" not in got.json()
    assert secret_hash(secret) not in got.text
    stored = await world.database.read_one("MATCH (k:ApiKey {id: $id}) RETURN properties(k) AS p", id=entity["id"])
    assert stored is not None
    assert stored["p"]["secretHash"] == secret_hash(secret)
    assert secret not in str(stored["p"])


async def test_a_key_acts_as_its_creator_in_its_own_organization(world: World, client: httpx2.AsyncClient) -> None:
    secret = (await make_key(client, world.one.slug, world.one.as_("ADMIN"), role="EDITOR")).json()["secret"]
    me = (await client.get("/api/auth/me", headers=bearer(secret))).json()
    assert me["user"]["email"] == world.one.emails["ADMIN"]
    assert me["credential"] == "API_KEY"
    assert [(m["orgSlug"], m["role"]) for m in me["memberships"]] == [(world.one.slug, "EDITOR")]
    assert (await client.get(f"/api/orgs/{world.one.slug}/users", headers=bearer(secret))).status_code == 200
    invited = await client.post(
        f"/api/orgs/{world.one.slug}/invitations", json={"email": "x@example.org"}, headers=bearer(secret)
    )
    assert invited.status_code == 403


async def test_a_key_of_an_owner_of_two_organizations_reaches_one(world: World, client: httpx2.AsyncClient) -> None:
    secret = (await make_key(client, world.one.slug, world.root, role="OWNER")).json()["secret"]
    assert (await client.get(f"/api/orgs/{world.one.slug}", headers=bearer(secret))).status_code == 200
    assert (await client.get(f"/api/orgs/{world.two.slug}", headers=bearer(secret))).status_code == 404
    listed = (await client.get("/api/orgs", headers=bearer(secret))).json()["items"]
    assert [item["key"] for item in listed] == [world.one.slug]


async def test_a_key_is_not_made_above_its_creator(world: World, client: httpx2.AsyncClient) -> None:
    answer = await make_key(client, world.one.slug, world.one.as_("EDITOR"), role="ADMIN")
    assert answer.status_code == 403


async def test_a_key_falls_with_its_creator(world: World, client: httpx2.AsyncClient) -> None:
    email = "falling@example.org"
    token = await join(client, world.one.slug, world.one.as_("OWNER"), email, "ADMIN")
    secret = (await make_key(client, world.one.slug, bearer(token), role="ADMIN")).json()["secret"]
    invitations = f"/api/orgs/{world.one.slug}/invitations"
    assert (await client.get(invitations, headers=bearer(secret))).status_code == 200
    user = f"/api/orgs/{world.one.slug}/users/{email}"
    owner = world.one.as_("OWNER")
    await client.patch(user, json={"properties": {"role": "VIEWER"}}, headers=owner)
    assert (await client.get(invitations, headers=bearer(secret))).status_code == 403
    await client.delete(user, headers=owner)
    assert (await client.get("/api/auth/me", headers=bearer(secret))).status_code == 401


async def test_a_deleted_key_is_dead_at_once(world: World, client: httpx2.AsyncClient) -> None:
    made = (await make_key(client, world.one.slug, world.one.as_("VIEWER"))).json()
    path = f"/api/orgs/{world.one.slug}/api-keys/{made['id']}"
    assert (await client.get("/api/auth/me", headers=bearer(made["secret"]))).status_code == 200
    assert (await client.delete(path, headers=world.one.as_("VIEWER"))).status_code == 204
    assert (await client.get("/api/auth/me", headers=bearer(made["secret"]))).status_code == 401
    assert (await client.get(path, headers=world.one.as_("VIEWER"))).status_code == 404


async def test_a_key_made_with_a_key_neither_outlives_nor_survives_it(world: World, client: httpx2.AsyncClient) -> None:
    slug, admin = world.one.slug, world.one.as_("ADMIN")
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    maker = (await make_key(client, slug, admin, role="EDITOR", expiresAt=soon)).json()
    ends = maker["properties"]["expiresAt"]
    for asked in (None, "2999-12-31"):
        made = (await make_key(client, slug, bearer(maker["secret"]), role="VIEWER", expiresAt=asked)).json()
        assert made["properties"]["expiresAt"] == ends, asked
    sooner = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    child = (await make_key(client, slug, bearer(maker["secret"]), role="VIEWER", expiresAt=sooner)).json()
    assert child["properties"]["expiresAt"] == sooner
    grandchild = (await make_key(client, slug, bearer(child["secret"]), role="VIEWER")).json()
    other = (await make_key(client, slug, admin, role="VIEWER")).json()
    await client.delete(f"/api/orgs/{slug}/api-keys/{maker['id']}", headers=admin)
    for dead in (maker, child, grandchild):
        assert (await client.get("/api/auth/me", headers=bearer(dead["secret"]))).status_code == 401
    assert (await client.get("/api/auth/me", headers=bearer(other["secret"]))).status_code == 200


async def test_an_expired_key_is_dead(world: World, client: httpx2.AsyncClient) -> None:
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    made = (await make_key(client, world.one.slug, world.one.as_("VIEWER"), expiresAt=soon)).json()
    await world.database.write(
        "MATCH (k:ApiKey {id: $id}) SET k.expiresAt = toString(datetime() - duration({hours: 1}))", id=made["id"]
    )
    assert (await client.get("/api/auth/me", headers=bearer(made["secret"]))).status_code == 401


@pytest.mark.parametrize(
    ("properties", "field"),
    [
        ({"expiresAt": "2020-01-01"}, "expiresAt"),
        ({"expiresAt": "soon"}, "expiresAt"),
        ({"role": "EMPEROR"}, "properties.role"),
        ({"name": ""}, "name"),
        ({"secretHash": "x"}, "properties.secretHash"),
        ({"ownerId": "x"}, "properties.ownerId"),
    ],
)
async def test_a_new_key_names_what_is_wrong(
    world: World, client: httpx2.AsyncClient, properties: dict[str, object], field: str
) -> None:
    answer = await make_key(client, world.one.slug, world.one.as_("OWNER"), **properties)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


async def test_a_day_is_meant_to_its_end(world: World, client: httpx2.AsyncClient) -> None:
    made = await make_key(client, world.one.slug, world.one.as_("OWNER"), expiresAt="2999-12-31")
    assert made.json()["properties"]["expiresAt"] == "3000-01-01T00:00:00+00:00"


async def test_people_see_their_own_keys_and_administrators_all(world: World, client: httpx2.AsyncClient) -> None:
    path = f"/api/orgs/{world.two.slug}/api-keys"
    mine = (await make_key(client, world.two.slug, world.two.as_("VIEWER"))).json()["id"]
    await make_key(client, world.two.slug, world.two.as_("EDITOR"))
    seen = (await client.get(path, headers=world.two.as_("VIEWER"))).json()["items"]
    assert [item["id"] for item in seen] == [mine]
    assert (await client.get(f"{path}/{mine}", headers=world.two.as_("EDITOR"))).status_code == 404
    assert (await client.delete(f"{path}/{mine}", headers=world.two.as_("EDITOR"))).status_code == 404
    everything = (await client.get(path, headers=world.two.as_("ADMIN"))).json()["items"]
    assert len(everything) == 2
    assert (await client.delete(f"{path}/{mine}", headers=world.two.as_("ADMIN"))).status_code == 204


async def test_the_last_use_is_kept_coarsely(world: World, client: httpx2.AsyncClient) -> None:
    made = (await make_key(client, world.one.slug, world.one.as_("VIEWER"))).json()
    path = f"/api/orgs/{world.one.slug}/api-keys/{made['id']}"
    assert made["properties"]["lastUsedAt"] is None
    await client.get("/api/auth/me", headers=bearer(made["secret"]))
    used = (await client.get(path, headers=world.one.as_("VIEWER"))).json()["properties"]["lastUsedAt"]
    assert datetime.fromisoformat(used).second == 0


async def test_a_key_neither_signs_out_nor_changes_passwords(world: World, client: httpx2.AsyncClient) -> None:
    headers = bearer(world.first.api_key)
    assert (await client.post("/api/auth/logout", headers=headers)).status_code == 422
    body = {"currentPassword": "correct horse battery", "newPassword": "another long password"}
    assert (await client.post("/api/auth/password", json=body, headers=headers)).status_code == 403


async def test_lists_go_on_by_cursor(world: World, client: httpx2.AsyncClient) -> None:
    path, headers = f"/api/orgs/{world.one.slug}/api-keys", world.one.as_("OWNER")
    for _ in range(3):
        await make_key(client, world.one.slug, headers)
    everything = (await client.get(path, headers=headers)).json()
    assert everything["nextCursor"] is None
    ids, cursor = [], None
    while True:
        page = (
            await client.get(path, params={"limit": 2, "cursor": cursor} if cursor else {"limit": 2}, headers=headers)
        ).json()
        ids += [item["id"] for item in page["items"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert ids == [item["id"] for item in everything["items"]]
    assert (await client.get(path, params={"cursor": "!"}, headers=headers)).status_code == 422


@pytest.mark.parametrize("path", ["users", "api-keys", "invitations"])
async def test_lists_of_people_and_keys_refuse_a_filter_they_do_not_know(
    world: World, client: httpx2.AsyncClient, path: str
) -> None:
    headers = world.one.as_("OWNER")
    address = f"/api/orgs/{world.one.slug}/{path}"
    answer = await client.get(address, params={"role": "ADMIN"}, headers=headers)
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (422, "unknown_field", "role")
    assert (await client.get(address, params={"limit": 5}, headers=headers)).status_code == 200
    assert (await client.get("/api/orgs", params={"slug": "x"}, headers=headers)).status_code == 422
