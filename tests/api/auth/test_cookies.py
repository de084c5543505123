"""Signing in by cookie: what the cookies are like, and that other sites cannot use them."""

from __future__ import annotations

from dataclasses import replace

import httpx2
import pytest

from tests.api.auth.world import ORIGIN, PASSWORD, World, client_of

pytestmark = pytest.mark.feature("H1", "H2")


async def open_session(client: httpx2.AsyncClient, email: str, **headers: str) -> httpx2.Response:
    return await client.post("/api/auth/session", json={"email": email, "password": PASSWORD}, headers=headers)


@pytest.fixture
async def csrf(world: World, client: httpx2.AsyncClient) -> str:
    """The client is signed in by cookies; the CSRF token of that."""
    answer = await open_session(client, world.one.emails["ADMIN"])
    assert answer.status_code == 200, answer.text
    return str(answer.json()["csrfToken"])


@pytest.fixture
def change(world: World) -> str:
    """The path of something that changes the organization, and is harmless."""
    return f"/api/orgs/{world.one.slug}"


def rename(world: World) -> dict[str, str]:
    return {"name": world.one.slug}


async def test_cookies_are_hidden_from_scripts_and_other_sites(world: World, client: httpx2.AsyncClient) -> None:
    answer = await open_session(client, world.one.emails["ADMIN"])
    set_cookies = {c.split("=")[0]: c.lower() for c in answer.headers.get_list("set-cookie")}
    assert set(set_cookies) == {"matrix_access", "matrix_refresh", "matrix_csrf"}
    assert all("samesite=strict" in cookie for cookie in set_cookies.values())
    assert "httponly" in set_cookies["matrix_access"]
    assert "httponly" in set_cookies["matrix_refresh"]
    assert "path=/api/auth" in set_cookies["matrix_refresh"]
    assert "httponly" not in set_cookies["matrix_csrf"]
    assert "accessToken" not in answer.json()
    assert answer.json()["user"]["email"] == world.one.emails["ADMIN"]


async def test_cookies_are_secure_where_the_settings_say_so(world: World) -> None:
    security = world.access.security.model_copy(update={"cookie_secure": True})
    async with client_of(replace(world.access, security=security)) as client:
        answer = await open_session(client, world.one.emails["ADMIN"])
    assert all("secure" in cookie.lower() for cookie in answer.headers.get_list("set-cookie"))


async def test_reading_takes_the_cookie_alone(client: httpx2.AsyncClient, csrf: str) -> None:
    assert (await client.get("/api/auth/me")).status_code == 200


async def test_changing_takes_the_csrf_token(world: World, client: httpx2.AsyncClient, csrf: str, change: str) -> None:
    bare = await client.patch(change, json=rename(world))
    assert (bare.status_code, bare.json()["code"]) == (403, "csrf")
    wrong = await client.patch(change, json=rename(world), headers={"X-CSRF-Token": csrf[::-1]})
    assert wrong.status_code == 403
    right = await client.patch(change, json=rename(world), headers={"X-CSRF-Token": csrf})
    assert right.status_code == 200


async def test_the_csrf_token_of_another_sign_in_does_not_do(
    world: World, client: httpx2.AsyncClient, csrf: str, change: str
) -> None:
    async with client_of(world.access) as other:
        foreign = (await open_session(other, world.one.emails["ADMIN"])).json()["csrfToken"]
    answer = await client.patch(change, json=rename(world), headers={"X-CSRF-Token": foreign})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": ORIGIN + ".evil.test"},
        {"Referer": "http://evil.test/page"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_other_sites_are_refused(
    world: World, client: httpx2.AsyncClient, csrf: str, change: str, headers: dict[str, str]
) -> None:
    answer = await client.patch(change, json=rename(world), headers={"X-CSRF-Token": csrf, **headers})
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_origin")
    async with client_of(world.access) as fresh:
        assert (await open_session(fresh, world.one.emails["ADMIN"], **headers)).status_code == 403


@pytest.mark.parametrize("headers", [{"Origin": ORIGIN}, {"Referer": ORIGIN + "/admin/"}, {}])
async def test_our_own_pages_are_let_through(
    world: World, client: httpx2.AsyncClient, csrf: str, change: str, headers: dict[str, str]
) -> None:
    answer = await client.patch(change, json=rename(world), headers={"X-CSRF-Token": csrf, **headers})
    assert answer.status_code == 200


async def test_an_allowed_origin_is_let_through(world: World) -> None:
    security = world.access.security.model_copy(update={"allowed_origins": ("https://ui.test",)})
    async with client_of(replace(world.access, security=security)) as client:
        answer = await open_session(client, world.one.emails["ADMIN"], Origin="https://ui.test")
    assert answer.status_code == 200


async def test_a_bearer_token_takes_no_csrf_token(world: World, client: httpx2.AsyncClient, change: str) -> None:
    headers = {**world.one.as_("ADMIN"), "Origin": "http://evil.test"}
    assert (await client.patch(change, json=rename(world), headers=headers)).status_code == 200


async def test_an_api_key_is_no_cookie(world: World, client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/auth/me", headers={"Cookie": f"matrix_access={world.first.api_key}"})
    assert answer.status_code == 401


async def test_refresh_by_cookie_sets_new_cookies(client: httpx2.AsyncClient, csrf: str) -> None:
    before = client.cookies["matrix_refresh"]
    assert (await client.post("/api/auth/refresh")).json()["code"] == "csrf"
    answer = await client.post("/api/auth/refresh", headers={"X-CSRF-Token": csrf})
    assert answer.status_code == 200
    assert client.cookies["matrix_refresh"] != before
    assert "refreshToken" not in answer.json()


async def test_refresh_works_after_the_access_cookie_is_gone(client: httpx2.AsyncClient, csrf: str) -> None:
    del client.cookies["matrix_access"]
    assert (await client.get("/api/auth/me")).status_code == 401
    await client.post("/api/auth/refresh", headers={"X-CSRF-Token": csrf})
    assert (await client.get("/api/auth/me")).status_code == 200


async def test_logout_by_cookie_ends_the_sign_in_and_takes_the_cookies(
    world: World, client: httpx2.AsyncClient, csrf: str
) -> None:
    access_cookie = client.cookies["matrix_access"]
    assert (await client.post("/api/auth/logout")).status_code == 403
    assert (await client.post("/api/auth/logout", headers={"X-CSRF-Token": csrf})).status_code == 204
    assert "matrix_access" not in client.cookies
    stolen = await client.get("/api/auth/me", headers={"Authorization": f"Bearer {access_cookie}"})
    assert stolen.status_code == 401
