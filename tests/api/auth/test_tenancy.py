"""Every route of an organization answers a stranger the same 404 as an organization that does not exist, and changes
nothing; the list of routes comes from the application itself."""

from __future__ import annotations

import re

import httpx2
import pytest

from tests.api.auth.world import ROLES, World, app_of, bearer, client_of

pytestmark = pytest.mark.feature("H1", "H2")

BODIES: dict[tuple[str, str], dict[str, object]] = {
    ("PATCH", "/api/orgs/{slug}"): {"name": "Stolen"},
    ("POST", "/api/orgs/{slug}/invitations"): {"email": "thief@example.org", "role": "OWNER"},
    ("PATCH", "/api/orgs/{slug}/users/{id_or_email}"): {"properties": {"role": "VIEWER"}},
    ("POST", "/api/orgs/{slug}/api-keys"): {"properties": {"name": "theirs"}},
}
# Reads the whole graph but what a sign-in and a key leave behind by being used.
STATE = """
MATCH (n:Entity) WHERE NOT n:SignIn
OPTIONAL MATCH (n)-[r]->(m:Entity) WHERE NOT m:SignIn
WITH n, collect(type(r) + coalesce(r.role, '') + m.id) AS links
RETURN n.id AS id, [k IN keys(n) WHERE k <> 'lastUsedAt' | k + coalesce(toStringOrNull(n[k]), '')] AS values, links
"""


async def state(world: World) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    rows = await world.database.read(STATE)
    return sorted((row["id"], tuple(sorted(row["values"])), tuple(sorted(row["links"]))) for row in rows)


def calls(world: World) -> list[tuple[str, str]]:
    routes = app_of(world.access).openapi()["paths"]
    return [(method.upper(), path) for path, methods in routes.items() for method in methods if "{slug}" in path]


async def test_every_route_is_tried(world: World) -> None:
    assert len(calls(world)) >= 14
    known = {path for _, path in calls(world)}
    assert all(path in known for _, path in BODIES)


async def ids_in(world: World) -> dict[str, str]:
    """Ids that exist in the first organization, to be used by strangers."""
    access = world.access
    owner = await access.stores.users.account(world.one.emails["OWNER"])
    assert owner is not None
    rows = await world.database.read(
        """
        MATCH (l:OneTimeLink {orgId: $org}) WITH collect(l.id) AS links
        MATCH (k:ApiKey {orgId: $org}) RETURN links[0] AS link, k.id AS key LIMIT 1
        """,
        org=world.one.org_id,
    )
    return {"id_or_email": owner.id, "invitation_id": rows[0]["link"], "key_id": rows[0]["key"]}


@pytest.fixture(scope="module")
async def stocked(world: World) -> World:
    """The first organization has an invitation and a key that a stranger could aim at."""
    async with client_of(world.access) as client:
        headers = world.one.as_("OWNER")
        path = f"/api/orgs/{world.one.slug}"
        await client.post(f"{path}/invitations", json={"email": "waiting@example.org"}, headers=headers)
        await client.post(f"{path}/api-keys", json={"properties": {"name": "k"}}, headers=headers)
    return world


async def test_a_stranger_gets_the_404_of_what_does_not_exist(stocked: World, client: httpx2.AsyncClient) -> None:
    world = stocked
    ids = await ids_in(world)
    strangers = {role: world.two.as_(role) for role in ROLES} | {"first key": bearer(world.first.api_key)}
    before = await state(world)
    for method, path in calls(world):
        for who, headers in strangers.items():
            answers = []
            for slug in (world.one.slug, "no-such-organization"):
                url = re.sub(r"\{(\w+)\}", lambda m, s=slug: s if m[1] == "slug" else ids[m[1]], path)
                answer = await client.request(method, url, json=BODIES.get((method, path)), headers=headers)
                answers.append((answer.status_code, answer.text.replace(slug, "…")))
            assert answers[0] == answers[1], (who, method, path)
            assert answers[0][0] == 404, (who, method, path)
    assert await state(world) == before


async def test_ids_of_one_organization_mean_nothing_in_another(stocked: World, client: httpx2.AsyncClient) -> None:
    world = stocked
    ids = await ids_in(world)
    before = await state(world)
    for method, path in calls(world):
        if path.count("{") < 2:
            continue
        url = re.sub(r"\{(\w+)\}", lambda m: world.two.slug if m[1] == "slug" else ids[m[1]], path)
        answer = await client.request(method, url, json=BODIES.get((method, path)), headers=world.two.as_("OWNER"))
        assert answer.status_code == 404, (method, path)
    assert await state(world) == before


async def test_nobody_at_all_gets_401(stocked: World, client: httpx2.AsyncClient) -> None:
    for method, path in calls(stocked):
        url = re.sub(r"\{(\w+)\}", lambda m: stocked.one.slug if m[1] == "slug" else "x", path)
        answer = await client.request(method, url, json=BODIES.get((method, path)))
        assert answer.status_code == 401, (method, path)


LOWEST = {
    ("GET", "/api/orgs/{slug}/invitations"): "ADMIN",
    ("POST", "/api/orgs/{slug}/invitations"): "ADMIN",
    ("DELETE", "/api/orgs/{slug}/invitations/{invitation_id}"): "ADMIN",
    ("PATCH", "/api/orgs/{slug}"): "ADMIN",
    ("DELETE", "/api/orgs/{slug}"): "OWNER",
    ("PATCH", "/api/orgs/{slug}/users/{id_or_email}"): "ADMIN",
    ("DELETE", "/api/orgs/{slug}/users/{id_or_email}"): "ADMIN",
    ("POST", "/api/orgs/{slug}/users/{id_or_email}/reset"): "ADMIN",
}


async def test_each_role_below_the_lowest_gets_403(stocked: World, client: httpx2.AsyncClient) -> None:
    world = stocked
    ids = await ids_in(world)
    before = await state(world)
    for (method, path), lowest in LOWEST.items():
        for role in ROLES[: ROLES.index(lowest)]:
            url = re.sub(r"\{(\w+)\}", lambda m: world.one.slug if m[1] == "slug" else ids[m[1]], path)
            answer = await client.request(method, url, json=BODIES.get((method, path)), headers=world.one.as_(role))
            assert answer.status_code == 403, (role, method, path)
    assert await state(world) == before
