"""An application of the access routers over a real database, and two organizations with every role in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import pytest
from fastapi import FastAPI

from matrix.api.auth.services import AccessServices, AccessStores, access_services
from matrix.api.errors_table import answer_with_problems
from matrix.api.rest.auth_routes import auth_router
from matrix.api.rest.organization_routes import invitations_router, organizations_router
from matrix.api.rest.people_routes import api_keys_router, users_router
from matrix.domain.ids import new_id
from matrix.graph.access import Neo4jAccess
from matrix.graph.access_cache import AccessCache
from matrix.graph.access_first_start import FirstOrganization, ensure_first_organization
from matrix.graph.api_keys import Neo4jApiKeys
from matrix.graph.database import Database
from matrix.graph.one_time_links import Neo4jLinks
from matrix.graph.organizations import Neo4jOrganizations
from matrix.graph.sign_ins import Neo4jSignIns
from matrix.graph.users import Neo4jUsers
from matrix.plugins.passwords.argon2 import Argon2Passwords
from matrix.settings import LimitSettings, SecuritySettings, Settings

ORIGIN = "http://matrix.test"
SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"
PASSWORD = "correct horse battery"
ROLES = ("VIEWER", "EDITOR", "ADMIN", "OWNER")


def cheap_passwords() -> Argon2Passwords:
    """The real thing with the least work: these tests hash many passwords."""
    return Argon2Passwords(memory_kib=64, rounds=1, lanes=1)


def stores_on(database: Database, cache: AccessCache | None = None) -> AccessStores:
    cache = cache or AccessCache()
    return AccessStores(
        access=Neo4jAccess(database, cache),
        users=Neo4jUsers(database, cache),
        organizations=Neo4jOrganizations(database, cache),
        links=Neo4jLinks(database, cache),
        sign_ins=Neo4jSignIns(database, cache),
        api_keys=Neo4jApiKeys(database, cache),
    )


def app_of(access: AccessServices) -> FastAPI:
    app = FastAPI()
    app.state.access = access
    answer_with_problems(app)
    for router in (auth_router, organizations_router, invitations_router, users_router, api_keys_router):
        app.include_router(router(access))
    return app


@asynccontextmanager
async def client_of(access: AccessServices, address: str = "10.0.0.1") -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=app_of(access), client=(address, 1), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        yield client


@dataclass(frozen=True, slots=True)
class Tenant:
    """An organization with one person of each role, and their access tokens."""

    slug: str
    org_id: str
    tokens: dict[str, str]
    emails: dict[str, str]

    def as_(self, role: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[role]}"}


@dataclass(frozen=True, slots=True)
class World:
    """The first organization, with its platform's administrator, and two others."""

    database: Database
    access: AccessServices
    first: FirstOrganization
    admin_email: str
    one: Tenant
    two: Tenant

    @property
    def as_platform_admin(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.first.api_key}"}


async def settings_for(slug: str, **security: object) -> Settings:
    return Settings(
        _env_file=None,
        organization=slug,
        limits=LimitSettings(writes_per_minute=10_000, reads_per_minute=10_000),
        security=SecuritySettings(signing_key=SECRET, **security),
    )


@pytest.fixture(scope="module")
async def world(database: Database) -> World:
    run = new_id()[-8:]
    passwords = cheap_passwords()
    admin = f"root-{run}@example.org"
    first = await ensure_first_organization(
        database, passwords, slug=f"first-{run}", admin_email=admin, admin_password=PASSWORD
    )
    access = access_services(await settings_for(first.slug), stores_on(database), passwords)
    async with client_of(access) as client:
        one = await _tenant(client, first, f"one-{run}")
        two = await _tenant(client, first, f"two-{run}")
    return World(database, access, first, admin, one, two)


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(world.access) as client:
        yield client


async def _tenant(client: httpx2.AsyncClient, first: FirstOrganization, slug: str) -> Tenant:
    root = {"Authorization": f"Bearer {first.api_key}"}
    made = await client.post("/api/orgs", json={"slug": slug, "name": slug}, headers=root)
    assert made.status_code == 201, made.text
    # The key of the first organization cannot reach the new one: its maker signs in.
    login = await client.post("/api/auth/login", json={"email": await _email_of(client, root), "password": PASSWORD})
    maker = {"Authorization": f"Bearer {login.json()['accessToken']}"}
    tokens, emails = {}, {}
    for role in ROLES:
        emails[role] = f"{role.lower()}-{slug}@example.org"
        tokens[role] = await join(client, slug, maker, emails[role], role)
    return Tenant(slug, made.json()["id"], tokens, emails)


async def _email_of(client: httpx2.AsyncClient, headers: dict[str, str]) -> str:
    return str((await client.get("/api/auth/me", headers=headers)).json()["user"]["email"])


async def join(client: httpx2.AsyncClient, slug: str, headers: dict[str, str], email: str, role: str) -> str:
    """Invites, accepts, and gives the access token."""
    invited = await client.post(f"/api/orgs/{slug}/invitations", json={"email": email, "role": role}, headers=headers)
    assert invited.status_code == 201, invited.text
    token = invited.json()["url"].partition("token=")[2]
    joined = await client.post("/api/auth/accept", json={"token": token, "password": PASSWORD, "name": role.title()})
    assert joined.status_code == 200, joined.text
    return str(joined.json()["accessToken"])
