"""An application of the access routers over a real database, and organizations with every role in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
from fastapi import FastAPI

from matrix.api.auth.services import AccessServices, access_services
from matrix.api.described import DescribedApi
from matrix.api.errors_table import answer_with_problems
from matrix.api.rest.auth_routes import auth_router
from matrix.api.rest.organization_routes import invitations_router, organizations_router
from matrix.api.rest.people_routes import api_keys_router, users_router
from matrix.domain.ids import new_id
from matrix.graph.access.cache import AccessCache
from matrix.graph.access.first_start import FirstOrganization, ensure_first_organization
from matrix.graph.access.stores import access_stores
from matrix.graph.database import Database
from matrix.plugins.passwords.argon2 import Argon2Passwords
from matrix.settings import LimitSettings, SecuritySettings, Settings
from tests.support.documented import checked

ORIGIN = "http://matrix.test"
SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"
PASSWORD = "correct horse battery"
ROLES = ("VIEWER", "EDITOR", "ADMIN", "OWNER")


def cheap_passwords() -> Argon2Passwords:
    """The real thing with the least work: these tests hash many passwords."""
    return Argon2Passwords(memory_kib=64, rounds=1, lanes=1)


def app_of(access: AccessServices) -> FastAPI:
    app = DescribedApi()
    app.state.access = access
    answer_with_problems(app)
    for router in (auth_router, organizations_router, invitations_router, users_router, api_keys_router):
        app.include_router(router(access))
    return app


@asynccontextmanager
async def client_of(access: AccessServices, address: str = "10.0.0.1") -> AsyncIterator[httpx2.AsyncClient]:
    app = app_of(access)
    transport = httpx2.ASGITransport(app=app, client=(address, 1), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN, event_hooks=checked(app)) as client:
        yield client


@dataclass(frozen=True, slots=True)
class Tenant:
    """An organization with one person of each role, and their access tokens."""

    slug: str
    org_id: str
    tokens: dict[str, str]
    emails: dict[str, str]

    def as_(self, role: str) -> dict[str, str]:
        return bearer(self.tokens[role])


@dataclass(frozen=True, slots=True)
class World:
    """The first organization, two others, and the platform's administrator (`root`), an owner of all three."""

    database: Database
    access: AccessServices
    first: FirstOrganization
    admin_email: str
    root: dict[str, str]
    one: Tenant
    two: Tenant


def settings_for(slug: str) -> Settings:
    return Settings(
        _env_file=None,
        organization=slug,
        limits=LimitSettings(writes_per_minute=10_000, reads_per_minute=10_000),
        security=SecuritySettings(signing_key=SECRET),
    )


async def make_world(database: Database) -> World:
    run = new_id()[-8:]
    passwords = cheap_passwords()
    admin = f"root-{run}@example.org"
    first = await ensure_first_organization(
        database, passwords, slug=f"first-{run}", admin_email=admin, admin_password=PASSWORD
    )
    access = access_services(settings_for(first.slug), access_stores(database, AccessCache()), passwords)
    async with client_of(access) as client:
        # The key of the first organization reaches no other: its maker signs in.
        maker = bearer((await sign_in(client, admin))["accessToken"])
        one = await _tenant(client, maker, f"one-{run}")
        two = await _tenant(client, maker, f"two-{run}")
    return World(database, access, first, admin, maker, one, two)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def sign_in(client: httpx2.AsyncClient, email: str, password: str = PASSWORD) -> dict[str, str]:
    answer = await client.post("/api/auth/login", json={"email": email, "password": password})
    assert answer.status_code == 200, answer.text
    tokens: dict[str, str] = answer.json()
    return tokens


async def invite(client: httpx2.AsyncClient, slug: str, headers: dict[str, str], email: str, role: str) -> str:
    """The token of a new invitation."""
    invited = await client.post(f"/api/orgs/{slug}/invitations", json={"email": email, "role": role}, headers=headers)
    assert invited.status_code == 201, invited.text
    return str(invited.json()["url"].partition("token=")[2])


async def join(client: httpx2.AsyncClient, slug: str, headers: dict[str, str], email: str, role: str) -> str:
    """Invites, accepts, and gives the access token."""
    token = await invite(client, slug, headers, email, role)
    joined = await client.post("/api/auth/accept", json={"token": token, "password": PASSWORD, "name": role.title()})
    assert joined.status_code == 200, joined.text
    return str(joined.json()["accessToken"])


async def _tenant(client: httpx2.AsyncClient, maker: dict[str, str], slug: str) -> Tenant:
    made = await client.post("/api/orgs", json={"slug": slug, "name": slug}, headers=maker)
    assert made.status_code == 201, made.text
    emails = {role: f"{role.lower()}-{slug}@example.org" for role in ROLES}
    tokens = {role: await join(client, slug, maker, email, role) for role, email in emails.items()}
    return Tenant(slug, made.json()["id"], tokens, emails)
