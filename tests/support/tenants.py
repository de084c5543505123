"""Organizations with a person of each role, and the calls that these people make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from matrix.domain.ids import new_id
from tests.api.auth.world import ROLES, bearer, join
from tests.support.application import Deployment

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Api:
    """The calls of one person (or key) in one organization; paths are relative to it."""

    deployment: Deployment
    slug: str
    headers: dict[str, str]

    async def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        client = options.pop("client", None) or self.deployment.client()
        url = path if path.startswith("/") else f"/api/orgs/{self.slug}/{path}".rstrip("/")
        headers = {**self.headers, **options.pop("headers", {})}
        async with client:
            return await client.request(method, url, headers=headers, **options)

    async def ok(self, method: str, path: str, status: int = 200, **options: Any) -> Json:
        """The JSON of a call that succeeds with this status."""
        answer = await self.call(method, path, **options)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        body: Json = answer.json() if answer.content else {}
        return body

    async def refused(self, method: str, path: str, status: int, code: str | None = None, **options: Any) -> Json:
        """The problem document of a call that fails with this status."""
        answer = await self.call(method, path, **options)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        assert answer.headers["content-type"].startswith("application/problem+json"), answer.headers
        problem: Json = answer.json()
        assert problem["status"] == status and problem["code"] and problem["advice"] and problem["detail"], problem
        assert code is None or problem["code"] == code, problem
        return problem

    # ------------------------------------------------------------------------------------------------ shortcuts

    async def create(self, collection: str, **properties: object) -> Json:
        return await self.ok("POST", collection, 201, json={"properties": properties})

    async def items(self, path: str, **options: Any) -> list[Json]:
        items: list[Json] = (await self.ok("GET", path, **options))["items"]
        return items

    async def send(self, corpus: str, files: Sequence[tuple[str, bytes]], **options: Any) -> list[Json]:
        """Uploads without processing; one entry a file."""
        parts = [("file", (name, content)) for name, content in files]
        answer = await self.ok("POST", f"knowledge/{corpus}/files", 202, files=parts, **options)
        entries: list[Json] = answer["documents"]
        return entries

    async def ingest(self, corpus: str, name: str, text: str) -> str:
        """Uploads one text and works it off; the document's id."""
        [entry] = await self.send(corpus, [(name, text.encode())])
        assert entry["error"] is None, entry
        await self.deployment.work_off()
        return str(entry["id"])

    async def search(self, corpus: str, query: str, **options: object) -> list[Json]:
        hits: list[Json] = (await self.ok("POST", f"knowledge/{corpus}/search", json={"query": query, **options}))[
            "hits"
        ]
        return hits


@dataclass(frozen=True, slots=True)
class Tenant:
    """An organization with one person of each role."""

    deployment: Deployment
    slug: str
    org_id: str
    tokens: dict[str, str]
    emails: dict[str, str]

    def as_(self, role: str) -> Api:
        return Api(self.deployment, self.slug, bearer(self.tokens[role]))

    @property
    def viewer(self) -> Api:
        return self.as_("VIEWER")

    @property
    def editor(self) -> Api:
        return self.as_("EDITOR")

    @property
    def admin(self) -> Api:
        return self.as_("ADMIN")

    @property
    def owner(self) -> Api:
        return self.as_("OWNER")

    async def another(self, role: str) -> Api:
        """One more person of this role."""
        email = f"{role.lower()}-{new_id()[-8:]}@example.org"
        async with self.deployment.client() as client:
            token = await join(client, self.slug, self.deployment.root, email, role)
        return Api(self.deployment, self.slug, bearer(token))

    async def user_id(self, role: str) -> str:
        return str((await self.as_(role).ok("GET", "/api/auth/me"))["user"]["id"])


async def new_tenant(deployment: Deployment, name: str) -> Tenant:
    slug = f"{name}-{new_id()[-8:]}"
    async with deployment.client() as client:
        made = await client.post("/api/orgs", json={"slug": slug, "name": name}, headers=deployment.root)
        assert made.status_code == 201, made.text
        emails = {role: f"{role.lower()}-{slug}@example.org" for role in ROLES}
        tokens = {role: await join(client, slug, deployment.root, email, role) for role, email in emails.items()}
    return Tenant(deployment, slug, made.json()["id"], tokens, emails)
