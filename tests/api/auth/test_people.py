"""Members of an organization: who may change whom, suspension, and the last owner."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.api.auth.world import PASSWORD, ROLES, World, bearer, invite, join, sign_in

pytestmark = pytest.mark.feature("H1")


def patch(client: httpx2.AsyncClient, slug: str, who: str, headers: dict[str, str], **properties: object):  # type: ignore[no-untyped-def]  # the client's own type
    return client.patch(f"/api/orgs/{slug}/users/{who}", json={"properties": properties}, headers=headers)


async def test_members_in_the_common_shape(world: World, client: httpx2.AsyncClient) -> None:
    listed = (await client.get(f"/api/orgs/{world.one.slug}/users", headers=world.one.as_("VIEWER"))).json()
    editor = next(u for u in listed["items"] if u["properties"]["email"] == world.one.emails["EDITOR"])
    assert editor["entityType"] == "User"
    assert editor["orgSlug"] == world.one.slug
    assert editor["properties"] == {
        "email": world.one.emails["EDITOR"], "name": "Editor", "role": "EDITOR", "suspended": False
    }  # fmt: skip
    for name in (editor["id"], world.one.emails["EDITOR"]):
        path = f"/api/orgs/{world.one.slug}/users/{name}"
        assert (await client.get(path, headers=world.one.as_("VIEWER"))).json() == editor


@pytest.mark.parametrize("actor", ROLES)
@pytest.mark.parametrize("wanted", ROLES)
async def test_who_may_give_which_role(world: World, client: httpx2.AsyncClient, actor: str, wanted: str) -> None:
    email = f"{actor}-{wanted}@example.org".lower()
    await join(client, world.one.slug, world.one.as_("OWNER"), email, "EDITOR")
    answer = await patch(client, world.one.slug, email, world.one.as_(actor), role=wanted)
    allowed = actor == "OWNER" or (actor == "ADMIN" and wanted != "OWNER")
    assert answer.status_code == (200 if allowed else 403)
    now = await client.get(f"/api/orgs/{world.one.slug}/users/{email}", headers=world.one.as_("VIEWER"))
    assert now.json()["properties"]["role"] == (wanted if allowed else "EDITOR")


@pytest.mark.parametrize("wanted", ROLES)
async def test_an_administrator_invites_up_to_administrators(
    world: World, client: httpx2.AsyncClient, wanted: str
) -> None:
    answer = await client.post(
        f"/api/orgs/{world.one.slug}/invitations",
        json={"email": f"invited-{wanted}@example.org", "role": wanted},
        headers=world.one.as_("ADMIN"),
    )
    assert answer.status_code == (403 if wanted == "OWNER" else 201)


@pytest.mark.parametrize("call", ["patch role", "suspend", "delete", "reset"])
async def test_an_administrator_does_nothing_to_an_owner(world: World, client: httpx2.AsyncClient, call: str) -> None:
    headers, email = world.one.as_("ADMIN"), world.one.emails["OWNER"]
    path = f"/api/orgs/{world.one.slug}/users/{email}"
    answer = {
        "patch role": lambda: patch(client, world.one.slug, email, headers, role="VIEWER"),
        "suspend": lambda: patch(client, world.one.slug, email, headers, suspended=True),
        "delete": lambda: client.delete(path, headers=headers),
        "reset": lambda: client.post(f"{path}/reset", headers=headers),
    }[call]
    assert (await answer()).status_code == 403


@pytest.mark.parametrize("call", ["demote", "suspend", "delete"])
async def test_the_last_owner_stays(world: World, client: httpx2.AsyncClient, call: str) -> None:
    slug = f"lonely-{call}-{world.one.slug}"
    await client.post("/api/orgs", json={"slug": slug, "name": "Lonely"}, headers=world.root)
    answer = {
        "demote": lambda: patch(client, slug, world.admin_email, world.root, role="ADMIN"),
        "suspend": lambda: patch(client, slug, world.admin_email, world.root, suspended=True),
        "delete": lambda: client.delete(f"/api/orgs/{slug}/users/{world.admin_email}", headers=world.root),
    }[call]
    refused = await answer()
    assert (refused.status_code, refused.json()["code"]) == (409, "last_owner")
    await join(client, slug, world.root, f"second-{call}@example.org", "OWNER")
    assert (await answer()).status_code in {200, 204}


async def test_two_owners_who_demote_each_other_leave_one(world: World, client: httpx2.AsyncClient) -> None:
    slug = f"duel-{world.one.slug}"
    await client.post("/api/orgs", json={"slug": slug, "name": "Duel"}, headers=world.root)
    other = bearer(await join(client, slug, world.root, "duellist@example.org", "OWNER"))
    answers = await asyncio.gather(
        patch(client, slug, "duellist@example.org", world.root, role="VIEWER"),
        patch(client, slug, world.admin_email, other, role="VIEWER"),
    )
    assert sorted(a.status_code for a in answers) == [200, 409]
    rows = await world.database.read(
        "MATCH (:User)-[m:MEMBER_OF {role: 'OWNER'}]->(:Organization {slug: $slug}) RETURN m.role", slug=slug
    )
    assert len(rows) == 1


@pytest.mark.feature("H2")
async def test_a_suspended_person_fails_everywhere_and_comes_back(world: World, client: httpx2.AsyncClient) -> None:
    email = "suspect@example.org"
    await join(client, world.one.slug, world.one.as_("ADMIN"), email, "EDITOR")
    tokens = await sign_in(client, email)
    made = await client.post(
        f"/api/orgs/{world.one.slug}/api-keys",
        json={"properties": {"name": "k", "role": "EDITOR"}},
        headers=bearer(tokens["accessToken"]),
    )
    key = made.json()["secret"]
    answer = await patch(client, world.one.slug, email, world.one.as_("ADMIN"), suspended=True)
    assert answer.json()["properties"]["suspended"] is True
    for token in (tokens["accessToken"], key):
        assert (await client.get("/api/auth/me", headers=bearer(token))).status_code == 401
        assert (await client.get(f"/api/orgs/{world.one.slug}", headers=bearer(token))).status_code == 401
    login = await client.post("/api/auth/login", json={"email": email, "password": PASSWORD})
    assert (login.status_code, login.json()["code"]) == (401, "suspended")
    refresh = await client.post("/api/auth/refresh", json={"refreshToken": tokens["refreshToken"]})
    assert refresh.status_code == 401
    await patch(client, world.one.slug, email, world.one.as_("ADMIN"), suspended=False)
    assert (await client.get("/api/auth/me", headers=bearer(key))).status_code == 200
    await sign_in(client, email)


async def test_one_organization_cannot_shut_a_person_out_of_another(world: World, client: httpx2.AsyncClient) -> None:
    email = "shared@example.org"
    await join(client, world.one.slug, world.one.as_("OWNER"), email, "EDITOR")
    token = await invite(client, world.two.slug, world.two.as_("OWNER"), email, "EDITOR")
    await client.post("/api/auth/accept", json={"token": token, "password": PASSWORD})
    headers = bearer((await sign_in(client, email))["accessToken"])
    await patch(client, world.one.slug, email, world.one.as_("OWNER"), suspended=True)
    assert (await client.get(f"/api/orgs/{world.one.slug}", headers=headers)).status_code == 404
    assert (await client.get(f"/api/orgs/{world.two.slug}", headers=headers)).status_code == 200
    await client.delete(f"/api/orgs/{world.one.slug}/users/{email}", headers=world.one.as_("OWNER"))
    assert (await client.get(f"/api/orgs/{world.two.slug}", headers=headers)).status_code == 200


async def test_leaving_takes_teams_and_keys_along_and_keeps_the_account(
    world: World, client: httpx2.AsyncClient
) -> None:
    email = "leaver@example.org"
    token = await join(client, world.one.slug, world.one.as_("ADMIN"), email, "EDITOR")
    await client.post(f"/api/orgs/{world.one.slug}/api-keys", json={"properties": {"name": "k"}}, headers=bearer(token))
    await world.database.write(
        """
        MATCH (u:User {email: $email})
        CREATE (u)-[:MEMBER_OF]->(:Entity:Team {id: 'team-' + $org, entityType: 'Team', orgId: $org, key: 'crew'})
        """,
        email=email,
        org=world.one.org_id,
    )
    path = f"/api/orgs/{world.one.slug}/users/{email}"
    assert (await client.delete(path, headers=world.one.as_("ADMIN"))).status_code == 204
    row = await world.database.read_one(
        """
        MATCH (u:User {email: $email})
        RETURN COUNT { (u)-[:MEMBER_OF]->() } AS places, COUNT { (u)-[:HAS_API_KEY]->() } AS keys
        """,
        email=email,
    )
    assert row == {"places": 0, "keys": 0}
    assert (await client.get(path, headers=world.one.as_("ADMIN"))).status_code == 404
    me = await client.get("/api/auth/me", headers=bearer(token))
    assert me.json()["memberships"] == []


@pytest.mark.parametrize(
    "properties", [{"email": "x@example.org"}, {"passwordHash": "x"}, {"platformAdmin": True}, {"role": "ROOT"}]
)
async def test_what_nobody_may_write_is_refused(
    world: World, client: httpx2.AsyncClient, properties: dict[str, object]
) -> None:
    answer = await patch(client, world.one.slug, world.one.emails["VIEWER"], world.one.as_("OWNER"), **properties)
    assert (answer.status_code, answer.json()["field"]) == (422, f"properties.{next(iter(properties))}")
