"""Invitations and password resets by one-time links."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx2
import pytest

from tests.api.auth.world import ORIGIN, PASSWORD, World, bearer, client_of, invite, join, sign_in

pytestmark = pytest.mark.feature("G9", "H1")


async def accept(client: httpx2.AsyncClient, token: str, **more: str) -> httpx2.Response:
    return await client.post("/api/auth/accept", json={"token": token, "password": PASSWORD, **more})


async def test_an_invitation_is_a_link_shown_once(world: World, client: httpx2.AsyncClient) -> None:
    path = f"/api/orgs/{world.one.slug}/invitations"
    body = {"email": "Shown@Example.org", "role": "EDITOR"}
    made = (await client.post(path, json=body, headers=world.one.as_("ADMIN"))).json()
    assert made["url"] == f"{ORIGIN}/admin/accept#token={made['token']}"
    listed = (await client.get(path, headers=world.one.as_("ADMIN"))).json()["items"]
    mine = next(item for item in listed if item["id"] == made["id"])
    assert (mine["email"], mine["role"]) == ("shown@example.org", "EDITOR")
    assert "token" not in mine
    assert "url" not in mine


async def test_links_lead_to_the_public_address(world: World) -> None:
    async with client_of(replace(world.access, public_url="https://matrix.example.org/")) as client:
        body = {"email": "public@example.org"}
        made = await client.post(f"/api/orgs/{world.one.slug}/invitations", json=body, headers=world.one.as_("ADMIN"))
    assert made.json()["url"].startswith("https://matrix.example.org/admin/accept#token=")


async def test_only_the_hash_of_a_link_is_stored(world: World, client: httpx2.AsyncClient) -> None:
    token = await invite(client, world.one.slug, world.one.as_("ADMIN"), "hash@example.org", "VIEWER")
    rows = await world.database.read(
        "MATCH (n) WHERE any(k IN keys(n) WHERE toString(n[k]) CONTAINS $token) RETURN n.id", token=token
    )
    assert rows == []


async def test_an_invitation_is_good_once(world: World, client: httpx2.AsyncClient) -> None:
    token = await invite(client, world.one.slug, world.one.as_("ADMIN"), "once@example.org", "EDITOR")
    assert (await accept(client, token, name="Once")).status_code == 200
    again = await accept(client, token, name="Once")
    assert (again.status_code, again.json()["code"]) == (404, "link_invalid")


async def test_two_who_accept_at_once_make_one_member(world: World, client: httpx2.AsyncClient) -> None:
    token = await invite(client, world.one.slug, world.one.as_("ADMIN"), "twice@example.org", "EDITOR")
    answers = await asyncio.gather(*(accept(client, token) for _ in range(4)))
    assert sorted(a.status_code for a in answers)[0] == 200
    assert [a.status_code for a in answers].count(200) == 1
    assert {a.status_code for a in answers} <= {200, 404, 409}


async def test_a_new_invitation_takes_the_place_of_the_old(world: World, client: httpx2.AsyncClient) -> None:
    old = await invite(client, world.one.slug, world.one.as_("ADMIN"), "anew@example.org", "VIEWER")
    new = await invite(client, world.one.slug, world.one.as_("ADMIN"), "anew@example.org", "EDITOR")
    assert (await accept(client, old)).status_code == 404
    assert (await accept(client, new)).status_code == 200


async def test_a_revoked_invitation_is_gone(world: World, client: httpx2.AsyncClient) -> None:
    path, headers = f"/api/orgs/{world.one.slug}/invitations", world.one.as_("ADMIN")
    made = (await client.post(path, json={"email": "revoked@example.org"}, headers=headers)).json()
    assert (await client.delete(f"{path}/{made['id']}", headers=headers)).status_code == 204
    assert (await client.delete(f"{path}/{made['id']}", headers=headers)).status_code == 404
    assert (await accept(client, made["token"])).status_code == 404


async def test_an_expired_invitation_is_gone(world: World, client: httpx2.AsyncClient) -> None:
    token = await invite(client, world.one.slug, world.one.as_("ADMIN"), "late@example.org", "VIEWER")
    await world.database.write("MATCH (l:OneTimeLink {email: 'late@example.org'}) SET l.expiresAt = datetime()")
    assert (await accept(client, token)).status_code == 404


async def test_who_has_an_account_proves_it(world: World, client: httpx2.AsyncClient) -> None:
    email = world.two.emails["VIEWER"]
    token = await invite(client, world.one.slug, world.one.as_("ADMIN"), email, "EDITOR")
    wrong = await client.post("/api/auth/accept", json={"token": token, "password": "not the password"})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_credentials")
    joined = await accept(client, token)
    assert joined.status_code == 200
    me = (await client.get("/api/auth/me", headers=bearer(joined.json()["accessToken"]))).json()
    assert {m["orgSlug"]: m["role"] for m in me["memberships"]} == {world.one.slug: "EDITOR", world.two.slug: "VIEWER"}


async def test_a_member_is_not_invited_again(world: World, client: httpx2.AsyncClient) -> None:
    answer = await client.post(
        f"/api/orgs/{world.one.slug}/invitations",
        json={"email": world.one.emails["VIEWER"], "role": "ADMIN"},
        headers=world.one.as_("ADMIN"),
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "already_member")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"email": "no-address"}, "email"),
        ({"email": "a@b", "role": "EMPEROR"}, "role"),
        ({"email": "a@b", "orgId": "x"}, "orgId"),
        ({}, "email"),
    ],
)
async def test_an_invitation_names_what_is_wrong(
    world: World, client: httpx2.AsyncClient, body: dict[str, str], field: str
) -> None:
    answer = await client.post(f"/api/orgs/{world.one.slug}/invitations", json=body, headers=world.one.as_("ADMIN"))
    assert (answer.status_code, answer.json()["field"]) == (422, field)


async def test_a_short_password_leaves_the_invitation_good(world: World, client: httpx2.AsyncClient) -> None:
    token = await invite(client, world.one.slug, world.one.as_("ADMIN"), "short@example.org", "VIEWER")
    answer = await client.post("/api/auth/accept", json={"token": token, "password": "short"})
    assert (answer.status_code, answer.json()["field"]) == (422, "password")
    assert (await accept(client, token)).status_code == 200


async def test_a_reset_sets_a_password_once_and_ends_all_sign_ins(world: World, client: httpx2.AsyncClient) -> None:
    email = "forgetful@example.org"
    before = await join(client, world.one.slug, world.one.as_("ADMIN"), email, "VIEWER")
    path = f"/api/orgs/{world.one.slug}/users/{email}/reset"
    offered = (await client.post(path, headers=world.one.as_("ADMIN"))).json()
    assert offered["url"] == f"{ORIGIN}/admin/reset#token={offered['token']}"
    body = {"token": offered["token"], "newPassword": "a brand new password"}
    assert (await client.post("/api/auth/password", json=body)).status_code == 204
    assert (await client.post("/api/auth/password", json=body)).status_code == 404
    assert (await client.get("/api/auth/me", headers=bearer(before))).status_code == 401
    await sign_in(client, email, "a brand new password")


async def test_two_who_reset_at_once_set_one_password(world: World, client: httpx2.AsyncClient) -> None:
    path = f"/api/orgs/{world.one.slug}/users/{world.one.emails['EDITOR']}/reset"
    token = (await client.post(path, headers=world.one.as_("ADMIN"))).json()["token"]
    answers = await asyncio.gather(
        *(
            client.post("/api/auth/password", json={"token": token, "newPassword": f"password number {n}"})
            for n in range(6)
        )
    )
    assert sorted(a.status_code for a in answers) == [204] + [404] * 5


async def test_links_of_one_kind_do_not_serve_as_the_other(world: World, client: httpx2.AsyncClient) -> None:
    email = world.one.emails["VIEWER"]
    path = f"/api/orgs/{world.one.slug}/users/{email}/reset"
    reset = (await client.post(path, headers=world.one.as_("ADMIN"))).json()["token"]
    assert (await accept(client, reset)).status_code == 404
    invitation = await invite(client, world.one.slug, world.one.as_("ADMIN"), "kind@example.org", "VIEWER")
    body = {"token": invitation, "newPassword": "a brand new password"}
    assert (await client.post("/api/auth/password", json=body)).status_code == 404


async def test_an_administrator_cannot_take_over_who_belongs_elsewhere_too(
    world: World, client: httpx2.AsyncClient
) -> None:
    """Otherwise an administrator of one organization could enter another under a shared member's name."""
    email = "consultant@example.org"
    await join(client, world.one.slug, world.one.as_("OWNER"), email, "VIEWER")
    token = await invite(client, world.two.slug, world.two.as_("OWNER"), email, "VIEWER")
    await accept(client, token)
    path = f"/api/orgs/{world.one.slug}/users/{email}/reset"
    assert (await client.post(path, headers=world.one.as_("OWNER"))).status_code == 403
    assert (await client.post(path, headers=world.root)).status_code == 201


async def test_an_owner_cannot_reset_the_platforms_administrator(world: World, client: httpx2.AsyncClient) -> None:
    path = f"/api/orgs/{world.one.slug}/users/{world.admin_email}/reset"
    assert (await client.post(path, headers=world.one.as_("OWNER"))).status_code == 403


async def test_an_old_reset_link_does_not_open_more_than_its_maker_may(
    world: World, client: httpx2.AsyncClient
) -> None:
    """The person has joined another organization, or been raised above the maker, since the link was made."""
    for number, raised in enumerate((False, True)):
        email = f"rising{number}@example.org"
        await join(client, world.one.slug, world.one.as_("OWNER"), email, "VIEWER")
        path = f"/api/orgs/{world.one.slug}/users/{email}"
        token = (await client.post(f"{path}/reset", headers=world.one.as_("ADMIN"))).json()["token"]
        if raised:
            body = {"properties": {"role": "OWNER"}}
            assert (await client.patch(path, json=body, headers=world.one.as_("OWNER"))).status_code == 200
        else:
            await accept(client, await invite(client, world.two.slug, world.two.as_("OWNER"), email, "OWNER"))
        answer = await client.post("/api/auth/password", json={"token": token, "newPassword": "a brand new password"})
        assert (answer.status_code, answer.json()["code"]) == (404, "link_invalid")


@pytest.mark.parametrize("fate", ["removed", "suspended", "demoted"])
async def test_invitations_of_who_may_not_invite_any_more_are_void(
    world: World, client: httpx2.AsyncClient, fate: str
) -> None:
    email = f"{fate}@example.org"
    token = await join(client, world.one.slug, world.one.as_("OWNER"), email, "ADMIN")
    path = f"/api/orgs/{world.one.slug}"
    invited = await client.post(f"{path}/invitations", json={"email": f"by-{email}"}, headers=bearer(token))
    change = {"suspended": True} if fate == "suspended" else {"role": "EDITOR"}
    if fate == "removed":
        await client.delete(f"{path}/users/{email}", headers=world.one.as_("OWNER"))
    else:
        await client.patch(f"{path}/users/{email}", json={"properties": change}, headers=world.one.as_("OWNER"))
    assert (await accept(client, invited.json()["token"])).status_code == 404
