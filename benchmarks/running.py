"""A Matrix to measure: a real Neo4j in a temporary folder, and API and worker as processes of their own, started by the
same code as `matrix up` and stopped at the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from matrix.cli.data_folder import Neo4jRun, Secrets, ensure_secrets, with_database, with_secrets
from matrix.domain.access import CredentialKind, Principal, Role, Scope
from matrix.domain.accounts import SHOWN_PREFIX, NewApiKey, new_api_key_secret, new_link_token, secret_hash
from matrix.domain.ids import new_id
from matrix.graph.server_probe import BoltProbe
from matrix.local_neo4j import start_local_neo4j
from matrix.settings import LimitSettings, Settings, read_settings
from matrix.wiring.databases import prepare_database
from matrix.wiring.services import Services, open_services

REPOSITORY = Path(__file__).parents[1]
READY_SECONDS = 120
STOP_SECONDS = 30
PATIENCE = 60  # seconds a transaction may take: on a busy machine a cold Neo4j plans some for more than the usual 15
MANY = 10_000_000  # requests a minute: the rates of a person are not what is measured


@dataclass(frozen=True, slots=True)
class Installation:
    """A prepared database with its organization `default`, and what is needed to start processes on it."""

    settings: Settings
    secrets: Secrets = field(repr=False)
    neo4j_pid: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.port}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secrets.api_key}"}


@asynccontextmanager
async def installation() -> AsyncIterator[Installation]:
    """Neo4j runs, the schema is there; nothing else runs yet."""
    with tempfile.TemporaryDirectory(prefix="matrix-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        secrets = ensure_secrets(folder)
        async with await start_local_neo4j(folder, secrets.neo4j_password, BoltProbe()) as server:
            limits = LimitSettings(key_reads_per_minute=MANY, key_writes_per_minute=MANY, key_chats_per_minute=MANY)
            patient = {"transaction_seconds": PATIENCE}
            read = read_settings(data_dir=folder, port=free_port(), limits=limits, neo4j=patient)
            settings = with_secrets(read, secrets)
            neo4j = Neo4jRun(server.bolt_uri, None, server.user, secrets.neo4j_password)
            settings = with_database(settings, neo4j)
            await prepare_database(settings, secrets.api_key)
            yield Installation(settings, secrets, server.pid)


@asynccontextmanager
async def services_in(place: Installation) -> AsyncIterator[tuple[Services, Scope]]:
    """The stores, in this process, and the scope of the organization's owner."""
    async with open_services(place.settings) as services:
        yield services, await owner_of(place, services)


async def owner_of(place: Installation, services: Services) -> Scope:
    """The scope of the first organization's owner."""
    access = services.stores.access
    owner = await access.api_keys.principal(secret_hash(place.secrets.api_key))
    return await access.access.scope_for(owner, place.settings.organization)


async def another_organization(place: Installation, services: Services, slug: str) -> Scope:
    """A second tenant, owned by the same person."""
    access = services.stores.access
    owner = await access.api_keys.principal(secret_hash(place.secrets.api_key))
    await access.organizations.create(owner, slug, slug.capitalize())
    return await access.access.scope_for(Principal(owner.user_id, owner.email, CredentialKind.PERSON, "bench"), slug)


async def key_of(services: Services, scope: Scope) -> str:
    """The secret of a new API key of an organization."""
    secret = new_api_key_secret()
    key = NewApiKey("benchmarks", scope.role, secret[:SHOWN_PREFIX], secret_hash(secret))
    await services.stores.access.api_keys.create(scope, key)
    return secret


async def member_of(services: Services, scope: Scope, slug: str, email: str) -> Scope:
    """The scope of somebody new who was invited into the organization."""
    access, token = services.stores.access, secret_hash(new_link_token())
    await access.links.invite(scope, email, Role.VIEWER, token, 600)
    user = await access.links.join(token, "Reader", await services.passwords.hash(new_api_key_secret()))
    return await access.access.scope_for(Principal(user, email, CredentialKind.PERSON, "bench"), slug)


async def new_corpus(services: Services, scope: Scope, key: str) -> str:
    """The id of a new corpus."""
    types = await services.stores.types.for_org(scope)
    made = await services.stores.entities.create(scope, types["knowledge"], key, {"name": key.capitalize()})
    return made.id


@dataclass(frozen=True, slots=True)
class Process:
    """A process of Matrix; what it says goes to `log`."""

    process: asyncio.subprocess.Process
    log: Path

    def check(self) -> None:
        if self.process.returncode is not None:
            raise SystemExit(f"A process of Matrix ended:\n{self.log.read_text('utf-8')[-3000:]}")

    async def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        try:
            await asyncio.wait_for(self.process.wait(), STOP_SECONDS)
        except TimeoutError:
            self.process.kill()


@asynccontextmanager
async def running(
    place: Installation, *commands: Sequence[str], more: Mapping[str, str] | None = None
) -> AsyncIterator[list[int]]:
    """Processes of Matrix, as `python -m …`; the pids, once the API is ready."""
    started: list[Process] = []
    try:
        for command in commands:
            started.append(await start(place, command, more or {}))  # noqa: PERF401  # one fails: stop those before
        await until_ready(place, started)
        yield [one.process.pid for one in started]
    finally:
        await asyncio.gather(*(one.stop() for one in started))


API = ("matrix.cli.main", "serve")
WORKER = ("matrix.cli.main", "worker")


async def start(place: Installation, command: Sequence[str], more: Mapping[str, str]) -> Process:
    log = place.settings.data_dir / f"{new_id()}.log"
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**environment(place), **more},
            cwd=REPOSITORY,
        )
    return Process(process, log)


def environment(place: Installation) -> dict[str, str]:
    settings = place.settings
    limits = {
        f"MATRIX_LIMITS__{name.upper()}": str(getattr(settings.limits, name))
        for name in ("key_reads_per_minute", "key_writes_per_minute", "key_chats_per_minute")
    }
    return {
        **os.environ,
        **limits,
        "PYTHONPATH": str(REPOSITORY),
        "MATRIX_DATA_DIR": str(settings.data_dir),
        "MATRIX_HOST": settings.host,
        "MATRIX_PORT": str(settings.port),
        "MATRIX_NEO4J__TRANSACTION_SECONDS": str(PATIENCE),
        "MATRIX_NEO4J__URI": settings.neo4j.uri or "",
        "MATRIX_NEO4J__USERNAME": settings.neo4j.username,
        "MATRIX_NEO4J__PASSWORD": settings.neo4j.password.get_secret_value(),
    }


async def until_ready(place: Installation, started: Sequence[Process]) -> None:
    until = time.monotonic() + READY_SECONDS
    async with httpx2.AsyncClient(trust_env=False, timeout=5) as client:
        while time.monotonic() < until:
            for one in started:
                one.check()
            with contextlib.suppress(httpx2.HTTPError):
                if (await client.get(f"{place.url}/ready")).status_code == 200:
                    return
            await asyncio.sleep(0.2)
    raise SystemExit("The API did not get ready.")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
