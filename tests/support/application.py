"""The real application in this process: the real stores on the tests' Neo4j, a fake embedder, a scripted chat model as
the deployment's default, and a worker that does its jobs when a test says so. Nothing listens, nothing reaches out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
from fastapi import FastAPI

from matrix.api.application import create_application
from matrix.domain.ids import new_id
from matrix.graph.access.first_start import FirstOrganization, ensure_first_organization
from matrix.graph.database import Database
from matrix.graph.documents.jobs import Jobs
from matrix.graph.documents.purge import Deletions
from matrix.graph.documents.versions import Versions
from matrix.ingest.processing import WorkerPorts
from matrix.ingest.worker import work_off
from matrix.plugins.vendors.guarded_client import guarded_client
from matrix.settings import LimitSettings, SecuritySettings, Settings
from matrix.wiring.services import Services, assemble_services
from tests.api.auth.world import PASSWORD, SECRET, bearer, cheap_passwords
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.language_model import ScriptedModel
from tests.ingest.flow import PlainParser
from tests.support.documented import checked

ORIGIN = "http://matrix.test"
UNHURRIED = LimitSettings(
    reads_per_minute=100_000,
    writes_per_minute=100_000,
    chats_per_minute=100_000,
    key_reads_per_minute=100_000,
    key_writes_per_minute=100_000,
    key_chats_per_minute=100_000,
    logins_per_15_minutes=10_000,
)


@dataclass(frozen=True, slots=True)
class Deployment:
    """A whole Matrix. `first` is the organization of its first start, `root` the credentials of its administrator."""

    services: Services
    app: FastAPI
    model: ScriptedModel
    worker: WorkerPorts
    first: FirstOrganization
    admin_email: str
    root: dict[str, str]

    @property
    def database(self) -> Database:
        return self.services.database

    async def work_off(self) -> int:
        """Does all jobs that are due."""
        return await work_off(self.worker)

    def client(self, headers: dict[str, str] | None = None, app: FastAPI | None = None) -> httpx2.AsyncClient:
        """A client of this application, or of another one over the same services; its answers are held against
        /openapi.json."""
        asked = app or self.app
        transport = httpx2.ASGITransport(app=asked, client=("10.0.0.1", 1), raise_app_exceptions=False)
        return httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers, event_hooks=checked(asked))

    def with_limits(self, **limits: int) -> FastAPI:
        """The application with these limits in place of the unhurried ones, and rates that begin at zero."""
        settings = self.services.settings
        changed = settings.model_copy(update={"limits": settings.limits.model_copy(update=limits)})
        return create_application(replace(self.services, settings=changed))


def settings_for(slug: str, folder: Path, limits: LimitSettings = UNHURRIED) -> Settings:
    return Settings(
        _env_file=None,
        data_dir=folder,
        organization=slug,
        limits=limits,
        security=SecuritySettings(signing_key=SECRET, encryption_key=SECRET),
    )


@asynccontextmanager
async def deployment_over(
    database: Database, folder: Path, limits: LimitSettings = UNHURRIED
) -> AsyncIterator[Deployment]:
    """A deployment after its first start, with blobs in `folder`. The database is migrated, and pinned to the
    FakeEmbedder."""
    run, passwords, model, embedder = new_id()[-8:], cheap_passwords(), ScriptedModel(), FakeEmbedder()
    admin = f"root-{run}@example.org"
    first = await ensure_first_organization(
        database, passwords, slug=f"first-{run}", admin_email=admin, admin_password=PASSWORD
    )
    settings = settings_for(first.slug, folder, limits)
    async with guarded_client(()) as vendor:
        services = assemble_services(settings, database, embedder, vendor, model=model, passwords=passwords)
        app = create_application(services)
        worker = WorkerPorts(
            Jobs(database), Versions(database), Deletions(database), services.blobs, PlainParser(), embedder
        )
        made = Deployment(services, app, model, worker, first, admin, {})
        async with made.client() as client:
            signed_in = await client.post("/api/auth/login", json={"email": admin, "password": PASSWORD})
        try:
            yield replace(made, root=bearer(signed_in.json()["accessToken"]))
        finally:
            await services.turns.close()
