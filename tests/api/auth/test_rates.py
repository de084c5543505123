"""Requests a minute: people and API keys have rates of their own."""

from __future__ import annotations

from dataclasses import replace

import httpx2
import pytest
from fastapi import Depends

from matrix.api.auth.counted import count_chat, count_read, count_write
from matrix.api.auth.rates import Rates, Use
from matrix.domain.access import CredentialKind, Principal
from matrix.errors import TooManyRequests
from matrix.settings import LimitSettings
from tests.api.auth.world import ORIGIN, World, app_of, bearer, client_of

pytestmark = pytest.mark.feature("H2")
FEW = LimitSettings(
    reads_per_minute=3, writes_per_minute=2, chats_per_minute=1,
    key_reads_per_minute=6, key_writes_per_minute=4, key_chats_per_minute=2,
)  # fmt: skip


def principal(kind: CredentialKind, session: str = "s", user: str = "u") -> Principal:
    return Principal(user_id=user, email="", kind=kind, session_id=session)


async def allowed(rates: Rates, who: Principal, use: Use) -> int:
    """How many requests in a row are let through."""
    for count in range(100):
        try:
            await rates.spend(who, use)
        except TooManyRequests as error:
            assert 1 <= error.retry_after <= 120
            return count
    return 100


@pytest.mark.parametrize(
    ("kind", "use", "number"),
    [
        (CredentialKind.PERSON, Use.READ, 3),
        (CredentialKind.PERSON, Use.WRITE, 2),
        (CredentialKind.PERSON, Use.CHAT, 1),
        (CredentialKind.API_KEY, Use.READ, 6),
        (CredentialKind.API_KEY, Use.WRITE, 4),
        (CredentialKind.API_KEY, Use.CHAT, 2),
    ],
)
async def test_each_use_has_its_number(kind: CredentialKind, use: Use, number: int) -> None:
    assert await allowed(Rates(FEW), principal(kind), use) == number


async def test_the_default_numbers() -> None:
    numbers = LimitSettings()
    assert (numbers.reads_per_minute, numbers.writes_per_minute, numbers.chats_per_minute) == (120, 30, 20)
    assert (numbers.key_reads_per_minute, numbers.key_writes_per_minute, numbers.key_chats_per_minute) == (
        6000, 600, 300
    )  # fmt: skip


async def test_a_person_counts_once_over_all_sign_ins_and_a_key_by_itself() -> None:
    rates = Rates(FEW)
    assert await allowed(rates, principal(CredentialKind.PERSON, "one"), Use.READ) == 3
    assert await allowed(rates, principal(CredentialKind.PERSON, "two"), Use.READ) == 0
    assert await allowed(rates, principal(CredentialKind.PERSON, "one", "other"), Use.READ) == 3
    assert await allowed(rates, principal(CredentialKind.API_KEY, "one"), Use.READ) == 6
    assert await allowed(rates, principal(CredentialKind.API_KEY, "two"), Use.READ) == 6


async def test_uses_do_not_eat_each_other() -> None:
    rates = Rates(FEW)
    assert await allowed(rates, principal(CredentialKind.PERSON), Use.READ) == 3
    assert await allowed(rates, principal(CredentialKind.PERSON), Use.WRITE) == 2


async def test_over_http_429_says_when(world: World) -> None:
    async with client_of(replace(world.access, rates=Rates(FEW))) as client:
        path, headers = f"/api/orgs/{world.one.slug}", world.one.as_("ADMIN")
        reads = [await client.get(path, headers=headers) for _ in range(4)]
        assert [a.status_code for a in reads] == [200, 200, 200, 429]
        assert int(reads[-1].headers["retry-after"]) >= 1
        assert reads[-1].headers["content-type"] == "application/problem+json"
        assert reads[-1].json()["retryAfter"] >= 1
        writes = [await client.patch(path, json={"name": "n"}, headers=headers) for _ in range(3)]
        assert [a.status_code for a in writes] == [200, 200, 429]
        assert (await client.get("/api/orgs", headers=world.one.as_("VIEWER"))).status_code == 200


@pytest.mark.parametrize(("count", "number"), [(count_read, 6), (count_write, 4), (count_chat, 2)])
async def test_a_route_chooses_what_it_counts_as(world: World, count: object, number: int) -> None:
    app = app_of(replace(world.access, rates=Rates(FEW)))

    @app.post("/x", dependencies=[Depends(count)])  # type: ignore[arg-type]  # one of three functions
    async def route() -> None: ...

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=ORIGIN) as client:
        codes = [(await client.post("/x", headers=bearer(world.first.api_key))).status_code for _ in range(7)]
    assert codes == [200] * number + [429] * (7 - number)
