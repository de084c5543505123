"""Signing in, refreshing, signing out and changing passwords, over HTTP and the graph."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx2
import pytest

from matrix.api.auth.rates import LoginRates
from matrix.domain.accounts import SignIn
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.stores import access_stores
from tests.api.auth.world import PASSWORD, World, bearer, client_of, join, sign_in

ME = "/api/auth/me"


async def status(client: httpx2.AsyncClient, token: str) -> int:
    return (await client.get(ME, headers=bearer(token))).status_code


async def refreshed(client: httpx2.AsyncClient, token: str) -> httpx2.Response:
    return await client.post("/api/auth/refresh", json={"refreshToken": token})


@pytest.mark.feature("H1")
async def test_sign_in_gives_tokens_that_say_who(world: World, client: httpx2.AsyncClient) -> None:
    tokens = await sign_in(client, world.one.emails["EDITOR"])
    assert tokens["expiresIn"] == 600
    me = (await client.get(ME, headers=bearer(tokens["accessToken"]))).json()
    assert me["user"]["email"] == world.one.emails["EDITOR"]
    assert [(m["orgSlug"], m["role"]) for m in me["memberships"]] == [(world.one.slug, "EDITOR")]


async def test_the_address_is_folded(world: World, client: httpx2.AsyncClient) -> None:
    await sign_in(client, f"  {world.one.emails['EDITOR'].upper()} ")


@pytest.mark.feature("H2")
async def test_an_unknown_address_and_a_wrong_password_answer_the_same(
    world: World, client: httpx2.AsyncClient
) -> None:
    wrong = await client.post("/api/auth/login", json={"email": world.one.emails["ADMIN"], "password": "x" * 12})
    unknown = await client.post("/api/auth/login", json={"email": "nobody@example.org", "password": "x" * 12})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    assert wrong.json()["code"] == "wrong_credentials"
    assert wrong.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic abc", "Bearer null", "Bearer undefined", "Bearer a.b.c", "Bearer mtx_x"]
)
async def test_bad_authorization_is_401(client: httpx2.AsyncClient, header: str) -> None:
    answer = await client.get(ME, headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_no_authorization_is_401(client: httpx2.AsyncClient) -> None:
    assert (await client.get(ME)).json()["code"] == "not_authenticated"


@pytest.mark.feature("H2")
async def test_five_attempts_then_429(world: World) -> None:
    access = replace(world.access, login_rates=LoginRates(5))
    wrong = {"email": world.one.emails["ADMIN"], "password": "not the password"}
    async with client_of(access) as client, client_of(access, address="10.0.0.2") as elsewhere:
        answers = [await client.post("/api/auth/login", json=wrong) for _ in range(6)]
        assert [a.status_code for a in answers] == [401] * 5 + [429]
        assert 0 < int(answers[-1].headers["retry-after"]) <= 15 * 60
        assert answers[-1].json()["code"] == "too_many_requests"
        right = {**wrong, "password": PASSWORD}
        assert (await client.post("/api/auth/login", json=right)).status_code == 429
        assert (await elsewhere.post("/api/auth/login", json=right)).status_code == 200


async def test_right_passwords_are_not_counted(world: World) -> None:
    async with client_of(replace(world.access, login_rates=LoginRates(2))) as client:
        for _ in range(4):
            await sign_in(client, world.one.emails["ADMIN"])


async def test_attempts_at_once_are_counted_before_they_are_checked(world: World) -> None:
    wrong = {"email": world.one.emails["ADMIN"], "password": "not the password"}
    async with client_of(replace(world.access, login_rates=LoginRates(3))) as client:
        answers = await asyncio.gather(*(client.post("/api/auth/login", json=wrong) for _ in range(8)))
    assert sorted(a.status_code for a in answers) == [401] * 3 + [429] * 5


async def test_one_address_cannot_try_all_accounts(world: World) -> None:
    async with client_of(replace(world.access, login_rates=LoginRates(1))) as client:
        answers = [
            await client.post("/api/auth/login", json={"email": f"guess{n}@example.org", "password": PASSWORD})
            for n in range(11)
        ]
    assert [a.status_code for a in answers] == [401] * 10 + [429]


@pytest.mark.feature("H1", "H2")
async def test_refresh_rotates_and_two_tabs_get_the_same_successor(world: World, client: httpx2.AsyncClient) -> None:
    first = (await sign_in(client, world.one.emails["VIEWER"]))["refreshToken"]
    answers = await asyncio.gather(*(refreshed(client, first) for _ in range(3)))
    successors = {a.json()["refreshToken"] for a in answers}
    assert len(successors) == 1
    assert first not in successors
    third = await refreshed(client, successors.pop())
    assert third.status_code == 200
    assert await status(client, third.json()["accessToken"]) == 200


@pytest.mark.feature("H1", "H2")
async def test_a_reused_refresh_token_ends_the_sign_in(world: World) -> None:
    strict = replace(world.access, security=world.access.security.model_copy(update={"refresh_grace_seconds": 0}))
    async with client_of(strict) as client:
        tokens = await sign_in(client, world.one.emails["VIEWER"])
        second = (await refreshed(client, tokens["refreshToken"])).json()
        reused = await refreshed(client, tokens["refreshToken"])
        assert (reused.status_code, reused.json()["code"]) == (401, "token_reused")
        assert (await refreshed(client, second["refreshToken"])).status_code == 401
        assert await status(client, second["accessToken"]) == 401


async def test_a_token_two_generations_old_is_a_reuse_within_the_grace_too(
    world: World, client: httpx2.AsyncClient
) -> None:
    first = (await sign_in(client, world.one.emails["VIEWER"]))["refreshToken"]
    second = (await refreshed(client, first)).json()["refreshToken"]
    await refreshed(client, second)
    assert (await refreshed(client, first)).json()["code"] == "token_reused"


async def test_a_generation_that_never_was_is_refused_and_ends_nothing(
    world: World, client: httpx2.AsyncClient
) -> None:
    tokens = await sign_in(client, world.one.emails["VIEWER"])
    sign_in_id, _ = world.access.tokens.read_refresh_token(tokens["refreshToken"])
    future = world.access.tokens.refresh_token(SignIn(sign_in_id, "", 9))
    assert (await refreshed(client, future)).status_code == 401
    assert (await refreshed(client, tokens["refreshToken"])).status_code == 200


async def test_an_expired_sign_in_is_over_and_is_cleared_away(world: World, client: httpx2.AsyncClient) -> None:
    user = await world.access.stores.users.account(world.one.emails["VIEWER"])
    assert user is not None
    old = await world.access.stores.sign_ins.start(user.id, seconds=0)
    assert (await refreshed(client, world.access.tokens.refresh_token(old))).status_code == 401
    assert await status(client, world.access.tokens.access_token(old)) == 401
    await sign_in(client, world.one.emails["VIEWER"])
    assert await world.database.read("MATCH (s:SignIn {id: $id}) RETURN s.id", id=old.id) == []


@pytest.mark.feature("H1")
async def test_logout_ends_the_sign_in_at_once_and_only_that(world: World, client: httpx2.AsyncClient) -> None:
    here = await sign_in(client, world.one.emails["VIEWER"])
    there = await sign_in(client, world.one.emails["VIEWER"])
    assert await status(client, here["accessToken"]) == 200
    assert (await client.post("/api/auth/logout", headers=bearer(here["accessToken"]))).status_code == 204
    assert await status(client, here["accessToken"]) == 401
    assert (await refreshed(client, here["refreshToken"])).status_code == 401
    assert await status(client, there["accessToken"]) == 200
    by_body = await client.post("/api/auth/logout", json={"refreshToken": there["refreshToken"]})
    assert by_body.status_code == 204
    assert await status(client, there["accessToken"]) == 401


async def test_a_logout_during_refreshes_breaks_nothing(world: World, client: httpx2.AsyncClient) -> None:
    for _ in range(3):
        token = (await sign_in(client, world.one.emails["VIEWER"]))["refreshToken"]
        answers = await asyncio.gather(
            refreshed(client, token),
            client.post("/api/auth/logout", json={"refreshToken": token}),
            refreshed(client, token),
            client.post("/api/auth/logout", json={"refreshToken": token}),
        )
        assert {a.status_code for a in answers} <= {200, 204, 401}
        assert (await refreshed(client, token)).status_code == 401


async def test_another_process_sees_a_logout_within_the_cache_time(world: World, client: httpx2.AsyncClient) -> None:
    """The other process asks the database once its own entry is 5 s old; a fresh cache stands for that."""
    tokens = await sign_in(client, world.one.emails["VIEWER"])
    await client.post("/api/auth/logout", headers=bearer(tokens["accessToken"]))
    async with client_of(replace(world.access, stores=access_stores(world.database, AccessCache()))) as other:
        assert await status(other, tokens["accessToken"]) == 401


@pytest.mark.feature("G9", "H1")
async def test_a_new_password_ends_the_other_sign_ins(world: World, client: httpx2.AsyncClient) -> None:
    email = f"changer-{world.one.slug}@example.org"
    await join(client, world.one.slug, world.one.as_("ADMIN"), email, "VIEWER")
    here, there = await sign_in(client, email), await sign_in(client, email)
    body = {"currentPassword": PASSWORD, "newPassword": "another long password"}
    changed = await client.post("/api/auth/password", json=body, headers=bearer(here["accessToken"]))
    assert changed.status_code == 204, changed.text
    assert await status(client, here["accessToken"]) == 200
    assert await status(client, there["accessToken"]) == 401
    assert (await refreshed(client, there["refreshToken"])).status_code == 401
    await sign_in(client, email, "another long password")
    old = await client.post("/api/auth/login", json={"email": email, "password": PASSWORD})
    assert old.status_code == 401


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"currentPassword": "wrong password", "newPassword": "another long password"}, "currentPassword"),
        ({"currentPassword": PASSWORD, "newPassword": "x" * 11}, "newPassword"),
        ({"currentPassword": PASSWORD, "newPassword": "x" * 129}, "newPassword"),
        ({"newPassword": "another long password"}, "currentPassword"),
        ({"currentPassword": PASSWORD, "newPassword": "another long password", "role": "OWNER"}, "role"),
        ({"currentPassword": None, "newPassword": None}, "newPassword"),
    ],
)
async def test_a_password_change_names_what_is_wrong(
    world: World, client: httpx2.AsyncClient, body: dict[str, object], field: str
) -> None:
    answer = await client.post("/api/auth/password", json=body, headers=world.two.as_("EDITOR"))
    assert (answer.status_code, answer.json()["field"]) == (422, field)


async def test_nothing_of_a_password_is_repeated_in_an_answer(client: httpx2.AsyncClient) -> None:
    body = {"email": ["x"], "password": "canary-canary-canary"}
    answer = await client.post("/api/auth/login", json=body)
    assert answer.status_code == 422
    assert "canary" not in answer.text
